// RUN: lispier-opt %s -lispier-download-loads -split-input-file | FileCheck %s

// One number is copied, and what a loop reads that launches nothing, before the loop, once for both loads; what it reads
// of memory that is made inside, in it. A loop that launches copies a number each time.
// CHECK-LABEL: func.func private @reads
// CHECK: call @launch
// CHECK-NEXT: %[[ONE:.*]] = memref.subview %[[M:.*]][1] [1] [1] : memref<8xf32> to memref<f32, strided<[], offset: 1>>
// CHECK-NEXT: %[[NUMBER:.*]] = device.download %[[ONE]] : memref<f32, strided<[], offset: 1>> to memref<f32>
// CHECK-NEXT: memref.load %[[NUMBER]][]
// CHECK-NEXT: memref.dealloc %[[NUMBER]]
// CHECK: %[[ALL:.*]] = device.download %[[M]] : memref<8xf32> to memref<8xf32>
// CHECK-NEXT: scf.for
// CHECK-NOT: device.download
// CHECK: scf.for
// CHECK: memref.load %[[ALL]]
// CHECK: memref.load %[[ALL]]
// CHECK: %[[PART:.*]] = memref.subview %[[M]][%{{.*}}] [%{{.*}}] [1]
// CHECK-NEXT: %[[ELEMENT:.*]] = memref.subview %[[PART]]
// CHECK-NEXT: device.download %[[ELEMENT]]
// CHECK: memref.dealloc %[[ALL]]
// CHECK: scf.for
// CHECK: call @launch
// CHECK: %[[ELEMENT:.*]] = memref.subview
// CHECK: device.download %[[ELEMENT]]
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @touch(%a: memref<8xf32>) kernel { gpu.return }
  }
  func.func private @print(f32)
  func.func private @launch(%m: memref<8xf32>) {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<8xf32>)
    return
  }
  func.func private @reads() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %m = memref.alloc() : memref<8xf32>
    call @launch(%m) : (memref<8xf32>) -> ()
    %x = memref.load %m[%c1] : memref<8xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %y = memref.load %m[%i] : memref<8xf32>
        %z = memref.load %m[%j] : memref<8xf32>
        func.call @print(%y) : (f32) -> ()
        func.call @print(%z) : (f32) -> ()
        %part = memref.subview %m[%i] [%j] [1] : memref<8xf32> to memref<?xf32, strided<[1], offset: ?>>
        %w = memref.load %part[%c0] : memref<?xf32, strided<[1], offset: ?>>
        func.call @print(%w) : (f32) -> ()
      }
    }
    scf.for %i = %c0 to %c8 step %c1 {
      func.call @launch(%m) : (memref<8xf32>) -> ()
      %y = memref.load %m[%i] : memref<8xf32>
      func.call @print(%y) : (f32) -> ()
    }
    func.call @print(%x) : (f32) -> ()
    memref.dealloc %m : memref<8xf32>
    return
  }
}

// -----

// What host code also stores to is memory that both reach, as is what may come from elsewhere; and what no kernel uses
// is the host's.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: device.download
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @touch(%a: memref<8xf32>, %b: memref<8xf32>) kernel { gpu.return }
  }
  func.func @shared(%given: memref<8xf32>) -> f32 {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %v = arith.constant 1.0 : f32
    %stored = memref.alloc() : memref<8xf32>
    %own = memref.alloc() : memref<8xf32>
    memref.store %v, %stored[%zero] : memref<8xf32>
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one)
      args(%stored : memref<8xf32>, %given : memref<8xf32>)
    %x = memref.load %stored[%zero] : memref<8xf32>
    %y = memref.load %own[%zero] : memref<8xf32>
    %z = memref.load %given[%zero] : memref<8xf32>
    %xy = arith.addf %x, %y : f32
    %xyz = arith.addf %xy, %z : f32
    return %xyz : f32
  }
}
