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

// -----

module attributes {device.target = "cuda:sm_80"} {
  gpu.module @kernels {
    gpu.func @k(%m: memref<4xf128>, %n: memref<4xf32>, %o: memref<4xi0>, %i: index) kernel {
      %x = memref.load %m[%i] : memref<4xf128>
      // expected-error @below {{op `arith.addf` cannot compute with 'f128' on cuda; f64 is the widest there}}
      %y = arith.addf %x, %x : f128
      // expected-error @below {{op `arith.truncf` cannot compute with 'f128' on cuda}}
      %z = arith.truncf %x : f128 to f64
      memref.store %x, %m[%i] : memref<4xf128>
      // expected-error @below {{a value of type 'vector<[4]xf32>' cannot be made: GPUs have no scalable vectors}}
      %v = vector.load %n[%i] : memref<4xf32>, vector<[4]xf32>
      vector.store %v, %n[%i] : memref<4xf32>, vector<[4]xf32>
      // expected-error @below {{a value of type 'i0' cannot be made: it has no bits}}
      %b = memref.load %o[%i] : memref<4xi0>
      gpu.return
    }
  }
}
