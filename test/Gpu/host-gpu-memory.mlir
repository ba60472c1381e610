// RUN: lispier-opt %s -lispier-drop-async-tokens -lispier-host-gpu-memory | FileCheck %s
module attributes {gpu.container_module} {

// Device memory is aligned host memory, an upload is a copy, registration means nothing, and nothing waits.
// CHECK-LABEL: func.func @device_memory
// CHECK-SAME: %[[HOST:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[V:.*]]: f32
// CHECK: %[[DEVICE:.*]] = memref.alloc(%[[N]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT: memref.copy %[[HOST]], %[[DEVICE]]
// CHECK-NEXT: linalg.fill ins(%[[V]] : f32) outs(%[[DEVICE]] : memref<?xf32>)
// CHECK-NEXT: memref.dealloc %[[DEVICE]]
// CHECK-NEXT: return
func.func @device_memory(%host: memref<?xf32>, %n: index, %v: f32) {
  %u = memref.cast %host : memref<?xf32> to memref<*xf32>
  gpu.host_register %u : memref<*xf32>
  %device = gpu.alloc(%n) : memref<?xf32>
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %device, %host : memref<?xf32>, memref<?xf32>
  %t2 = gpu.memset async [%t1] %device, %v : memref<?xf32>, f32
  gpu.wait [%t2]
  gpu.dealloc %device : memref<?xf32>
  gpu.host_unregister %u : memref<*xf32>
  return
}

// A launch that waited for a copy has nothing left to wait for.
// CHECK-LABEL: func.func @launch
// CHECK: memref.copy
// CHECK-NOT: gpu.wait
// CHECK: gpu.launch_func @kernels::@k blocks
func.func @launch(%a: memref<8xf32>, %b: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  %t0 = gpu.wait async
  %t1 = gpu.memcpy async [%t0] %a, %b : memref<8xf32>, memref<8xf32>
  %t2 = gpu.launch_func async [%t1] @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  gpu.wait [%t2]
  return
}
gpu.module @kernels {
  gpu.func @k() kernel { gpu.return }
}
}

// On the CPU, memory is where it is.
// CHECK-LABEL: func.func @to_device
// CHECK-SAME: %[[M:.*]]: memref<4xf32>
// CHECK-NEXT: return %[[M]]
// CHECK-NOT: to-device
func.func private @"to-device memref<4xf32>"(memref<4xf32>) -> memref<4xf32>
func.func @to_device(%m: memref<4xf32>) -> memref<4xf32> {
  %d = call @"to-device memref<4xf32>"(%m) : (memref<4xf32>) -> memref<4xf32>
  return %d : memref<4xf32>
}
