// RUN: lispier-opt %s -lispier-merge-gpu-modules -split-input-file | FileCheck %s

// Two kernels of one name, and a device function that outlining copied into both.
// CHECK-LABEL: module attributes {gpu.container_module}
// CHECK: gpu.launch_func @kernels::@k blocks
// CHECK: gpu.launch_func @kernels::@[[SECOND:k_[0-9]+]] blocks
// CHECK: gpu.module @kernels {
// CHECK: func.func private @square
// CHECK: gpu.func @k() kernel
// CHECK-NOT: @square(%
// CHECK: func.func private @[[OTHER:other_[0-9]+]]
// CHECK: gpu.func @[[SECOND]]() kernel
// CHECK: call @square
// CHECK: call @[[OTHER]]
// CHECK-NOT: gpu.module
module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @a::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    gpu.launch_func @b::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @a {
    func.func @square(%x: f32) -> f32 {
      %y = arith.mulf %x, %x : f32
      return %y : f32
    }
    func.func @other(%x: f32) -> f32 {
      return %x : f32
    }
    gpu.func @k() kernel { gpu.return }
  }
  gpu.module @b {
    func.func @square(%x: f32) -> f32 {
      %y = arith.mulf %x, %x : f32
      return %y : f32
    }
    func.func @other(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      return %y : f32
    }
    gpu.func @k() kernel {
      %x = arith.constant 1.0 : f32
      %y = func.call @square(%x) : (f32) -> f32
      %z = func.call @other(%y) : (f32) -> f32
      gpu.return
    }
  }
}

// -----

// Equal text, different meaning: what the copies call differs.
// CHECK: gpu.module @kernels {
// CHECK: func.func private @leaf
// CHECK: func.func private @tree
// CHECK: func.func private @[[LEAF:leaf_[0-9]+]]
// CHECK: func.func private @[[TREE:tree_[0-9]+]]
// CHECK: call @[[LEAF]]
// CHECK: gpu.func @k
// CHECK: call @[[TREE]]
module attributes {gpu.container_module} {
  gpu.module @a {
    func.func @leaf(%x: f32) -> f32 {
      return %x : f32
    }
    func.func @tree(%x: f32) -> f32 {
      %y = func.call @leaf(%x) : (f32) -> f32
      return %y : f32
    }
  }
  gpu.module @b {
    func.func @leaf(%x: f32) -> f32 {
      %y = arith.addf %x, %x : f32
      return %y : f32
    }
    func.func @tree(%x: f32) -> f32 {
      %y = func.call @leaf(%x) : (f32) -> f32
      return %y : f32
    }
    gpu.func @k() kernel {
      %x = arith.constant 1.0 : f32
      %y = func.call @tree(%x) : (f32) -> f32
      gpu.return
    }
  }
}

// -----

// A name of the language that no assembler takes; another kernel has the nearest spelling already.
// CHECK: gpu.launch_func @kernels::@[[SPELLED:forward_f32_[0-9]+]] blocks
// CHECK: gpu.func @forward_f32() kernel
// CHECK: gpu.func @[[SPELLED]]() kernel
module attributes {gpu.container_module} {
  func.func @main() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@"forward-f32" blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @kernels {
    gpu.func @forward_f32() kernel { gpu.return }
    gpu.func @"forward-f32"() kernel { gpu.return }
  }
}
