// RUN: lispier-opt %s -lispier-drop-downloads | FileCheck %s

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
