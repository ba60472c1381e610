// The sum of a product whose sizes only the run knows begins once with zeros. Upstream's tile-and-fuse takes the fill into
// the loop over the summed dimension if sizes are dynamic (`transform.structured.fuse` with a tile size for it), and sums
// the last tile only.
// RUN: lispier run --from=module %s | FileCheck %s
// RUN: lispier run --from=module --target=sim %s | FileCheck %s
// RUN: lispier run --from=module --target=sim:sm_80 %s | FileCheck %s
// CHECK: {{^}}128{{$}}
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
func.func private @ones(%m: index, %n: index) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%one : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}
func.func @main() -> f32 {
  %c0 = arith.constant 0 : index
  %m = arith.constant 70 : index
  %n = arith.constant 40 : index
  %k = arith.constant 128 : index
  %a = call @ones(%m, %k) : (index, index) -> tensor<?x?xf32>
  %b = call @ones(%k, %n) : (index, index) -> tensor<?x?xf32>
  %p = call @product(%a, %b, %m, %n) : (tensor<?x?xf32>, tensor<?x?xf32>, index, index) -> tensor<?x?xf32>
  %i = arith.constant 69 : index
  %j = arith.constant 39 : index
  %v = tensor.extract %p[%i, %j] : tensor<?x?xf32>
  return %v : f32
}
