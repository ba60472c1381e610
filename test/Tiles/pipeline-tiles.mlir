// RUN: lispier-opt %s -lispier-pipeline-tiles -canonicalize -cse | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @product
  // CHECK-SAME: workgroup(%[[SA:.*]] : memref<3x16x16xbf16, #gpu.address_space<workgroup>>, %[[SB:.*]] : memref<3x8x16xbf16, #gpu.address_space<workgroup>>)
  gpu.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>, %n: index) kernel attributes {tile.program = #tile.program<stages = 3>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : bf16
    %z = arith.constant dense<0.0> : vector<16x8xf32>
    // Two steps ahead of the loop, each if there is such a step.
    // CHECK: %[[ONE:.*]] = arith.cmpi sgt, %{{.*}}, %c0
    // CHECK: scf.if %[[ONE]] {
    // CHECK-NEXT: %[[TILE:.*]] = vector.transfer_read %{{.*}}[%c0, %c0]
    // CHECK-NEXT: vector.transfer_write %[[TILE]], %[[SA]][%c0, %c0, %c0]
    // CHECK: vector.transfer_write %{{.*}}, %[[SB]][%c0, %c0, %c0]
    // CHECK: tile.commit_copies
    // CHECK: %[[TWO:.*]] = arith.cmpi sgt, %{{.*}}, %c16
    // CHECK: scf.if %[[TWO]] {
    // CHECK: vector.transfer_write %{{.*}}, %[[SA]][%c1, %c0, %c0]
    // CHECK: tile.commit_copies
    // CHECK: scf.for
    // CHECK: tile.wait_copies 1
    // CHECK-NEXT: gpu.barrier
    // CHECK: scf.if
    // CHECK-NEXT: vector.transfer_read
    // CHECK-NEXT: vector.transfer_write
    // CHECK: scf.if
    // CHECK: tile.commit_copies
    // CHECK: %[[A:.*]] = vector.transfer_read %[[SA]]
    // CHECK: %[[B:.*]] = vector.transfer_read %[[SB]]
    // CHECK: vector.contract {{.*}} %[[A]], %[[B]]
    // CHECK-NOT: gpu.barrier
    // CHECK: scf.yield
    %r = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %z) -> (vector<16x8xf32>) {
      %av = vector.transfer_read %a[%c0, %k], %zero : memref<?x?xbf16>, vector<16x16xbf16>
      %bv = vector.transfer_read %b[%c0, %k], %zero : memref<?x?xbf16>, vector<8x16xbf16>
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %bv, %acc : vector<16x16xbf16>, vector<8x16xbf16> into vector<16x8xf32>
      scf.yield %d : vector<16x8xf32>
    }
    vector.transfer_write %r, %c[%c0, %c0] : vector<16x8xf32>, memref<?x?xf32>
    gpu.return
  }

  // A loop that writes global memory stays: the tile of a later step may be what this one writes. So does one whose
  // address depends on a carried value, a tile that is padded with another number than 0, and a program of one stage.
  // CHECK-LABEL: gpu.func @stay(
  // CHECK-NOT: tile.{{commit|wait}}
  // CHECK-NOT: workgroup
  // CHECK-LABEL: gpu.func @one
  // CHECK-NOT: tile.{{commit|wait}}
  gpu.func @stay(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>, %n: index) kernel attributes {tile.program = #tile.program<stages = 2>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : bf16
    %one = arith.constant 1.0 : bf16
    %z = arith.constant dense<0.0> : vector<16x8xf32>
    %bv = vector.transfer_read %b[%c0, %c0], %zero : memref<?x?xbf16>, vector<8x16xbf16>
    scf.for %k = %c0 to %n step %c16 {
      %av = vector.transfer_read %a[%c0, %k], %zero : memref<?x?xbf16>, vector<16x16xbf16>
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %bv, %z : vector<16x16xbf16>, vector<8x16xbf16> into vector<16x8xf32>
      vector.transfer_write %d, %c[%k, %c0] : vector<16x8xf32>, memref<?x?xf32>
    }
    %r:2 = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %z, %at = %c0) -> (vector<16x8xf32>, index) {
      %av = vector.transfer_read %a[%c0, %at], %zero : memref<?x?xbf16>, vector<16x16xbf16>
      %pv = vector.transfer_read %b[%c0, %k], %one : memref<?x?xbf16>, vector<8x16xbf16>
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %pv, %acc : vector<16x16xbf16>, vector<8x16xbf16> into vector<16x8xf32>
      %next = arith.addi %at, %n : index
      scf.yield %d, %next : vector<16x8xf32>, index
    }
    vector.transfer_write %r#0, %c[%c0, %c0] : vector<16x8xf32>, memref<?x?xf32>
    gpu.return
  }
  gpu.func @one(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>, %n: index) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : bf16
    %z = arith.constant dense<0.0> : vector<16x8xf32>
    %bv = vector.transfer_read %b[%c0, %c0], %zero : memref<?x?xbf16>, vector<8x16xbf16>
    %r = scf.for %k = %c0 to %n step %c16 iter_args(%acc = %z) -> (vector<16x8xf32>) {
      %av = vector.transfer_read %a[%c0, %k], %zero : memref<?x?xbf16>, vector<16x16xbf16>
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %av, %bv, %acc : vector<16x16xbf16>, vector<8x16xbf16> into vector<16x8xf32>
      scf.yield %d : vector<16x8xf32>
    }
    vector.transfer_write %r, %c[%c0, %c0] : vector<16x8xf32>, memref<?x?xf32>
    gpu.return
  }
}
