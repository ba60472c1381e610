// Candidates for other targets go, with their programs; sizes that are known decide when compiling.
// RUN: lispier-opt %s -lispier-choose-tile-constants='targets=gpu,sm_80' | FileCheck %s
// RUN: lispier-opt %s -lispier-choose-tile-constants='targets=cpu' | FileCheck %s --check-prefix=CPU
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK: gpu.func @p_0
    // CHECK: gpu.func @p_1
    // CHECK-NOT: gpu.func @p_2
    gpu.func @p_0(%m: memref<?xf32>) kernel attributes {tile.program = #tile.program<>} { gpu.return }
    gpu.func @p_1(%m: memref<?xf32>) kernel attributes {tile.program = #tile.program<>} { gpu.return }
    gpu.func @p_2(%m: memref<?xf32>) kernel attributes {tile.program = #tile.program<>} { gpu.return }
  }
  // The classes of 4000 and 4096 are equal, and nearer to 3000's than to 60's.
  // CHECK-LABEL: func @known
  // CHECK-NOT: scf.index_switch
  // CHECK: gpu.launch_func @kernels::@p_1
  // CHECK-NOT: gpu.launch_func
  // CPU-LABEL: func @known
  // CPU: gpu.launch_func @kernels::@p_2
  // CPU-NOT: gpu.launch_func
  func.func @known(%m: memref<?xf32>) {
    %n = arith.constant 3000 : index
    %one = arith.constant 1 : index
    %i = tile.choose "p"(%n) among [{n = 0}, {n = 1}, {n = 2}]
      rules [#tile.tuned<candidate = 2, targets = ["cpu"]>,
             #tile.tuned<candidate = 0, targets = ["gpu"], sizes = [60]>,
             #tile.tuned<candidate = 1, targets = ["sm_80"], sizes = [4096]>]
    scf.index_switch %i
    case 0 {
      gpu.launch_func @kernels::@p_0 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<?xf32>)
      scf.yield
    }
    case 1 {
      gpu.launch_func @kernels::@p_1 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<?xf32>)
      scf.yield
    }
    case 2 {
      gpu.launch_func @kernels::@p_2 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<?xf32>)
      scf.yield
    }
    default {
    }
    return
  }
  // CHECK-LABEL: func @unknown
  // CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[N:.*]]: index
  // CHECK: %[[LESS:.*]] = arith.subi
  // CHECK: %[[ZEROS:.*]] = math.ctlz %[[LESS]]
  // CHECK: %[[CLASS:.*]] = arith.subi %{{.*}}, %[[ZEROS]]
  // CHECK: %[[FIRST:.*]] = arith.constant 6 : i64
  // CHECK: arith.subi %[[CLASS]], %[[FIRST]]
  // CHECK: %[[SECOND:.*]] = arith.constant 12 : i64
  // CHECK: arith.subi %[[CLASS]], %[[SECOND]]
  // CHECK: %[[NEARER:.*]] = arith.cmpi sle
  // CHECK: %[[CHOICE:.*]] = arith.select %[[NEARER]], {{.*}} : index
  // CHECK: scf.index_switch %[[CHOICE]]
  // CHECK: gpu.launch_func @kernels::@p_0
  // CHECK: gpu.launch_func @kernels::@p_1
  // CHECK-NOT: gpu.launch_func
  // A rule without targets is for all.
  // CPU-LABEL: func @unknown
  // CPU-NOT: scf.index_switch
  // CPU: gpu.launch_func @kernels::@p_1
  func.func @unknown(%m: memref<?xf32>, %n: index) {
    %one = arith.constant 1 : index
    %i = tile.choose "p"(%n) among [{n = 0}, {n = 1}, {n = 2}]
      rules [#tile.tuned<candidate = 0, targets = ["gpu"], sizes = [60]>,
             #tile.tuned<candidate = 1, targets = [], sizes = [4096]>,
             #tile.tuned<candidate = 2, targets = ["sm_90a"], sizes = [4096]>]
    scf.index_switch %i
    case 0 {
      gpu.launch_func @kernels::@p_0 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<?xf32>)
      scf.yield
    }
    case 1 {
      gpu.launch_func @kernels::@p_1 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<?xf32>)
      scf.yield
    }
    case 2 {
      gpu.launch_func @kernels::@p_2 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<?xf32>)
      scf.yield
    }
    default {
    }
    return
  }
  // A measured launch is timed, except where it becomes part of a captured graph.
  // CHECK-LABEL: func @measured
  // CHECK: call @lispier_rt_tune_size
  // CHECK: call @lispier_rt_tune_begin
  // CHECK: gpu.launch_func
  // CHECK: call @lispier_rt_tune_end
  func.func @measured(%m: memref<?xf32>, %n: index) {
    %one = arith.constant 1 : index
    %i = tile.choose "p"(%n) among [{n = 0}] measured 3
    scf.index_switch %i
    case 0 {
      gpu.launch_func @kernels::@p_0 blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<?xf32>)
      scf.yield
    }
    default {
    }
    return
  }
}
