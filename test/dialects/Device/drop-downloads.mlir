// RUN: lispier-opt %s -lispier-drop-downloads | FileCheck %s
// RUN: lispier-opt %s -lispier-drop-downloads=as-tensors | FileCheck %s --check-prefix=TENSORS

// Where kernels run on the host, a tensor is there. A memref is freed, and so has memory of its own.
// CHECK-LABEL: func.func @downloads(
// CHECK-SAME: %[[T:.*]]: tensor<4xf32>, %[[M:.*]]: memref<4xf32>)
// CHECK-NEXT: %[[COPY:.*]] = device.download %[[M]]
// CHECK-NEXT: return %[[T]], %[[COPY]]
func.func @downloads(%t: tensor<4xf32>, %m: memref<4xf32>) -> (tensor<4xf32>, memref<4xf32>) {
  %a = device.download %t : tensor<4xf32> to tensor<4xf32>
  %b = device.download %m : memref<4xf32> to memref<4xf32>
  return %a, %b : tensor<4xf32>, memref<4xf32>
}

// What is read as a buffer keeps its download until reads of memory are values.
// CHECK-LABEL: func.func @printed(
// CHECK-SAME: %[[T:.*]]: tensor<4xf32>
// CHECK-NEXT: bufferization.to_buffer %[[T]]
// TENSORS-LABEL: func.func @printed(
// TENSORS-SAME: %[[T:.*]]: tensor<4xf32>
// TENSORS-NEXT: %[[D:.*]] = device.download %[[T]]
// TENSORS-NEXT: %[[B:.*]] = bufferization.to_buffer %[[D]]
// TENSORS-NEXT: return %[[T]], %[[B]]
func.func @printed(%t: tensor<4xf32>) -> (tensor<4xf32>, memref<4xf32>) {
  %d = device.download %t : tensor<4xf32> to tensor<4xf32>
  %b = bufferization.to_buffer %d read_only : tensor<4xf32> to memref<4xf32>
  return %d, %b : tensor<4xf32>, memref<4xf32>
}
