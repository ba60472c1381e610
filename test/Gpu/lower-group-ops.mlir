// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-lower-group-ops,cse))' -split-input-file -verify-diagnostics | FileCheck %s
// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-lower-group-ops{warp-width=64},cse))' -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=WIDE
// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-lower-group-ops{masks=true},cse))' -split-input-file -verify-diagnostics | FileCheck %s --check-prefix=MASKS

// As many steps as the warp has bits, each over its whole width.
// CHECK-LABEL: gpu.func @warp
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.return
// WIDE-LABEL: gpu.func @warp
// WIDE: %[[WIDTH:.*]] = arith.constant 64 : i32
// WIDE-COUNT-6: gpu.shuffle xor {{.*}}, %[[WIDTH]]
// WIDE-NOT: gpu.shuffle
// WIDE: gpu.return
gpu.module @m {
  gpu.func @warp(%a: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    %s = gpu.subgroup_reduce add %x : (f32) -> f32
    memref.store %s, %a[%i] : memref<64xf32>
    gpu.return
  }
}

// -----

// Full warps, so there is no check for missing lanes: 8 parts of 32 lanes, or 4 of 64, each summed by shuffles again.
// CHECK-LABEL: gpu.func @block
// CHECK-SAME: workgroup(%[[PARTS:.*]] : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %[[PARTS]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[PARTS]]
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
// WIDE-LABEL: gpu.func @block
// WIDE-SAME: memref<4xf32, #gpu.address_space<workgroup>>
// WIDE-COUNT-8: gpu.shuffle xor
// WIDE-NOT: gpu.shuffle
// WIDE: gpu.return
gpu.module @m {
  gpu.func @block(%a: memref<256xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<256xf32>
    %s = gpu.all_reduce maxnumf %x {} : (f32) -> f32
    memref.store %s, %a[%i] : memref<256xf32>
    gpu.return
  }
}

// -----

// An unknown block may end in half a warp: a step takes what exists; the parts are counted at run time.
// In a loop the last reader must be waited for.
// CHECK-LABEL: gpu.func @unknown_block
// CHECK-SAME: memref<32xi32, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK-COUNT-5: arith.select
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.maxsi
// CHECK: gpu.barrier
gpu.module @m {
  gpu.func @unknown_block(%a: memref<256xi32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = gpu.thread_id x
    scf.for %k = %c0 to %n step %c1 {
      %x = memref.load %a[%i] : memref<256xi32>
      %s = gpu.all_reduce %x uniform {
      ^bb0(%p: i32, %q: i32):
        %r = arith.maxsi %p, %q : i32
        gpu.yield %r : i32
      } : (i32) -> i32
      memref.store %s, %a[%i] : memref<256xi32>
    }
    gpu.return
  }
}

// -----

// 64 bits travel as two halves.
// CHECK-LABEL: gpu.func @wide_element
// CHECK: arith.bitcast %{{.*}} : f64 to i64
// CHECK-COUNT-10: gpu.shuffle xor {{.*}} : i32
gpu.module @m {
  gpu.func @wide_element(%a: memref<64xf64>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf64>
    %s = gpu.subgroup_reduce add %x : (f64) -> f64
    memref.store %s, %a[%i] : memref<64xf64>
    gpu.return
  }
}

// -----

