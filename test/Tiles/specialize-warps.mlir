// RUN: lispier-opt %s -split-input-file -lispier-specialize-warps | FileCheck %s

#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d1, d2)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#product = {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"],
            kind = #vector.kind<add>}
module attributes {gpu.container_module, device.target = "cuda:sm_90a"} {
  // The launch has as many blocks as multiprocessors at most, and passes the grid's size where it is not 1.
  // CHECK-LABEL: func.func @main
  // CHECK: %[[ALL:.*]] = arith.muli %[[X:.*]], %[[Y:.*]] : index
  // CHECK: %[[BLOCKS:.*]] = arith.minui %[[ALL]], %c132
  // CHECK: gpu.launch_func @kernels::@product blocks in (%[[BLOCKS]], %c1{{.*}}, %c1{{.*}}) {{.*}}%[[X]] : index, %[[Y]] : index)
  func.func @main(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>, %s: memref<?xf32>, %x: index, %y: index) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%x, %y, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?x?xbf16>, %b : memref<?x?xbf16>, %c : memref<?x?xbf16>)
    gpu.launch_func @kernels::@writes_to_a_loop blocks in (%x, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?x?xbf16>, %b : memref<?x?xbf16>, %c : memref<?x?xbf16>)
    gpu.launch_func @kernels::@beside blocks in (%x, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?x?xbf16>, %b : memref<?x?xbf16>, %s : memref<?xf32>, %b : memref<?x?xbf16>, %c : memref<?x?xbf16>)
    gpu.launch_func @kernels::@moves blocks in (%x, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?x?xbf16>, %b : memref<?x?xbf16>, %c : memref<?x?xbf16>)
    gpu.launch_func @kernels::@unaligned blocks in (%x, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?x?xbf16>, %b : memref<?x?xbf16>, %c : memref<?x?xbf16>)
    return
  }
  gpu.module @kernels {
    // A step of the lane that copies, and one of the warps that multiply, which releases what the step before has read. Both
    // count fills from tile to tile.
    // CHECK-LABEL: gpu.func @product
    // CHECK-SAME: %[[GX:[a-z0-9]+]]: index, %[[GY:[a-z0-9]+]]: index) workgroup(%[[A:.*]] : memref<4x128x64xbf16, {{.*}}>, %[[B:.*]] : memref<4x256x64xbf16, {{.*}}>, %[[BUFFERS:.*]] : memref<2x128x64xbf16, {{.*}}>, %[[RING:.*]] : memref<2x4xi64
    // CHECK: tile.roles %[[RING]]
    // CHECK-SAME: produce {
    // CHECK: %[[FIRST:.*]] = gpu.block_id x
    // CHECK: %[[STEP:.*]] = gpu.grid_dim x
    // CHECK: scf.for %[[TILE:.*]] = %[[FIRST]] to %{{.*}} step %[[STEP]] iter_args(%[[N0:.*]] = %c0_i32) -> (i32)
    // CHECK: arith.remui %[[TILE]], %[[GX]]
    // CHECK: %[[COPIED:.*]] = scf.for %[[K:.*]] = {{.*}} iter_args(%[[N:.*]] = %[[N0]]) -> (i32)
    // CHECK: tile.vacant %[[RING]][%[[N]]], 49152, 1
    // CHECK-NEXT: tile.fill %arg0[%{{.*}}, %[[K]]] to %[[A]], %[[RING]][%[[N]]]
    // CHECK-NEXT: tile.fill %arg1[%{{.*}}, %[[K]]] to %[[B]], %[[RING]][%[[N]]]
    // CHECK: scf.yield %[[COPIED]] : i32
    // CHECK: consume {
    // CHECK: %[[SUMS:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}) -> (vector<128x256xf32>, i32)
    // CHECK: tile.filled %[[RING]][%[[N]]]
    // CHECK: arith.remui %[[N]], %c4_i32
    // CHECK: vector.transfer_read %[[A]]
    // CHECK: vector.transfer_read %[[B]]
    // CHECK: vector.contract {{.*}} %[[ACC]] {tile.in_flight}
    // CHECK-NEXT: tile.release %[[RING]][%[[N]]], 1
    // CHECK: tile.vacate %[[BUFFERS]], 1
    // CHECK-NEXT: %[[PIECE:.*]] = vector.extract_strided_slice %[[SUMS]]#0 {offsets = [0, 0], sizes = [128, 16], strides = [1, 1]}
    // CHECK-NEXT: %[[ROUNDED:.*]] = arith.truncf %[[PIECE]]
    // CHECK-NEXT: tile.stage %[[ROUNDED]] to %[[BUFFERS]][0] at 0
    // CHECK: tile.drain %[[BUFFERS]][0] to %arg2[%{{.*}}, %{{.*}}]
    // CHECK: tile.drain %[[BUFFERS]][1] to %arg2[
    // CHECK: tile.drain %[[BUFFERS]][0] to %arg2[
    // CHECK: tile.drain %[[BUFFERS]][1] to %arg2[
    // CHECK: scf.yield %[[SUMS]]#1 : i32
    // CHECK: tile.drained 0 written
    gpu.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>) kernel
        attributes {tile.program = #tile.program<warps = 8, stages = 4, ring = true>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %c256 = arith.constant 256 : index
      %zero = arith.constant 0.0 : bf16
      %none = arith.constant dense<0.0> : vector<128x256xf32>
      %x = gpu.block_id x
      %i = arith.muli %x, %c128 : index
      %y = gpu.block_id y
      %j = arith.muli %y, %c256 : index
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      %sums = scf.for %l = %c0 to %k step %c64 iter_args(%acc = %none) -> vector<128x256xf32> {
        %s = vector.transfer_read %a[%i, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<128x64xbf16>
        %t = vector.transfer_read %b[%j, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<256x64xbf16>
        %d = vector.contract #product %s, %t, %acc : vector<128x64xbf16>, vector<256x64xbf16> into vector<128x256xf32>
        scf.yield %d : vector<128x256xf32>
      }
      %rounded = arith.truncf %sums : vector<128x256xf32> to vector<128x256xbf16>
      vector.transfer_write %rounded, %c[%i, %j] {tile.vector = 8 : i64} : vector<128x256xbf16>, memref<?x?xbf16>
      gpu.return
    }

    // A bias, a residual, and two results, which share the buffers, 16 columns after the other: the first is staged while
    // the second is computed.
    // CHECK-LABEL: gpu.func @beside
    // CHECK: consume {
    // CHECK: %[[SUMS:.*]]:2 = scf.for
    // CHECK: tile.vacate %{{.*}}, 1
    // CHECK: %[[SHIFT:.*]] = vector.transfer_read %arg2[%{{.*}}], {{.*}}vector<16xf32>
    // CHECK: vector.broadcast %[[SHIFT]] : vector<16xf32> to vector<128x16xf32>
    // CHECK: tile.stage %{{.*}}[0] at 0
    // CHECK: vector.transfer_read %arg3[{{.*}}vector<128x16xbf16>
    // CHECK: %[[AT:.*]] = arith.addi %{{.*}}, %c16
    // CHECK-NEXT: vector.transfer_read %arg2[%[[AT]]]
    // CHECK-COUNT-3: tile.stage %{{.*}}[0] at
    // CHECK: tile.drain %{{.*}}[0] to %arg4[
    // CHECK: tile.vacate %{{.*}}, 1
    // CHECK-COUNT-4: tile.stage %{{.*}}[1] at
    // CHECK: tile.drain %{{.*}}[1] to %arg3[
    // CHECK: tile.drained 0 written
    gpu.func @beside(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %shift: memref<?xf32>, %x: memref<?x?xbf16>,
                     %c: memref<?x?xbf16>) kernel
        attributes {tile.program = #tile.program<warps = 8, stages = 4, ring = true>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %c128 = arith.constant 128 : index
      %zero = arith.constant 0.0 : bf16
      %wide = arith.constant 0.0 : f32
      %none = arith.constant dense<0.0> : vector<128x128xf32>
      %block = gpu.block_id x
      %j = arith.muli %block, %c128 : index
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      %sums = scf.for %l = %c0 to %k step %c64 iter_args(%acc = %none) -> vector<128x128xf32> {
        %s = vector.transfer_read %a[%c0, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<128x64xbf16>
        %t = vector.transfer_read %b[%j, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<128x64xbf16>
        %d = vector.contract #product %s, %t, %acc : vector<128x64xbf16>, vector<128x64xbf16> into vector<128x128xf32>
        scf.yield %d : vector<128x128xf32>
      }
      %row = vector.transfer_read %shift[%j], %wide {tile.vector = 4 : i64} : memref<?xf32>, vector<128xf32>
      %rows = vector.broadcast %row : vector<128xf32> to vector<128x128xf32>
      %shifted = arith.addf %sums, %rows : vector<128x128xf32>
      %kept = arith.truncf %shifted : vector<128x128xf32> to vector<128x128xbf16>
      %old = vector.transfer_read %x[%c0, %j], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<128x128xbf16>
      %sum = arith.addf %kept, %old : vector<128x128xbf16>
      vector.transfer_write %kept, %c[%c0, %j] {tile.vector = 8 : i64} : vector<128x128xbf16>, memref<?x?xbf16>
      vector.transfer_write %sum, %x[%c0, %j] {tile.vector = 8 : i64} : vector<128x128xbf16>, memref<?x?xbf16>
      gpu.return
    }

    // Columns of memory that others of the tile replace are not read piece by piece.
    // CHECK-LABEL: gpu.func @moves
    // CHECK-NOT: tile.roles
    gpu.func @moves(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>) kernel
        attributes {tile.program = #tile.program<warps = 4, stages = 4, ring = true>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant 0.0 : bf16
      %none = arith.constant dense<0.0> : vector<64x64xf32>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      %sums = scf.for %l = %c0 to %k step %c64 iter_args(%acc = %none) -> vector<64x64xf32> {
        %s = vector.transfer_read %a[%c0, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<64x64xbf16>
        %t = vector.transfer_read %b[%c0, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<64x64xbf16>
        %d = vector.contract #product %s, %t, %acc : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
        scf.yield %d : vector<64x64xf32>
      }
      %rounded = arith.truncf %sums : vector<64x64xf32> to vector<64x64xbf16>
      %old = vector.transfer_read %c[%c0, %c64], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<64x64xbf16>
      %sum = arith.addf %rounded, %old : vector<64x64xbf16>
      vector.transfer_write %sum, %c[%c0, %c0] {tile.vector = 8 : i64} : vector<64x64xbf16>, memref<?x?xbf16>
      gpu.return
    }

    // A loop that does more than to multiply, and rows at any address, are left to lispier-pipeline-tiles.
    // CHECK-LABEL: gpu.func @writes_to_a_loop
    // CHECK-NOT: tile.roles
    gpu.func @writes_to_a_loop(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>) kernel
        attributes {tile.program = #tile.program<warps = 4, stages = 4, ring = true>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant 0.0 : bf16
      %none = arith.constant dense<0.0> : vector<64x64xf32>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      %sums = scf.for %l = %c0 to %k step %c64 iter_args(%acc = %none) -> vector<64x64xf32> {
        %s = vector.transfer_read %a[%c0, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<64x64xbf16>
        %t = vector.transfer_read %b[%c0, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<64x64xbf16>
        %d = vector.contract #product %s, %t, %acc : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
        vector.transfer_write %s, %c[%c0, %l] {tile.vector = 8 : i64} : vector<64x64xbf16>, memref<?x?xbf16>
        scf.yield %d : vector<64x64xf32>
      }
      gpu.return
    }

    // CHECK-LABEL: gpu.func @unaligned
    // CHECK-NOT: tile.roles
    gpu.func @unaligned(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xbf16>) kernel
        attributes {tile.program = #tile.program<warps = 4, stages = 4, ring = true>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %zero = arith.constant 0.0 : bf16
      %none = arith.constant dense<0.0> : vector<64x64xf32>
      %k = memref.dim %a, %c1 : memref<?x?xbf16>
      %sums = scf.for %l = %c0 to %k step %c64 iter_args(%acc = %none) -> vector<64x64xf32> {
        %s = vector.transfer_read %a[%c0, %l], %zero {tile.vector = 1 : i64} : memref<?x?xbf16>, vector<64x64xbf16>
        %t = vector.transfer_read %b[%c0, %l], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<64x64xbf16>
        %d = vector.contract #product %s, %t, %acc : vector<64x64xbf16>, vector<64x64xbf16> into vector<64x64xf32>
        scf.yield %d : vector<64x64xf32>
      }
      gpu.return
    }
  }
}
