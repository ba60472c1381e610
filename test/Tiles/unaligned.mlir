// RUN: lispier-opt %s -lispier-lay-out-tiles -canonicalize | FileCheck %s --check-prefix=LAYOUT
// RUN: lispier-opt %s -lispier-lay-out-tiles -lispier-distribute-tiles -canonicalize -cse | FileCheck %s --check-prefix=THREAD

// Of the two kernels that lispier-specialize-alignment makes, the one for rows that are not aligned, whose transfers
// have `tile.vector = 1`, is less code.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

module attributes {device.target = "cuda:sm_80"} {
  gpu.module @kernels {
    // The result of a product, of which a thread has two neighbours, is moved between threads to be written in vectors.
    // LAYOUT-LABEL: gpu.func @aligned
    // LAYOUT: %[[SUM:.*]] = arith.truncf
    // LAYOUT: %[[ROWS:.*]] = tile.convert %[[SUM]]
    // LAYOUT: vector.transfer_write %[[ROWS]]
    gpu.func @aligned(%x: memref<16x16xbf16>, %w: memref<32x16xbf16>, %y: memref<?x?xbf16>)
        kernel attributes {tile.program = #tile.program<warps = 1>} {
      %zero = arith.constant 0 : index
      %p = arith.constant 0.0 : bf16
      %zeros = arith.constant dense<0.0> : vector<16x32xf32>
      %l = vector.transfer_read %x[%zero, %zero], %p {tile.vector = 8 : i64, in_bounds = [true, true]} : memref<16x16xbf16>, vector<16x16xbf16>
      %r = vector.transfer_read %w[%zero, %zero], %p {tile.vector = 8 : i64, in_bounds = [true, true]} : memref<32x16xbf16>, vector<32x16xbf16>
      %sum = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %zeros : vector<16x16xbf16>, vector<32x16xbf16> into vector<16x32xf32>
      %narrow = arith.truncf %sum : vector<16x32xf32> to vector<16x32xbf16>
      vector.transfer_write %narrow, %y[%zero, %zero] {tile.vector = 8 : i64} : vector<16x32xbf16>, memref<?x?xbf16>
      gpu.return
    }
    // Element by element it is written from where it is.
    // LAYOUT-LABEL: gpu.func @unaligned
    // LAYOUT: %[[SUM:.*]] = arith.truncf
    // LAYOUT-NEXT: vector.transfer_write %[[SUM]]
    gpu.func @unaligned(%x: memref<16x16xbf16>, %w: memref<32x16xbf16>, %y: memref<?x?xbf16>)
        kernel attributes {tile.program = #tile.program<warps = 1>} {
      %zero = arith.constant 0 : index
      %p = arith.constant 0.0 : bf16
      %zeros = arith.constant dense<0.0> : vector<16x32xf32>
      %l = vector.transfer_read %x[%zero, %zero], %p {tile.vector = 8 : i64, in_bounds = [true, true]} : memref<16x16xbf16>, vector<16x16xbf16>
      %r = vector.transfer_read %w[%zero, %zero], %p {tile.vector = 8 : i64, in_bounds = [true, true]} : memref<32x16xbf16>, vector<32x16xbf16>
      %sum = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %zeros : vector<16x16xbf16>, vector<32x16xbf16> into vector<16x32xf32>
      %narrow = arith.truncf %sum : vector<16x32xf32> to vector<16x32xbf16>
      vector.transfer_write %narrow, %y[%zero, %zero] {tile.vector = 1 : i64} : vector<16x32xbf16>, memref<?x?xbf16>
      gpu.return
    }
    // Two elements a thread. Outside of loops each access has its test, and there is no code without tests for tiles
    // that are inside; in loops there is.
    // THREAD-LABEL: gpu.func @once
    // THREAD-NOT: arith.cmpi sle
    // THREAD-COUNT-2: memref.load
    // THREAD-NOT: memref.load
    // THREAD: scf.for
    // THREAD: arith.cmpi sle
    // THREAD-COUNT-2: memref.store
    // THREAD: arith.xori
    // THREAD-COUNT-2: memref.store
    // THREAD-NOT: memref.store
    // THREAD: gpu.return
    gpu.func @once(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) kernel attributes {tile.program = #tile.program<warps = 1>} {
      %zero = arith.constant 0 : index
      %step = arith.constant 64 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%zero], %p {tile.vector = 1 : i64} : memref<?xf32>, vector<64xf32>
      scf.for %i = %zero to %n step %step {
        vector.transfer_write %v, %y[%i] {tile.vector = 1 : i64} : vector<64xf32>, memref<?xf32>
      }
      gpu.return
    }
  }
}
