// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-overlap-tile-programs))" | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @hopper attributes {device.target = "cuda:sm_90a"} {
    // CHECK: gpu.func @program
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT: nvvm.griddepcontrol wait
    // CHECK-NEXT: gpu.return
    gpu.func @program() kernel attributes {tile.program = #tile.program<>} {
      gpu.return
    }
    // Other kernels say themselves when they wait; older chips, and the simulator, have no such launch.
    // CHECK-NOT: griddepcontrol
    gpu.func @threads() kernel {
      gpu.return
    }
  }
  gpu.module @ampere attributes {device.target = "cuda:sm_80"} {
    gpu.func @program() kernel attributes {tile.program = #tile.program<>} {
      gpu.return
    }
  }
}
