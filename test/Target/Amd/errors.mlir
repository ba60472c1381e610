// RUN: lispier-opt %s -lispier-emit-gpu='target=rocm:gfx1100 output=%t' -split-input-file -verify-diagnostics -o /dev/null

gpu.module @kernels {
  gpu.func @foreign() kernel {
    // expected-error @below {{op `nvvm.barrier0` is of another vendor's GPUs, not of rocm}}
    nvvm.barrier0
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{kernel shared has 131072 bytes of static shared memory; gfx1100 allows 65536}}
  gpu.func @shared(%x: f32) workgroup(%s: memref<32768xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    memref.store %x, %s[%i] : memref<32768xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @speak(%i: i32) kernel {
    // expected-error @below {{kernels cannot print on rocm; they can on sim, cpu and cuda}}
    gpu.printf "%d\n", %i : i32
    %yes = arith.constant true
    // expected-error @below {{kernels cannot assert on rocm; they can on sim, cpu and cuda}}
    cf.assert %yes, "yes"
    gpu.return
  }
}
