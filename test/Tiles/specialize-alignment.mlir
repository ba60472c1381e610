// RUN: lispier-opt %s -lispier-specialize-alignment -canonicalize | FileCheck %s
// RUN: lispier-opt %s -lispier-specialize-alignment -lispier-specialize-alignment -canonicalize | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Columns are multiples of 32, so that vectors of 8 are at multiples of 16 bytes if the rows are.
    // CHECK: gpu.func @copy(
    // CHECK: vector.transfer_read {{.*}}tile.vector = 8 : i64
    // CHECK: vector.transfer_write {{.*}}tile.vector = 8 : i64
    // CHECK: gpu.func @copy_unaligned(
    // CHECK: vector.transfer_read {{.*}}tile.vector = 1 : i64
    // CHECK: vector.transfer_write {{.*}}tile.vector = 1 : i64
    gpu.func @copy(%x: memref<?x?xbf16>, %y: memref<?x?xbf16, strided<[?, 1]>>) kernel attributes {tile.program = #tile.program<>} {
      %i = gpu.block_id x
      %k = gpu.block_id y
      %c32 = arith.constant 32 : index
      %j = arith.muli %k, %c32 : index
      %p = arith.constant 0.0 : bf16
      %v = vector.transfer_read %x[%i, %j], %p : memref<?x?xbf16>, vector<1x64xbf16>
      vector.transfer_write %v, %y[%i, %j] : vector<1x64xbf16>, memref<?x?xbf16, strided<[?, 1]>>
      gpu.return
    }
    // Nothing is known of the index, of the size 37, of an inner stride: one kernel.
    // CHECK: gpu.func @anywhere(
    // CHECK-NOT: tile.vector
    // CHECK-NOT: gpu.func
    gpu.func @anywhere(%x: memref<?xf32>, %y: memref<?x37xf32>, %z: memref<?x?xf32, strided<[1, ?]>>, %i: index) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%i], %p : memref<?xf32>, vector<32xf32>
      %w = vector.transfer_read %y[%i, %c0], %p : memref<?x37xf32>, vector<1x32xf32>
      vector.transfer_write %v, %z[%c0, %c0] : vector<32xf32>, memref<?x?xf32, strided<[1, ?]>>
      vector.transfer_write %w, %z[%c0, %c0] : vector<1x32xf32>, memref<?x?xf32, strided<[1, ?]>>
      gpu.return
    }
    // One of two alternatives has no form for other memory.
    // CHECK: gpu.func @copy_more(
    // CHECK: vector.transfer_read {{.*}}tile.vector = 8 : i64
    // CHECK-NOT: gpu.func
    gpu.func @copy_more(%x: memref<?x?xbf16>, %y: memref<?x?xbf16, strided<[?, 1]>>) kernel attributes {tile.aligned_alone, tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : bf16
      %v = vector.transfer_read %x[%c0, %c0], %p : memref<?x?xbf16>, vector<2x64xbf16>
      vector.transfer_write %v, %y[%c0, %c0] : vector<2x64xbf16>, memref<?x?xbf16, strided<[?, 1]>>
      gpu.return
    }
  }
  // The address in bytes, the size and the stride in elements.
  // CHECK-LABEL: func.func @launch(
  // CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
  // CHECK-DAG: %[[C15:.*]] = arith.constant 15 : index
  // CHECK: memref.extract_aligned_pointer_as_index %[[X:.*]] :
  // CHECK: arith.andi %{{.*}}, %[[C15]]
  // CHECK: memref.dim %[[X]], %c1
  // CHECK: arith.andi %{{.*}}, %[[C7]]
  // CHECK: %[[TEST:.*]] = arith.cmpi eq, %{{.*}}, %c0
  // CHECK: scf.if %[[TEST]] {
  // CHECK-NEXT: gpu.launch_func @kernels::@copy
  // CHECK: } else {
  // CHECK-NEXT: gpu.launch_func @kernels::@copy_unaligned
  func.func @launch(%x: memref<?x?xbf16>, %y: memref<?x?xbf16, strided<[?, 1]>>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?x?xbf16>, %y : memref<?x?xbf16, strided<[?, 1]>>)
    return
  }
  // CHECK-LABEL: func.func @launch_more(
  // CHECK-SAME: %[[LARGE:[a-z0-9]+]]: i1
  // CHECK: %[[TEST:.*]] = arith.cmpi eq, %{{.*}}, %c0
  // CHECK: %[[BOTH:.*]] = arith.andi %[[LARGE]], %[[TEST]] : i1
  // CHECK: scf.if %[[BOTH]] {
  // CHECK-NEXT: gpu.launch_func @kernels::@copy_more
  // CHECK-NEXT: } else {
  // CHECK-NOT: @copy_more
  // CHECK: gpu.launch_func @kernels::@copy_unaligned
  func.func @launch_more(%large: i1, %x: memref<?x?xbf16>, %y: memref<?x?xbf16, strided<[?, 1]>>) {
    %c1 = arith.constant 1 : index
    scf.if %large {
      gpu.launch_func @kernels::@copy_more blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?x?xbf16>, %y : memref<?x?xbf16, strided<[?, 1]>>)
    } else {
      gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?x?xbf16>, %y : memref<?x?xbf16, strided<[?, 1]>>)
    }
    return
  }
}
