// RUN: lispier-opt %s -lispier-lay-out-tiles -lispier-distribute-tiles -canonicalize -cse | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {gpu.container_module, device.target = "cuda:sm_80"} {
  gpu.module @kernels {
    // A step of k is read when the steps before are multiplied; what the loop's barrier orders stays behind it.
    // CHECK-LABEL: gpu.func @steps
    // CHECK: gpu.barrier
    // CHECK: tile.load_matrix
    // CHECK: tile.mma
    // CHECK: tile.load_matrix
    // CHECK: tile.mma
    // CHECK: gpu.return
    gpu.func @steps(%c: memref<?x?xf32>) workgroup(%sa: memref<1x16x32xbf16, #gpu.address_space<workgroup>>, %sb: memref<1x8x32xbf16, #gpu.address_space<workgroup>>) kernel attributes {tile.program = #tile.program<warps = 1>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : bf16
      %z = arith.constant dense<0.0> : vector<16x8xf32>
      gpu.barrier
      %av = vector.transfer_read %sa[%c0, %c0, %c0], %zero {in_bounds = [true, true]} : memref<1x16x32xbf16, #gpu.address_space<workgroup>>, vector<16x32xbf16>
      %bv = vector.transfer_read %sb[%c0, %c0, %c0], %zero {in_bounds = [true, true]} : memref<1x8x32xbf16, #gpu.address_space<workgroup>>, vector<8x32xbf16>
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %bv, %z : vector<16x32xbf16>, vector<8x32xbf16> into vector<16x8xf32>
      vector.transfer_write %d, %c[%c0, %c0] : vector<16x8xf32>, memref<?x?xf32>
      gpu.return
    }
    // A barrier of the program stays between what is before and behind it.
    // CHECK-LABEL: gpu.func @ordered
    // CHECK-COUNT-2: tile.load_matrix
    // CHECK: gpu.barrier
    // CHECK-NOT: tile.load_matrix
    // CHECK: tile.mma
    gpu.func @ordered(%c: memref<?x?xf32>) workgroup(%sa: memref<1x16x32xbf16, #gpu.address_space<workgroup>>) kernel attributes {tile.program = #tile.program<warps = 1>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : bf16
      %z = arith.constant dense<0.0> : vector<16x8xf32>
      %ones = arith.constant dense<1.0> : vector<8x32xbf16>
      %av = vector.transfer_read %sa[%c0, %c0, %c0], %zero {in_bounds = [true, true]} : memref<1x16x32xbf16, #gpu.address_space<workgroup>>, vector<16x32xbf16>
      gpu.barrier
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %ones, %z : vector<16x32xbf16>, vector<8x32xbf16> into vector<16x8xf32>
      vector.transfer_write %d, %c[%c0, %c0] : vector<16x8xf32>, memref<?x?xf32>
      gpu.return
    }
    // Nor do reads move past a write of what they read, by whatever name.
    // CHECK-LABEL: gpu.func @renamed
    // CHECK-COUNT-2: tile.load_matrix
    // CHECK: tile.copy_async
    // CHECK-NOT: tile.load_matrix
    // CHECK: tile.mma
    gpu.func @renamed(%a: memref<?x?xbf16>, %c: memref<?x?xf32>) workgroup(%sa: memref<1x16x32xbf16, #gpu.address_space<workgroup>>) kernel attributes {tile.program = #tile.program<warps = 1>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : bf16
      %z = arith.constant dense<0.0> : vector<16x8xf32>
      %ones = arith.constant dense<1.0> : vector<8x32xbf16>
      %av = vector.transfer_read %sa[%c0, %c0, %c0], %zero {in_bounds = [true, true]} : memref<1x16x32xbf16, #gpu.address_space<workgroup>>, vector<16x32xbf16>
      %next = vector.transfer_read %a[%c0, %c0], %zero {tile.vector = 8 : i64} : memref<?x?xbf16>, vector<16x32xbf16>
      vector.transfer_write %next, %sa[%c0, %c0, %c0] {in_bounds = [true, true]} : vector<16x32xbf16>, memref<1x16x32xbf16, #gpu.address_space<workgroup>>
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %ones, %z : vector<16x32xbf16>, vector<8x32xbf16> into vector<16x8xf32>
      vector.transfer_write %d, %c[%c0, %c0] : vector<16x8xf32>, memref<?x?xf32>
      gpu.return
    }
    // Both products make a step of k before either makes the next one.
    // CHECK-LABEL: gpu.func @chain
    // CHECK: %[[P0:.*]] = tile.mma %{{[0-9a-z_]+}}, %[[B0:[0-9]+]],
    // CHECK: %[[Q0:.*]] = tile.mma %{{[0-9a-z_]+}}, %[[B0]], %[[P0]]
    // CHECK: %[[P1:.*]] = tile.mma %{{[0-9a-z_]+}}, %[[B1:[0-9]+]], %[[Q0]]
    // CHECK: tile.mma %{{[0-9a-z_]+}}, %[[B1]], %[[P1]]
    gpu.func @chain(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<warps = 1>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : bf16
      %z = arith.constant dense<0.0> : vector<16x8xf32>
      %ones = arith.constant dense<1.0> : vector<16x32xbf16>
      %av = vector.transfer_read %a[%c0, %c0], %zero : memref<?x?xbf16>, vector<16x32xbf16>
      %bv = vector.transfer_read %b[%c0, %c0], %zero : memref<?x?xbf16>, vector<8x32xbf16>
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %bv, %z : vector<16x32xbf16>, vector<8x32xbf16> into vector<16x8xf32>
      %e = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %ones, %bv, %d : vector<16x32xbf16>, vector<8x32xbf16> into vector<16x8xf32>
      vector.transfer_write %e, %c[%c0, %c0] : vector<16x8xf32>, memref<?x?xf32>
      gpu.return
    }
  }
}
