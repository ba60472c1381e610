// RUN: lispier-opt %s -lispier-gpu-phase | FileCheck %s
// RUN: lispier-opt %s -lispier-gpu-phase -lispier-emit-gpu='target=cuda:sm_80 output=%t.ptx' -o /dev/null
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: lispier-opt %s -lispier-gpu-phase=target=rocm:gfx1151 -lispier-emit-gpu='target=rocm:gfx1151 output=%t.hsaco' -o /dev/null
// RUN: llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=HSACO

// From linalg to a binary by the generic route: kernels in one module (the product has a coarse and a fine one), of a pointer
// and sizes, its sum in a register, guarded where the tile sticks out.
// CHECK-LABEL: func @forward
// CHECK-COUNT-3: gpu.launch_func @kernels::@
// CHECK-NOT: memref.load
// CHECK: gpu.module @kernels
// CHECK: gpu.func @forward_kernel
// CHECK-SAME: memref<f32>, %{{.*}}: index
// CHECK-SAME: known_block_size = array<i32: 16, 16, 1>
// CHECK: scf.if
// CHECK: memref.load
// CHECK: scf.for {{.*}} iter_args
// CHECK: memref.store
// CHECK: gpu.func @forward_kernel_
// CHECK: gpu.func @forward_kernel_
// CHECK-NOT: gpu.module

// PTX: .entry forward_kernel(
// PTX: fma.rn.f32
// PTX: .entry forward_kernel_
// PTX: .entry forward_kernel_
// HSACO: <forward_kernel>:
// HSACO: v_{{.*}}fma
func.func @forward(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %rows: memref<?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    outs(%c : memref<?x?xf32>) {
  ^bb0(%x: f32):
    %y = math.tanh %x : f32
    linalg.yield %y : f32
  }
  linalg.reduce { arith.addf } ins(%c : memref<?x?xf32>) outs(%rows : memref<?xf32>) dimensions = [1]
  return
}
