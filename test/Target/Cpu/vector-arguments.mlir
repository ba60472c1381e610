// A long function is compiled on its first call, by a callback that keeps 128 bits of each vector register. One that takes
// vectors is not: of these arguments the rest would be lost.
// RUN: lispier run --cache=false --from=module %s | FileCheck %s
// CHECK: 8192
func.func private @printF64(f64)
func.func private @printNewline()

func.func private @product(%a: vector<16x32xf32>, %b: vector<32x16xf32>) -> f32 {
  %zeros = arith.constant dense<0.0> : vector<16x16xf32>
  %zero = arith.constant 0.0 : f32
  %sums = vector.contract {indexing_maps = [
    affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %zeros
    : vector<16x32xf32>, vector<32x16xf32> into vector<16x16xf32>
  %flat = vector.shape_cast %sums : vector<16x16xf32> to vector<256xf32>
  %sum = vector.reduction <add>, %flat, %zero : vector<256xf32> into f32
  return %sum : f32
}

func.func @main() {
  %a = memref.alloc() : memref<16x32xf32>
  %b = memref.alloc() : memref<32x16xf32>
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%a : memref<16x32xf32>)
  linalg.fill ins(%one : f32) outs(%b : memref<32x16xf32>)
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<16x32xf32>, vector<16x32xf32>
  %y = vector.load %b[%c0, %c0] : memref<32x16xf32>, vector<32x16xf32>
  %sum = func.call @product(%x, %y) : (vector<16x32xf32>, vector<32x16xf32>) -> f32
  %wide = arith.extf %sum : f32 to f64
  func.call @printF64(%wide) : (f64) -> ()
  func.call @printNewline() : () -> ()
  return
}
