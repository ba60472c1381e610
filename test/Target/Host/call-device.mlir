// RUN: lispier-opt %s -lispier-call-device -split-input-file | FileCheck %s

// A launch: the arguments' addresses in an array, the kernel's name and a place to keep it, sizes as i64. Padding
// behind the f32 is cleared, too.
// CHECK: llvm.mlir.global internal @lispier_kernel_scale() {{.*}} : !llvm.ptr
// CHECK-LABEL: func.func private @launch(
// CHECK-SAME: %[[N:.*]]: index, %[[FACTOR:.*]]: f32)
// CHECK: %[[FIELDS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(ptr, i64, f32)>
// CHECK: %[[ADDRESSES:.*]] = llvm.alloca %{{.*}} x !llvm.array<3 x ptr>
// CHECK: %[[BYTES:.*]] = arith.constant 24 : i64
// CHECK: "llvm.intr.memset"(%[[FIELDS]], %{{.*}}, %[[BYTES]])
// CHECK: call @lispier_rt_device_alloc(
// CHECK: llvm.store %[[FACTOR]], %[[FIELD:.*]] : f32, !llvm.ptr
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %[[ADDRESSES]][0, 2]
// CHECK: llvm.store %[[FIELD]], %[[PLACE]] : !llvm.ptr, !llvm.ptr
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @lispier_kernel_scale
// CHECK: call @lispier_rt_device_launch(%[[KERNEL]], %{{.*}}, %{{.*}}, {{.*}}, %[[ADDRESSES]], %{{.*}})
// CHECK: call @lispier_rt_device_free(
// CHECK-NOT: gpu.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%m: memref<f32>, %n: index, %factor: f32) kernel { gpu.return }
  }
  func.func private @launch(%n: index, %factor: f32) {
    %one = arith.constant 1 : index
    %m = memref.alloc() : memref<f32>
    gpu.launch_func @kernels::@scale blocks in (%n, %one, %one) threads in (%one, %one, %one)
      args(%m : memref<f32>, %n : index, %factor : f32)
    memref.dealloc %m : memref<f32>
    return
  }
  func.func @main() {
    %n = arith.constant 3 : index
    %f = arith.constant 2.0 : f32
    call @launch(%n, %f) : (index, f32) -> ()
    return
  }
}

// -----

// Launches of equal operands store them once, before all of them; one of other operands stores its own.
// CHECK-LABEL: func.func private @variants(
// CHECK-SAME: %[[N:.*]]: index, %[[FACTOR:.*]]: f32, %[[OTHER:.*]]: f32, %[[SMALL:.*]]: i1, %[[TINY:.*]]: i1)
// CHECK-COUNT-2: llvm.alloca %{{.*}} x !llvm.array<1 x ptr>
// CHECK: scf.for
// CHECK-NEXT: %[[FIELD:.*]] = llvm.getelementptr
// CHECK-NEXT: llvm.store %[[FACTOR]], %[[FIELD]] : f32, !llvm.ptr
// CHECK-NEXT: %[[PLACE:.*]] = llvm.getelementptr %[[ADDRESSES:.*]][0, 0]
// CHECK-NEXT: llvm.store %[[FIELD]], %[[PLACE]] : !llvm.ptr, !llvm.ptr
// CHECK-NEXT: scf.if %[[SMALL]]
// CHECK-NEXT: scf.if %[[TINY]]
// CHECK-NOT: llvm.store
// CHECK: call @lispier_rt_device_launch({{.*}}, %[[ADDRESSES]], %{{.*}})
// CHECK: else
// CHECK-NOT: llvm.store
// CHECK: call @lispier_rt_device_launch({{.*}}, %[[ADDRESSES]], %{{.*}})
// CHECK: else
// CHECK-NOT: llvm.store
// CHECK: call @lispier_rt_device_launch({{.*}}, %[[ADDRESSES]], %{{.*}})
// CHECK: llvm.store %[[OTHER]]
// CHECK: call @lispier_rt_device_launch(
// CHECK-NOT: llvm.store
// CHECK: return
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @tiny(%factor: f32) kernel { gpu.return }
    gpu.func @small(%factor: f32) kernel { gpu.return }
    gpu.func @large(%factor: f32) kernel { gpu.return }
  }
  func.func private @variants(%n: index, %factor: f32, %other: f32, %small: i1, %tiny: i1) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %i = %zero to %n step %one {
      scf.if %small {
        scf.if %tiny {
          gpu.launch_func @kernels::@tiny blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%factor : f32)
        } else {
          gpu.launch_func @kernels::@small blocks in (%one, %one, %one) threads in (%n, %one, %one) args(%factor : f32)
        }
      } else {
        gpu.launch_func @kernels::@large blocks in (%n, %one, %one) threads in (%one, %one, %one) args(%factor : f32)
      }
      gpu.launch_func @kernels::@large blocks in (%n, %one, %one) threads in (%one, %one, %one) args(%other : f32)
    }
    return
  }
  func.func @main() {
    %n = arith.constant 3 : index
    %f = arith.constant 2.0 : f32
    %yes = arith.constant true
    call @variants(%n, %f, %f, %yes, %yes) : (index, f32, f32, i1, i1) -> ()
    return
  }
}

