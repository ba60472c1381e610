// RUN: lispier-opt %s -lispier-expand-shapes | FileCheck %s
// RUN: lispier-opt %s -lispier-expand-shapes -expand-strided-metadata | FileCheck %s --check-prefix=NEXT

// Both sizes come with the op; the rows' stride is the columns' size times the source's stride, which is 1 here.
// CHECK-LABEL: func.func @matrix(
// CHECK-SAME: %[[M:.*]]: memref<{{.*}}>, %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %[[STRIDE:.*]] = memref.extract_strided_metadata %[[M]]
// CHECK: %[[ROW:.*]] = arith.muli %[[STRIDE]], %[[B]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%[[A]], %[[B]]], strides: [%[[ROW]], 1]
// NEXT-LABEL: func.func @matrix(
// NEXT-NOT: expand_shape
func.func @matrix(%m: memref<?xf32, strided<[1], offset: ?>>, %a: index, %b: index) -> memref<?x?xf32, strided<[?, 1], offset: ?>> {
  %e = memref.expand_shape %m [[0, 1]] output_shape [%a, %b] : memref<?xf32, strided<[1], offset: ?>> into memref<?x?xf32, strided<[?, 1], offset: ?>>
  return %e : memref<?x?xf32, strided<[?, 1], offset: ?>>
}

// One unknown size a group is what upstream knows how to compute.
// CHECK-LABEL: func.func @known(
// CHECK: memref.expand_shape
func.func @known(%m: memref<?x?xf32>, %a: index, %b: index) -> memref<?x4x2x?xf32> {
  %e = memref.expand_shape %m [[0, 1], [2, 3]] output_shape [%a, 4, 2, %b] : memref<?x?xf32> into memref<?x4x2x?xf32>
  return %e : memref<?x4x2x?xf32>
}

// Groups behind others.
// CHECK-LABEL: func.func @cube(
// CHECK-SAME: %[[M:.*]]: memref<{{.*}}>, %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index)
// CHECK: , %[[STRIDES:[a-z_]+]]:2 = memref.extract_strided_metadata %[[M]]
// CHECK: reinterpret_cast {{.*}} sizes: [%[[A]], %[[B]], %[[C]]], strides: [%{{.*}}, %[[STRIDES]]#0, 1]
func.func @cube(%m: memref<?x?xf32>, %a: index, %b: index, %c: index) -> memref<?x?x?xf32> {
  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, %b, %c] : memref<?x?xf32> into memref<?x?x?xf32>
  return %e : memref<?x?x?xf32>
}

// The unknown size is not that of the group divided by 0.
// CHECK-LABEL: func.func @empty(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[A:.*]]: index)
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%[[A]], 0], strides: [%{{.*}}, 1]
func.func @empty(%m: memref<?xf32>, %a: index) -> memref<?x0xf32> {
  %e = memref.expand_shape %m [[0, 1]] output_shape [%a, 0] : memref<?xf32> into memref<?x0xf32>
  return %e : memref<?x0xf32>
}
