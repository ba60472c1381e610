// Tensors get memory, linalg becomes loops, and the memory is freed.
// RUN: lispier run --from=module %s | FileCheck %s
// CHECK: {{^}}96{{$}}
func.func private @product(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %d : tensor<4x4xf32>
}
func.func @main() -> f32 {
  %a = arith.constant dense<3.0> : tensor<4x8xf32>
  %b = arith.constant dense<4.0> : tensor<8x4xf32>
  %c = call @product(%a, %b) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %i = arith.constant 2 : index
  %r = tensor.extract %c[%i, %i] : tensor<4x4xf32>
  return %r : f32
}
