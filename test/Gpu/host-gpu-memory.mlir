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

// A download is memory of its own, which the program frees.
// CHECK-LABEL: func.func @download
// CHECK: %[[HOST:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<4x?xf32>
// CHECK-NEXT: memref.copy %{{.*}}, %[[HOST]]
// CHECK: memref.dealloc %[[HOST]]
func.func @download(%part: memref<4x?xf32, strided<[?, 1]>>) {
  %host = device.download %part : memref<4x?xf32, strided<[?, 1]>> to memref<4x?xf32>
  memref.dealloc %host : memref<4x?xf32>
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
func.func @to_device(%m: memref<4xf32>) -> memref<4xf32> {
  %d = device.upload %m : memref<4xf32>
  return %d : memref<4xf32>
}

// A step is its body, also where that has several blocks.
// CHECK-LABEL: func.func @step
// CHECK-NEXT: %[[R:.*]] = arith.constant 1 : i32
// CHECK-NEXT: cf.br ^[[BODY:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK-NEXT: cf.cond_br %arg0, ^[[YES:bb[0-9]+]], ^[[NO:bb[0-9]+]]
// CHECK: ^[[YES]]:
// CHECK-NEXT: cf.br ^[[END:bb[0-9]+]](%[[R]] : i32)
// CHECK: ^[[NO]]:
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT: cf.br ^[[END]](%[[TWO]] : i32)
// CHECK: ^[[END]](%[[VALUE:.*]]: i32):
// CHECK-NEXT: return %[[VALUE]]
func.func @step(%c: i1) -> i32 {
  %outer = device.replay -> i32 {
    %one = arith.constant 1 : i32
    device.yield %one : i32
  }
  %r = device.replay -> i32 {
    cf.cond_br %c, ^yes, ^no
  ^yes:
    device.yield %outer : i32
  ^no:
    %two = arith.constant 2 : i32
    device.yield %two : i32
  }
  return %r : i32
}