// -----

// Pointers are translated by what is registered when the kernel is launched: such launches do not share arguments.
// CHECK-LABEL: func.func @registers
// CHECK: call @lispier_rt_device_register(
// CHECK: call @lispier_rt_device_address(
// CHECK: call @lispier_rt_device_launch(
// CHECK: call @lispier_rt_device_unregister(
// CHECK: call @lispier_rt_device_address(
// CHECK: call @lispier_rt_device_launch(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @touch(%a: memref<8xf32>) kernel { gpu.return }
  }
  func.func @registers(%a: memref<8xf32>) {
    %one = arith.constant 1 : index
    %any = memref.cast %a : memref<8xf32> to memref<*xf32>
    gpu.host_register %any : memref<*xf32>
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<8xf32>)
    gpu.host_unregister %any : memref<*xf32>
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<8xf32>)
    return
  }
}

// -----

// Memory that the host touches, here in a function that it is passed to, is shared, whoever asked for it; memory that no
// kernel uses stays the host's; a copy to it is the device's, and waited for.
// CHECK-LABEL: func.func @shares
// CHECK: call @lispier_rt_device_alloc_shared(
// CHECK: call @lispier_rt_device_alloc_shared(
// CHECK: call @lispier_rt_device_alloc(
// CHECK: memref.alloc()
// CHECK: call @lispier_rt_device_copy(
// CHECK: call @lispier_rt_device_wait(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @touch(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) kernel { gpu.return }
  }
  func.func private @read(%m: memref<8xf32>) -> f32 {
    %zero = arith.constant 0 : index
    %v = memref.load %m[%zero] : memref<8xf32>
    return %v : f32
  }
  func.func @shares() -> f32 {
    %one = arith.constant 1 : index
    %a = gpu.alloc() : memref<8xf32>
    %b = memref.alloc() : memref<8xf32>
    %c = gpu.alloc() : memref<8xf32>
    %host = memref.alloc() : memref<8xf32>
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one)
      args(%a : memref<8xf32>, %b : memref<8xf32>, %c : memref<8xf32>)
    gpu.memcpy %host, %c : memref<8xf32>, memref<8xf32>
    %x = call @read(%a) : (memref<8xf32>) -> f32
    %zero = arith.constant 0 : index
    memref.store %x, %b[%zero] : memref<8xf32>
    %y = memref.load %host[%zero] : memref<8xf32>
    return %y : f32
  }
}

// -----

