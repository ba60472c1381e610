// RUN: lispier-opt %s -lispier-gpu-to-host -split-input-file -verify-diagnostics | FileCheck %s

// Ids are fields of the thread's record; a launch packs its operands and checks the answer.
module attributes {gpu.container_module} {
// CHECK-LABEL: func.func @launch(
// CHECK-SAME: %[[M:.*]]: memref<?xf32>
// CHECK: llvm.alloca
// CHECK: %[[D:.*]] = builtin.unrealized_conversion_cast %[[M]] : memref<?xf32> to !llvm.struct
// CHECK: llvm.store %[[D]]
// CHECK: %[[F:.*]] = constant @kernels_ids_entry : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK: %[[R:.*]] = call @lispier_sim_launch(
// CHECK: call @lispier_sim_check(%[[R]])
func.func @launch(%m: memref<?xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@ids blocks in (%n, %c1, %c1) threads in (%n, %c1, %c1) args(%m : memref<?xf32>)
  return
}

// CHECK-LABEL: func.func private @kernels_ids_entry(
// CHECK: call @kernels_ids(
// CHECK-LABEL: func.func private @kernels_ids(%{{.*}}: !llvm.ptr, %{{.*}}: memref<?xf32>) attributes {device.sim_thread}
// CHECK: llvm.getelementptr %{{.*}}[0]
// CHECK: llvm.load {{.*}} invariant
// CHECK: llvm.getelementptr %{{.*}}[3]
// CHECK: memref.store
// CHECK-NOT: gpu.
gpu.module @kernels {
  gpu.func @ids(%m: memref<?xf32>) kernel {
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %f = arith.constant 1.0 : f32
    %i = arith.addi %t, %b : index
    memref.store %f, %m[%i] : memref<?xf32>
    gpu.return
  }
}
}

// -----

// Meetings of threads become calls; shared buffers are views of the block's memory, one behind the other.
// CHECK-LABEL: func.func private @k_meet(
// CHECK: llvm.getelementptr %{{.*}}[0] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: llvm.getelementptr %{{.*}}[128] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK: call @lispier_sim_barrier(
// CHECK: call @lispier_sim_shuffle(
// CHECK: call @lispier_sim_subgroup_reduce(
// CHECK: call @lispier_sim_all_reduce(
gpu.module @k {
  gpu.func @meet(%v: f32, %out: memref<1xf32>) workgroup(%s: memref<32xf32, #gpu.address_space<workgroup>>, %s2: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    memref.store %v, %s[%c0] : memref<32xf32, #gpu.address_space<workgroup>>
    memref.store %v, %s2[%c0] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %a, %ok = gpu.shuffle xor %v, %c1, %w : f32
    %b = gpu.subgroup_reduce add %a : (f32) -> f32
    %c = gpu.all_reduce maximumf %b {} : (f32) -> f32
    memref.store %c, %out[%c0] : memref<1xf32>
    gpu.return
  }
}

// -----

gpu.module @vendor {
  gpu.func @mma() kernel {
    // expected-error @below {{has no meaning on the CPU; give the kernel a variant without it}}
    nvvm.barrier0
    gpu.return
  }
}
