// RUN: lispier-opt %s -lispier-emit-gpu='target=cuda:sm_80 format=ptx output=%t' -split-input-file -verify-diagnostics -o /dev/null
// RUN: not lispier-opt %s -split-input-file -lispier-emit-gpu='target=cuda:sm_80 format=cubin ptxas=/nowhere/ptxas output=%t' -o /dev/null 2>&1 | FileCheck %s --check-prefix=TOOL

// TOOL: error: /nowhere/ptxas failed: {{.*}}No such file or directory
gpu.module @fine {
  gpu.func @k(%a: memref<32xf32>, %x: f32) kernel {
    %i = gpu.thread_id x
    memref.store %x, %a[%i] : memref<32xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @remainder(%a: memref<32xf64>) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<32xf64>
    // expected-error @below {{kernel calls __nv_fmod, which only the vendor's device library has; write it in terms of other operations}}
    %y = arith.remf %x, %x : f64
    memref.store %y, %a[%i] : memref<32xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @foreign() kernel {
    // expected-error @below {{op `rocdl.s.barrier` is of another vendor's GPUs, not of cuda}}
    rocdl.s.barrier
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @clusters(%a: memref<32xindex>) kernel {
    // expected-error @below {{op `gpu.cluster_id` needs clusters of blocks, which sm_80 does not have}}
    %i = gpu.cluster_id x
    memref.store %i, %a[%i] : memref<32xindex>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{kernel threads has 2048 threads in a block; sm_80 allows 1024}}
  gpu.func @threads() kernel attributes {known_block_size = array<i32: 1024, 2, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{kernel shared has 65536 bytes of static shared memory; sm_80 allows 49152, and up to 166912 as dynamic shared memory}}
  gpu.func @shared(%x: f32) workgroup(%s: memref<16384xf32, #gpu.address_space<workgroup>>) kernel {
    %i = gpu.thread_id x
    memref.store %x, %s[%i] : memref<16384xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @below {{kernel name forward-f32 has characters that no assembler takes}}
  gpu.func @"forward-f32"() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @newer() kernel {
    // expected-error @below {{op `nvvm.wgmma.fence.aligned` needs sm_90a, and the target is sm_80}}
    nvvm.wgmma.fence.aligned
    // expected-error @below {{op `nvvm.cluster.wait` needs sm_90 or newer, and the target is sm_80}}
    nvvm.cluster.wait
    // expected-error @below {{op `nvvm.griddepcontrol` needs sm_90 or newer, and the target is sm_80}}
    nvvm.griddepcontrol wait
    gpu.return
  }
}
