// RUN: lispier-opt %s | lispier-opt | FileCheck %s
// RUN: lispier-opt %s -canonicalize -cse | FileCheck %s --check-prefix=KEPT

// CHECK-LABEL: func.func @ops
// CHECK: %[[D:.*]] = device.upload %arg0 : memref<?x64xbf16>
// CHECK: %[[R:.*]]:2 = device.replay -> i32, memref<?x64xbf16> attributes {tag} {
// CHECK: device.yield %arg1, %[[D]] : i32, memref<?x64xbf16>
// CHECK: device.replay {
// CHECK-NEXT: func.call @step() : () -> ()
// CHECK-NEXT: device.yield
// CHECK: return %[[R]]#1

// Two uploads are two memories, and what a step calls is called in it.
// KEPT-COUNT-2: device.upload
// KEPT: device.replay {
// KEPT-NEXT: func.call @step
// A download is a value where it is one of a tensor, and memory of its own otherwise.
// CHECK-LABEL: func.func @download
// CHECK: device.download %{{.*}} : tensor<?x4xf32> to tensor<?x4xf32>
// CHECK: device.download %{{.*}} : memref<2x?xf32, strided<[?, 1]>> to memref<2x?xf32>
// KEPT-LABEL: func.func @download
// KEPT-COUNT-1: device.download {{.*}}tensor
// KEPT-NOT: device.download {{.*}}tensor
// KEPT-COUNT-2: device.download {{.*}}memref
func.func private @step()
func.func private @use(memref<?x64xbf16>, memref<?x64xbf16>)
func.func @ops(%m: memref<?x64xbf16>, %n: i32) -> memref<?x64xbf16> {
  %d = device.upload %m : memref<?x64xbf16>
  %e = device.upload %m : memref<?x64xbf16>
  call @use(%d, %e) : (memref<?x64xbf16>, memref<?x64xbf16>) -> ()
  %r:2 = device.replay -> i32, memref<?x64xbf16> attributes {tag} {
    device.yield %n, %d : i32, memref<?x64xbf16>
  }
  device.replay {
    func.call @step() : () -> ()
    device.yield
  }
  return %r#1 : memref<?x64xbf16>
}
func.func private @host(memref<2x?xf32>, memref<2x?xf32>)
func.func @download(%t: tensor<?x4xf32>, %m: memref<2x?xf32, strided<[?, 1]>>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %a = device.download %t : tensor<?x4xf32> to tensor<?x4xf32>
  %b = device.download %t : tensor<?x4xf32> to tensor<?x4xf32>
  %unused = device.download %t : tensor<?x4xf32> to tensor<?x4xf32>
  %c = device.download %m : memref<2x?xf32, strided<[?, 1]>> to memref<2x?xf32>
  %d = device.download %m : memref<2x?xf32, strided<[?, 1]>> to memref<2x?xf32>
  call @host(%c, %d) : (memref<2x?xf32>, memref<2x?xf32>) -> ()
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// Memory that a step writes is from outside of it: no result. What nobody needs is none, either.
// KEPT-LABEL: func.func @memory
// KEPT: %[[N:.*]] = device.replay -> i32 {
// KEPT: device.yield %{{.*}} : i32
// KEPT: return %arg0, %[[N]]
func.func private @count(memref<4xf32>) -> i32
func.func @memory(%m: memref<4xf32>) -> (memref<4xf32>, i32) {
  %r:3 = device.replay -> memref<4xf32>, i32, i32 {
    %n = func.call @count(%m) : (memref<4xf32>) -> i32
    %k = func.call @count(%m) : (memref<4xf32>) -> i32
    device.yield %m, %n, %k : memref<4xf32>, i32, i32
  }
  return %r#0, %r#1 : memref<4xf32>, i32
}
