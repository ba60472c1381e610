// RUN: lispier-opt %s -lispier-share-memory -split-input-file | FileCheck %s

#ws = #gpu.address_space<workgroup>
gpu.module @kernels {
  // Written, read: a barrier between, also around the loop, where the next step writes what this one has read; and none
  // under a condition that threads have of their own.
  // CHECK-LABEL: gpu.func @loop
  // CHECK: scf.for
  // CHECK: gpu.barrier
  // CHECK-NEXT: scf.if
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @loop(%n: index, %p: i1, %v: f32, %out: memref<1xf32>) kernel attributes {tile.distributed} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.alloc() : memref<32xf32, #ws>
      scf.if %p {
        memref.store %v, %a[%c0] : memref<32xf32, #ws>
      }
      %w = memref.load %a[%c1] : memref<32xf32, #ws>
      memref.store %w, %out[%c0] : memref<1xf32>
    }
    gpu.return
  }

  // A branch of all threads may hold barriers; what it left unordered counts behind it.
  // CHECK-LABEL: gpu.func @branch
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  // CHECK: memref.store
  // CHECK: }
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  gpu.func @branch(%p: i1, %v: f32, %out: memref<1xf32>) kernel attributes {tile.distributed} {
    %c0 = arith.constant 0 : index
    %a = memref.alloc() : memref<32xf32, #ws>
    %b = memref.alloc() : memref<32xf32, #ws>
    scf.if %p {
      memref.store %v, %a[%c0] : memref<32xf32, #ws>
      %w = memref.load %a[%c0] : memref<32xf32, #ws>
      memref.store %w, %b[%c0] : memref<32xf32, #ws>
    } {tile.uniform}
    %w = memref.load %b[%c0] : memref<32xf32, #ws>
    memref.store %w, %out[%c0] : memref<1xf32>
    gpu.return
  }

  // Together they would have 40 KB: the second has the bytes of the first, whose readers it waits for.
  // CHECK-LABEL: gpu.func @reuse
  // CHECK: %[[B0:.*]] = arith.constant 0 : index
  // CHECK: memref.view %{{.*}}[%[[B0]]]
  // CHECK: %[[B1:.*]] = arith.constant 0 : index
  // CHECK: memref.view %{{.*}}[%[[B1]]]
  // CHECK: memref.store
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: %[[W:.*]] = memref.load
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.store %[[W]]
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load
  gpu.func @reuse(%v: f32, %out: memref<1xf32>) kernel attributes {tile.distributed} {
    %c0 = arith.constant 0 : index
    %a = memref.alloc() : memref<5120xf32, #ws>
    %b = memref.alloc() : memref<5120xf32, #ws>
    memref.store %v, %a[%c0] : memref<5120xf32, #ws>
    %w = memref.load %a[%c0] : memref<5120xf32, #ws>
    memref.store %w, %b[%c0] : memref<5120xf32, #ws>
    %u = memref.load %b[%c0] : memref<5120xf32, #ws>
    memref.store %u, %out[%c0] : memref<1xf32>
    gpu.return
  }
}