// Copies to and from parts of memory that kernels use are the device's, without a wait, and the memory, of whose address
// only the lowest bits are used, is its own.
// CHECK-LABEL: func.func @parts
// CHECK-NOT: call @lispier_rt_device_alloc_shared
// CHECK: call @lispier_rt_device_alloc(
// CHECK: call @lispier_rt_device_alloc(
// CHECK: scf.for
// CHECK: call @lispier_rt_device_copy(
// CHECK: call @lispier_rt_device_copy_strided(
// CHECK-NOT: call @lispier_rt_device_wait
// CHECK-NOT: memref.copy
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @touch(%a: memref<8xf32>, %b: memref<4x8xf32>) kernel { gpu.return }
  }
  func.func @parts() {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %four = arith.constant 4 : index
    %mask = arith.constant 15 : index
    %a = memref.alloc() : memref<8xf32>
    %stack = memref.alloc() : memref<4x8xf32>
    scf.for %i = %zero to %four step %one {
      %p = memref.extract_aligned_pointer_as_index %a : memref<8xf32> -> index
      %q = memref.extract_aligned_pointer_as_index %stack : memref<4x8xf32> -> index
      %both = arith.ori %p, %q : index
      %low = arith.andi %both, %mask : index
      %aligned = arith.cmpi eq, %low, %zero : index
      scf.if %aligned {
        gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one)
          args(%a : memref<8xf32>, %stack : memref<4x8xf32>)
      }
      %row = memref.subview %stack[%i, 0] [1, 8] [1, 1] : memref<4x8xf32> to memref<8xf32, strided<[1], offset: ?>>
      memref.copy %a, %row : memref<8xf32> to memref<8xf32, strided<[1], offset: ?>>
      %column = memref.subview %stack[0, %i] [4, 1] [1, 1] : memref<4x8xf32> to memref<4xf32, strided<[8], offset: ?>>
      %part = memref.subview %a[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
      memref.copy %column, %part : memref<4xf32, strided<[8], offset: ?>> to memref<4xf32, strided<[1]>>
    }
    memref.dealloc %a : memref<8xf32>
    memref.dealloc %stack : memref<4x8xf32>
    return
  }
}

// -----

// A global that a kernel uses lives in shared memory from its first use on.
// CHECK-LABEL: func.func @globals
// CHECK: memref.get_global @table
// CHECK: call @lispier_rt_device_global(
module attributes {gpu.container_module} {
  memref.global "private" @table : memref<4xi32> = dense<[1, 2, 3, 4]>
  gpu.module @kernels {
    gpu.func @touch(%a: memref<4xi32>) kernel { gpu.return }
  }
  func.func @globals() {
    %one = arith.constant 1 : index
    %t = memref.get_global @table : memref<4xi32>
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%t : memref<4xi32>)
    return
  }
}

// -----

// Filling by the width of the element; floats as their bits.
// CHECK-LABEL: func.func @fills
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : bf16 to i16
// CHECK: %[[PATTERN:.*]] = arith.extui %[[BITS]] : i16 to i64
// CHECK: %[[WIDTH:.*]] = arith.constant 2 : i32
// CHECK: call @lispier_rt_device_fill(%{{.*}}, %[[PATTERN]], %[[WIDTH]], %{{.*}}, %{{.*}})
func.func @fills() {
  %v = arith.constant 1.5 : bf16
  %m = gpu.alloc() : memref<6xbf16>
  gpu.memset %m, %v : memref<6xbf16>, bf16
  return
}

// -----

// What is brought to the device is new memory there.
// CHECK-LABEL: func.func @brings
// CHECK-SAME: %[[HOST:.*]]: memref<?xbf16>
// CHECK: %[[NEW:.*]] = call @lispier_rt_device_alloc(%[[BYTES:.*]], %{{.*}})
// CHECK: call @lispier_rt_device_copy(%[[NEW]], %{{.*}}, %[[BYTES]], %{{.*}})
func.func @brings(%host: memref<?xbf16>) {
  %m = device.upload %host : memref<?xbf16>
  return
}

// -----

// Weights that two tensors share are brought once: the runtime knows them.
// CHECK-LABEL: func.func @brings_once
// CHECK-NOT: call @lispier_rt_device_alloc
// CHECK-COUNT-2: call @lispier_rt_device_upload_once(
func.func @brings_once(%host: memref<?xbf16>) {
  %m = device.upload %host {once} : memref<?xbf16>
  %n = device.upload %host {once} : memref<?xbf16>
  return
}

// -----

