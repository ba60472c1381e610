// RUN: lispier-opt %s -split-input-file -verify-diagnostics -lispier-outline-parallel

// expected-error @below {{`lispier_rt_parallel_for` is a function of the runtime, of type '(!llvm.ptr, !llvm.ptr, i64, i64) -> ()'}}
func.func private @lispier_rt_parallel_for(i32)
func.func @fill(%m: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %v, %m[%i] : memref<?xf32>
  }
  return
}
