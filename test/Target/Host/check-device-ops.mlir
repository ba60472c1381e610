// RUN: lispier-opt %s -lispier-check-device-ops -split-input-file -verify-diagnostics

module attributes {device.target = "cuda:sm_80", gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%c: i1) kernel {
      // expected-error @below {{op `rocdl.s.barrier` is of another vendor's GPUs, not of cuda}}
      rocdl.s.barrier
      gpu.printf "fine"
      cf.assert %c, "fine"
      gpu.return
    }
  }
  func.func @host(%one: index, %c: i1) {
    // expected-error @below {{launches clusters of blocks, which sm_80 does not have}}
    gpu.launch_func @kernels::@k clusters in (%one, %one, %one) blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%c : i1)
    return
  }
}

// -----

module attributes {device.target = "rocm:gfx942"} {
  gpu.module @kernels {
    gpu.func @k(%c: i1) kernel {
      // expected-error @below {{kernels cannot print on rocm; they can on sim, cpu and cuda}}
      gpu.printf "no"
      // expected-error @below {{kernels cannot assert on rocm; they can on sim, cpu and cuda}}
      cf.assert %c, "no"
      gpu.return
    }
  }
  func.func @host(%c: i1) {
    cf.assert %c, "the host can"
    return
  }
}
