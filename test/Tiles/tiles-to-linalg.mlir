// RUN: lispier-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(lispier-tiles-to-linalg),canonicalize,cse)' | FileCheck %s

// A row's tile has one dimension in memory. A difference and its exp are one loop; the tile of sums is read by two ops.
gpu.module @rows {
  // CHECK-LABEL: gpu.func @exp
  // CHECK-SAME: %[[X:.*]]: memref<64x1024xf32>, %[[Y:.*]]: memref<64x1024xf32>
  gpu.func @exp(%x: memref<64x1024xf32>, %y: memref<64x1024xf32>) kernel attributes {tile.program = #tile.program<>} {
    // CHECK-DAG: %[[V:.*]] = memref.alloca() {{.*}} : memref<1024xf32>
    // CHECK-DAG: %[[M:.*]] = memref.alloca() {{.*}} : memref<f32>
    // CHECK-DAG: %[[ROW:.*]] = gpu.block_id x
    %row = gpu.block_id x
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %lows = arith.constant dense<0xFF800000> : vector<1xf32>
    // CHECK: %[[AT:.*]] = memref.subview %[[X]][%[[ROW]], 0] [1, 1024] [1, 1]
    // CHECK-NEXT: linalg.copy ins(%[[AT]] : {{.*}}) outs(%[[V]] :
    %v = vector.transfer_read %x[%row, %c0], %low {in_bounds = [true, true]} : memref<64x1024xf32>, vector<1x1024xf32>
    // CHECK-NEXT: linalg.fill {{.*}} outs(%[[M]] :
    // CHECK-NEXT: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[V]] : {{.*}}) outs(%[[M]] :
    // CHECK: arith.maximumf
    %m = vector.multi_reduction <maximumf>, %v, %lows [1] : vector<1x1024xf32> to vector<1xf32>
    %m1 = vector.shape_cast %m : vector<1xf32> to vector<1x1xf32>
    %mb = vector.broadcast %m1 : vector<1x1xf32> to vector<1x1024xf32>
    %d = arith.subf %v, %mb : vector<1x1024xf32>
    %e = math.exp %d : vector<1x1024xf32>
    // CHECK: %[[OUT:.*]] = memref.subview %[[Y]]
    // CHECK-NEXT: linalg.generic {{.*}} ins(%[[V]], %[[M]] : {{.*}}) outs(%[[OUT]] :
    // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
    // CHECK-NEXT: %[[D:.*]] = arith.subf %[[A]], %[[B]]
    // CHECK-NEXT: %[[E:.*]] = math.exp %[[D]]
    // CHECK-NEXT: linalg.yield %[[E]]
    vector.transfer_write %e, %y[%row, %c0] {in_bounds = [true, true]} : vector<1x1024xf32>, memref<64x1024xf32>
    gpu.return
  }
}

// -----

// The sum of products stays in the loop's buffer, also through the multiplication before: the old one is not read later.
gpu.module @sums {
  // CHECK-LABEL: gpu.func @scaled
  gpu.func @scaled(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %f: f32) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<64x64xf32>
    // CHECK-DAG: %[[ACC:.*]] = memref.alloca() {{.*}} : memref<64x64xf32>
    // CHECK-DAG: %[[L:.*]] = memref.alloca() {{.*}} : memref<64x16xf32>
    // CHECK-DAG: %[[R:.*]] = memref.alloca() {{.*}} : memref<16x64xf32>
    // CHECK: linalg.fill {{.*}} outs(%[[ACC]] :
    // CHECK-NEXT: scf.for
    %sum = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zeros) -> vector<64x64xf32> {
      %l = vector.transfer_read %x[%c0, %k], %zero {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x16xf32>
      %r = vector.transfer_read %x[%k, %c0], %zero {in_bounds = [true, true]} : memref<64x64xf32>, vector<16x64xf32>
      %b = vector.broadcast %f : f32 to vector<64x64xf32>
      // CHECK: linalg.generic {{.*}} outs(%[[ACC]] :
      // CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32):
      // CHECK-NEXT: arith.mulf %[[OLD]]
      %s = arith.mulf %acc, %b : vector<64x64xf32>
      // CHECK: linalg.generic {{.*}} ins(%[[L]], %[[R]] : {{.*}}) outs(%[[ACC]] :
      %next = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %s : vector<64x16xf32>, vector<16x64xf32> into vector<64x64xf32>
      // CHECK-NOT: linalg.copy
      // CHECK: }
      scf.yield %next : vector<64x64xf32>
    }
    // CHECK: linalg.copy ins(%[[ACC]] : {{.*}}) outs(%arg1 :
    vector.transfer_write %sum, %y[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
    gpu.return
  }
}