// Where a program registers memory of the host, kernels get the device's address for it, also in a struct. What is no
// pointer stays.
// CHECK-LABEL: func.func @registers
// CHECK-SAME: %[[PAIR:.*]]: !llvm.struct<(i32, struct<(ptr)>)>
// CHECK: call @lispier_rt_device_register(
// CHECK: %[[INNER:.*]] = llvm.extractvalue %[[PAIR]][1]
// CHECK-NEXT: %[[POINTER:.*]] = llvm.extractvalue %[[INNER]][0]
// CHECK: %[[THERE:.*]] = call @lispier_rt_device_address(%[[POINTER]], %{{.*}})
// CHECK: %[[NEW:.*]] = llvm.insertvalue %[[THERE]], %[[INNER]][0]
// CHECK: %[[ARGUMENT:.*]] = llvm.insertvalue %[[NEW]], %[[PAIR]][1]
// CHECK: llvm.store %[[ARGUMENT]],
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @store(%pair: !llvm.struct<(i32, struct<(ptr)>)>) kernel { gpu.return }
  }
  func.func @registers(%pair: !llvm.struct<(i32, struct<(ptr)>)>, %known: memref<8xf32>) {
    %one = arith.constant 1 : index
    %any = memref.cast %known : memref<8xf32> to memref<*xf32>
    gpu.host_register %any : memref<*xf32>
    gpu.launch_func @kernels::@store blocks in (%one, %one, %one) threads in (%one, %one, %one)
      args(%pair : !llvm.struct<(i32, struct<(ptr)>)>)
    return
  }
}

// -----

// Of a kernel that loads pointers, the runtime checks the memory that holds them.
// CHECK-LABEL: func.func @follows
// CHECK: call @lispier_rt_device_address_of_pointers(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @follow(%list: !llvm.ptr) kernel attributes {device.reads_pointers} { gpu.return }
  }
  func.func @follows(%list: !llvm.ptr, %known: memref<8xf32>) {
    %one = arith.constant 1 : index
    %any = memref.cast %known : memref<8xf32> to memref<*xf32>
    gpu.host_register %any : memref<*xf32>
    gpu.launch_func @kernels::@follow blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%list : !llvm.ptr)
    return
  }
}

// -----

// An absent operand of an op is a memref without elements, which nothing reads: it is null, wherever the stack is.
// CHECK-LABEL: func.func private @absent
// CHECK-NOT: memref.alloca
// CHECK: llvm.mlir.zero : !llvm.ptr
// CHECK: call @lispier_rt_device_launch(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @take(%m: memref<0x0xf32>) kernel { gpu.return }
  }
  func.func private @absent() {
    %one = arith.constant 1 : index
    %m = memref.alloca() : memref<0x0xf32>
    gpu.launch_func @kernels::@take blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<0x0xf32>)
    return
  }
}

// -----

// What the host reads is copied to memory of the host, and the copy is waited for: the kernel's own memory is not shared.
// CHECK-LABEL: func.func private @download
// CHECK: call @lispier_rt_device_alloc(
// CHECK-NOT: alloc_shared
// CHECK: call @lispier_rt_device_launch(
// CHECK: %[[HOST:.*]] = memref.alloc() : memref<8xf32>
// CHECK: call @lispier_rt_device_copy(
// CHECK: call @lispier_rt_device_wait(
// CHECK: memref.load %[[HOST]]
// CHECK: memref.dealloc %[[HOST]]
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @take(%m: memref<8xf32>) kernel { gpu.return }
  }
  func.func private @download() -> f32 {
    %one = arith.constant 1 : index
    %m = memref.alloc() : memref<8xf32>
    gpu.launch_func @kernels::@take blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<8xf32>)
    %host = device.download %m : memref<8xf32> to memref<8xf32>
    memref.dealloc %m : memref<8xf32>
    %v = memref.load %host[%one] : memref<8xf32>
    memref.dealloc %host : memref<8xf32>
    return %v : f32
  }
}

// -----

// A kernel that reads the copy finds it on the device.
// CHECK-LABEL: func.func private @download_for_kernel
// CHECK: call @lispier_rt_device_alloc(
// CHECK-NOT: memref.alloc
// CHECK: call @lispier_rt_device_copy(
// CHECK: call @lispier_rt_device_launch(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @take(%m: memref<8xf32>) kernel { gpu.return }
  }
  func.func private @download_for_kernel(%from: memref<8xf32>) {
    %one = arith.constant 1 : index
    %copy = device.download %from : memref<8xf32> to memref<8xf32>
    gpu.launch_func @kernels::@take blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%copy : memref<8xf32>)
    return
  }
}