// CHECK-LABEL: gpu.func @questions
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 32 : index
// CHECK-NOT: gpu.subgroup
// CHECK-NOT: gpu.num_subgroups
// CHECK: memref.store %[[SIZE]]
// WIDE-LABEL: gpu.func @questions
// WIDE: arith.constant 64 : index
gpu.module @m {
  gpu.func @questions(%a: memref<3xindex>) kernel attributes {known_block_size = array<i32: 100, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %s = gpu.subgroup_size : index
    %i = gpu.subgroup_id : index
    %n = gpu.num_subgroups : index
    memref.store %s, %a[%c0] : memref<3xindex>
    memref.store %i, %a[%c1] : memref<3xindex>
    memref.store %n, %a[%c2] : memref<3xindex>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @divergent(%a: memref<64xf32>, %c: i1) kernel {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<64xf32>
    scf.if %c {
      // expected-error @below {{stands in control flow; mark it uniform if all threads of the block get there or none}}
      %s = gpu.all_reduce add %x {} : (f32) -> f32
      memref.store %s, %a[%i] : memref<64xf32>
    }
    gpu.return
  }
}

// -----

// Groups of eight lanes: each finds the lane that it reads, in its own group, and the whole warp shuffles.
// CHECK-LABEL: gpu.func @groups
// CHECK-DAG: %[[WARP:.*]] = arith.constant 32 : i32
// CHECK-DAG: %[[EIGHT:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: gpu.shuffle xor %{{.*}}, %[[TWO]], %[[WARP]]
// CHECK: %[[LANE:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[FIRST:.*]] = arith.andi %[[LANE]]
// CHECK: %[[FROM:.*]] = arith.addi %[[FIRST]], %[[TWO]]
// CHECK: gpu.shuffle idx %{{.*}}, %[[FROM]], %[[WARP]]
// CHECK: %[[BELOW:.*]] = arith.subi %[[LANE]], %[[TWO]]
// CHECK: %[[STEP:.*]] = arith.subi %[[BELOW]], %[[FIRST]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[STEP]], %[[EIGHT]]
// CHECK: %[[SOURCE:.*]] = arith.select %[[EXISTS]], %[[BELOW]], %[[LANE]]
// CHECK: gpu.shuffle idx %{{.*}}, %[[SOURCE]], %[[WARP]]
// CHECK-NOT: gpu.shuffle {{.*}}, %[[EIGHT]]
// CHECK: arith.extui %[[EXISTS]]
// A target that names the lanes of a group gets the groups as they are.
// MASKS-LABEL: gpu.func @groups
// MASKS-DAG: %[[EIGHT:.*]] = arith.constant 8 : i32
// MASKS-COUNT-3: gpu.shuffle {{.*}}, %[[EIGHT]] : i32
gpu.module @m {
  gpu.func @groups(%a: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %c2 = arith.constant 2 : i32
    %c8 = arith.constant 8 : i32
    %x = memref.load %a[%i] : memref<64xi32>
    %p, %pv = gpu.shuffle xor %x, %c2, %c8 : i32
    %q, %qv = gpu.shuffle idx %p, %c2, %c8 : i32
    %r, %rv = gpu.shuffle up %q, %c2, %c8 : i32
    %v = arith.extui %rv : i1 to i32
    %s = arith.addi %r, %v : i32
    memref.store %s, %a[%i] : memref<64xi32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @no_group(%a: memref<64xi32>) kernel {
    %i = gpu.thread_id x
    %c2 = arith.constant 2 : i32
    %c12 = arith.constant 12 : i32
    %x = memref.load %a[%i] : memref<64xi32>
    // expected-error @below {{is over 12 lanes; the width is a power of two up to}}
    %p, %pv = gpu.shuffle xor %x, %c2, %c12 : i32
    memref.store %p, %a[%i] : memref<64xi32>
    gpu.return
  }
}

// -----

// 40 threads: the second warp ends after 8 lanes of 32, or the first after 40 of 64. Each step takes what exists, and
// lane 0, which has the result, broadcasts it.
// CHECK-LABEL: gpu.func @part
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: arith.select
// CHECK: gpu.shuffle idx
// WIDE-LABEL: gpu.func @part
// WIDE-COUNT-6: gpu.shuffle xor
// WIDE: arith.select
// WIDE: gpu.shuffle idx
gpu.module @m {
  gpu.func @part(%a: memref<40xf32>) kernel attributes {known_block_size = array<i32: 40, 1, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<40xf32>
    %s = gpu.subgroup_reduce mul %x uniform : (f32) -> f32
    memref.store %s, %a[%i] : memref<40xf32>
    gpu.return
  }
}

// -----

// Eight threads reduce in three steps, in which every partner lane exists.
// CHECK-LABEL: gpu.func @few
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: arith.select
// CHECK: gpu.return
gpu.module @m {
  gpu.func @few(%a: memref<8xi8>) kernel attributes {known_block_size = array<i32: 4, 2, 1>} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<8xi8>
    %s = gpu.subgroup_reduce maxsi %x uniform : (i8) -> i8
    memref.store %s, %a[%i] : memref<8xi8>
    gpu.return
  }
}