// -----

// One of two tiles that change places goes through memory of its own; large ones are on the heap.
gpu.module @places {
  // CHECK-LABEL: gpu.func @exchange
  gpu.func @exchange(%x: memref<128x128xf32>, %n: index) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %ones = arith.constant dense<1.0> : vector<128x128xf32>
    // CHECK: %[[HEAP:.*]] = memref.alloc()
    %v = vector.transfer_read %x[%c0, %c0], %zero {in_bounds = [true, true]} : memref<128x128xf32>, vector<128x128xf32>
    // CHECK: scf.for
    // CHECK-NEXT: linalg.copy ins(%[[B:.*]] : {{.*}}) outs(%[[T:.*]] :
    // CHECK-NEXT: linalg.copy ins(%[[A:.*]] : {{.*}}) outs(%[[B]] :
    // CHECK-NEXT: linalg.copy ins(%[[T]] : {{.*}}) outs(%[[A]] :
    // CHECK-NEXT: }
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v, %b = %ones) -> (vector<128x128xf32>, vector<128x128xf32>) {
      scf.yield %b, %a : vector<128x128xf32>, vector<128x128xf32>
    }
    vector.transfer_write %r#0, %x[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32>
    // CHECK: memref.dealloc
    // CHECK: gpu.return
    gpu.return
  }
}

// -----

// A sum that reads another carried tile is written where it stays, before that tile is.
gpu.module @order {
  // CHECK-LABEL: gpu.func @carried
  gpu.func @carried(%x: memref<?x128xf32>, %y: memref<128xf32>, %n: index) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<128xf32>
    // CHECK: scf.for
    // CHECK: linalg.copy {{.*}} outs(%[[NEXT:.*]] :
    // CHECK: linalg.generic {{.*}} ins(%[[V:[a-z0-9_]+]] : memref<128xf32>) outs(%[[SUM:[a-z0-9_]+]] :
    // CHECK: linalg.copy ins(%[[NEXT]] : {{.*}}) outs(%[[V]] :
    // CHECK-NEXT: }
    // CHECK-NEXT: linalg.copy ins(%[[SUM]] :
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %zeros, %sum = %zeros) -> (vector<128xf32>, vector<128xf32>) {
      %next = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<?x128xf32>, vector<128xf32>
      %added = arith.addf %sum, %v : vector<128xf32>
      scf.yield %next, %added : vector<128xf32>, vector<128xf32>
    }
    vector.transfer_write %r#1, %y[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
    gpu.return
  }
}

// -----

// An index that cannot be negative needs no lower edge: the part that is inside begins with the tile.
gpu.module @edges {
  // CHECK-LABEL: gpu.func @bounded
  // CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[I:.*]]: index
  gpu.func @bounded(%x: memref<?xf32>, %i: index) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f32
    %p = arith.maxsi %i, %c0 : index
    %q = arith.divsi %p, %c64 : index
    // CHECK: %[[J:.*]] = arith.muli
    %j = arith.muli %q, %c64 : index
    // CHECK: %[[N:.*]] = arith.minsi
    // CHECK: %[[INSIDE:.*]] = memref.subview %{{.*}}[0] [%[[N]]] [1]
    // CHECK: %[[FROM:.*]] = memref.subview %[[X]][%[[J]]] [%[[N]]] [1]
    // CHECK-NEXT: linalg.copy ins(%[[FROM]] : {{.*}}) outs(%[[INSIDE]] :
    // CHECK: %[[REST:.*]] = arith.subi %c64, %[[N]]
    // CHECK: %[[AFTER:.*]] = memref.subview %{{.*}}[%[[N]]] [%[[REST]]] [1]
    // CHECK-NEXT: linalg.fill {{.*}} outs(%[[AFTER]] :
    %v = vector.transfer_read %x[%j], %zero : memref<?xf32>, vector<64xf32>
    vector.transfer_write %v, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
    gpu.return
  }
}
