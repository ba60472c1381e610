// RUN: lispier-opt %s -lispier-wait-for-device | FileCheck %s
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @touch(%a: memref<8xf32>) kernel { gpu.return }
    gpu.func @fill(%a: memref<?x?xf32>) kernel { gpu.return }
  }
  func.func private @launch(%m: memref<8xf32>) {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<8xf32>)
    return
  }

  // One wait, before the loop that launches nothing; another after the next launch; none for the host's own memory.
  // CHECK-LABEL: func.func private @reads
  // CHECK: call @launch
  // CHECK-NEXT: llvm.mlir.addressof
  // CHECK-NEXT: call @lispier_rt_device_wait
  // CHECK-NEXT: scf.for
  // CHECK-NOT: call @lispier_rt_device_wait
  // CHECK: call @launch
  // CHECK: memref.store {{.*}} : memref<4xf32>
  // CHECK: call @lispier_rt_device_wait
  // CHECK-NEXT: memref.load {{.*}} : memref<8xf32>
  // CHECK-NOT: call @lispier_rt_device_wait
  // CHECK: return
  func.func private @reads() -> f32 {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %v = arith.constant 0.0 : f32
    %m = memref.alloc() : memref<8xf32>
    %own = memref.alloc() : memref<4xf32>
    func.call @launch(%m) : (memref<8xf32>) -> ()
    scf.for %i = %zero to %eight step %one {
      memref.store %v, %m[%i] : memref<8xf32>
    }
    memref.store %v, %m[%zero] : memref<8xf32>
    func.call @launch(%m) : (memref<8xf32>) -> ()
    memref.store %v, %own[%zero] : memref<4xf32>
    %x = memref.load %m[%one] : memref<8xf32>
    %y = memref.load %m[%zero] : memref<8xf32>
    %s = arith.addf %x, %y : f32
    return %s : f32
  }

  // A map describes memory, and reads none: launches follow each other.
  // CHECK-LABEL: func.func private @maps
  // CHECK: gpu.launch_func
  // CHECK-NOT: call @lispier_rt_device_wait
  // CHECK: return
  func.func private @maps(%n: index) {
    %one = arith.constant 1 : index
    %box = arith.constant 16 : index
    %m = gpu.alloc(%n, %n) : memref<?x?xf32>
    gpu.launch_func @kernels::@fill blocks in (%one, %one, %one) threads in (%one, %one, %one)
      args(%m : memref<?x?xf32>)
    %any = memref.cast %m : memref<?x?xf32> to memref<*xf32>
    %map = nvgpu.tma.create.descriptor %any box[%box, %box] : memref<*xf32>
      -> !nvgpu.tensormap.descriptor<tensor = memref<16x16xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
    return
  }

  // In a loop that launches, each round waits.
  // CHECK-LABEL: func.func private @rounds
  // CHECK: scf.for
  // CHECK: call @launch
  // CHECK: call @lispier_rt_device_wait
  // CHECK-NEXT: memref.load
  func.func private @rounds() {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %m = memref.alloc() : memref<8xf32>
    scf.for %i = %zero to %eight step %one {
      func.call @launch(%m) : (memref<8xf32>) -> ()
      %x = memref.load %m[%i] : memref<8xf32>
      memref.store %x, %m[%i] : memref<8xf32>
    }
    return
  }

  // Memory of the device may have escaped as a pointer; a text of the program is none of it.
  // CHECK-LABEL: func.func private @says
  // CHECK: call @launch
  // CHECK-NEXT: call @say
  // CHECK: call @lispier_rt_device_wait
  // CHECK-NEXT: call @say
  llvm.mlir.global private constant @text("text")
  func.func private @say(!llvm.ptr)
  func.func private @says(%v: f32) {
    %zero = arith.constant 0 : index
    %m = memref.alloc() : memref<8xf32>
    memref.store %v, %m[%zero] : memref<8xf32>
    %address = memref.extract_aligned_pointer_as_index %m : memref<8xf32> -> index
    %number = arith.index_cast %address : index to i64
    %pointer = llvm.inttoptr %number : i64 to !llvm.ptr
    %all = llvm.mlir.addressof @text : !llvm.ptr
    %text = llvm.getelementptr %all[1] : (!llvm.ptr) -> !llvm.ptr, i8
    func.call @launch(%m) : (memref<8xf32>) -> ()
    func.call @say(%text) : (!llvm.ptr) -> ()
    func.call @say(%pointer) : (!llvm.ptr) -> ()
    return
  }

  // Code that is not known here may read what it is given.
  // CHECK-LABEL: func.func @main
  // CHECK: call @lispier_rt_device_wait
  // CHECK-NEXT: call @outside
  func.func private @outside(memref<8xf32>)
  func.func @main() {
    %m = memref.alloc() : memref<8xf32>
    func.call @launch(%m) : (memref<8xf32>) -> ()
    func.call @outside(%m) : (memref<8xf32>) -> ()
    return
  }
}
