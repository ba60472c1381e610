// A module runs: scalars, memrefs, linalg, an external C function, main's result.
// RUN: lispier run --from=module %s | FileCheck %s
// CHECK: 42
// CHECK-NEXT: 21.746254
func.func private @printI64(i64)
func.func private @printNewline()
func.func private @sum_of_exp(%m: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> f32 {
    %v = memref.load %m[%i] : memref<?xf32>
    %e = math.exp %v : f32
    %b = arith.addf %a, %e : f32
    scf.yield %b : f32
  }
  return %sum : f32
}
func.func @main() -> f32 {
  %c8 = arith.constant 8 : index
  %m = memref.alloc(%c8) : memref<?xf32>
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%m : memref<?xf32>)
  %s = call @sum_of_exp(%m) : (memref<?xf32>) -> f32
  memref.dealloc %m : memref<?xf32>
  %c42 = arith.constant 42 : i64
  call @printI64(%c42) : (i64) -> ()
  call @printNewline() : () -> ()
  return %s : f32
}
