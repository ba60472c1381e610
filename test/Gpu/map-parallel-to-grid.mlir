// RUN: lispier-opt %s -lispier-map-parallel-to-grid -split-input-file -verify-diagnostics | FileCheck %s

// The last dimension is contiguous in memory, so it becomes x, for blocks and for threads.
// CHECK-LABEL: func @two_levels
// CHECK: scf.parallel
// CHECK: scf.parallel
// CHECK: scf.parallel
// CHECK: mapping = [#gpu.loop_dim_map<processor = sequential
// CHECK: mapping = [#gpu.loop_dim_map<processor = thread_y, {{.*}}>, #gpu.loop_dim_map<processor = thread_x
// CHECK: mapping = [#gpu.loop_dim_map<processor = block_y, {{.*}}>, #gpu.loop_dim_map<processor = block_x
func.func @two_levels(%n: index, %m: memref<?x?xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c16, %c16) {
    scf.parallel (%k, %l) = (%c0, %c0) to (%c16, %c16) step (%c1, %c1) {
      scf.parallel (%o) = (%c0) to (%n) step (%c1) {
        memref.store %f, %m[%k, %o] : memref<?x?xf32>
      }
    }
  }
  return
}

// -----

func.func @four_dimensions(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{has 4 dimensions; a grid has at most 3, collapse some first}}
  scf.parallel (%i, %j, %k, %l) = (%c0, %c0, %c0, %c0) to (%n, %n, %n, %n) step (%c1, %c1, %c1, %c1) {
  }
  return
}
