// Scans on memrefs: of rows in vectors, whose lanes are combined in steps of 1, 2, 4 and 8; of columns in blocks of eight
// vectors, whose ends are masked; of what has no vectors one by one.
// RUN: lispier-opt --lispier-lower-scans %s | FileCheck %s
// RUN: lispier-opt --lispier-lower-scans=vector-bytes=32 %s | FileCheck %s --check-prefix=SHORT

// CHECK-LABEL: func.func @rows(
// CHECK: scf.parallel (%[[ROW:.*]]) =
// CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[SOFAR:.*]] = %{{.*}}) -> (vector<16xf32>)
// CHECK: %[[X:.*]] = vector.load %{{.*}}[%[[ROW]], %[[I]]]
// CHECK: %[[ONE:.*]] = vector.shuffle %[[X]], %{{.*}} [16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
// CHECK: arith.addf %[[ONE]], %[[X]]
// CHECK-COUNT-3: arith.addf
// CHECK: %[[ALL:.*]] = vector.shuffle %[[SUMS:.*]], %[[SUMS]] [15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15]
// CHECK: arith.addf %[[SOFAR]], %[[SUMS]]
// CHECK: vector.store
// CHECK: %[[NEXT:.*]] = arith.addf %[[SOFAR]], %[[ALL]]
// CHECK: scf.yield %[[NEXT]]
// The end of the row.
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// SHORT-LABEL: func.func @rows(
// SHORT: iter_args({{.*}}) -> (vector<8xf32>)
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  group.scan <add> %x along 1 from %zero outs(%y : memref<?x?xf32>) : memref<?x?xf32>
  return
}

// Without the element itself and from the end: lanes come from above.
// CHECK-LABEL: func.func @back(
// CHECK-NOT: scf.parallel
// CHECK: vector.shuffle {{.*}} [1, 2, 3, 4, 5, 6, 7, 15]
// CHECK: arith.muli
// CHECK: vector.shuffle {{.*}} [0, 0, 0, 0, 0, 0, 0, 0]
// CHECK: vector.shuffle {{.*}} [1, 2, 3, 4, 5, 6, 7, 15]
func.func @back(%x: memref<?xi64>) {
  %one = arith.constant 1 : i64
  group.scan <mul> %x along 0 from %one reverse exclusive outs(%x : memref<?xi64>) : memref<?xi64>
  return
}

// CHECK-LABEL: func.func @columns(
// CHECK: scf.parallel (%{{.*}}, %{{.*}}) =
// CHECK: scf.if
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-8: arith.maximumf
// CHECK: } else {
// CHECK: scf.for
// CHECK: vector.create_mask
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK: vector.maskedload
// SHORT-LABEL: func.func @columns(
// SHORT: -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
func.func @columns(%x: memref<4x?x?xf32>, %y: memref<4x?x?xf32>) {
  %none = arith.constant 0xFF800000 : f32
  group.scan <maximumf> %x along 1 from %none outs(%y : memref<4x?x?xf32>) : memref<4x?x?xf32>
  return
}

// CHECK-LABEL: func.func @elements(
// CHECK-NOT: vector
// CHECK: scf.parallel
// CHECK: scf.for {{.*}} -> (bf16)
// CHECK: memref.load
// CHECK: scf.for {{.*}} -> (f32)
func.func @elements(%x: memref<?x?xbf16>, %s: memref<?x?xf32, strided<[?, ?]>>) {
  %none = arith.constant 0.0 : bf16
  %zero = arith.constant 0.0 : f32
  group.scan <maximumf> %x along 1 from %none outs(%x : memref<?x?xbf16>) : memref<?x?xbf16>
  group.scan <add> %s along 1 from %zero outs(%s : memref<?x?xf32, strided<[?, ?]>>) : memref<?x?xf32, strided<[?, ?]>>
  return
}
