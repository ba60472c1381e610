// RUN: lispier-opt %s -lispier-explain-groups -verify-diagnostics
// RUN: lispier-opt %s -pass-pipeline='builtin.module(lispier-plan-memory{explain=true})' 2>&1 | FileCheck %s

#id = affine_map<(r, c) -> (r, c)>

// CHECK: remark: memory of two: 768 arg0[0] bytes for 2 tensors, 100.0 % of the most that is live, 768 arg0[0] bytes
// CHECK: note: at 0: 512 arg0[0] bytes
// CHECK: note: at 512 arg0[0]: 256 arg0[0] bytes
func.func private @use(memref<?x128xf32>, memref<?x64xf32>)
func.func @two(%x: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %m = memref.alloc(%n) {group.intermediate} : memref<?x128xf32>
  %o = memref.alloc(%n) {group.intermediate} : memref<?x64xf32>
  call @use(%m, %o) : (memref<?x128xf32>, memref<?x64xf32>) -> ()
  memref.dealloc %m : memref<?x128xf32>
  memref.dealloc %o : memref<?x64xf32>
  return
}

func.func @exponential(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  // expected-remark @+3 {{kernel e_0, elementwise: line 25}}
  // expected-note @+2 {{reads 32 arg0[0] bytes, writes 32 arg1[0] bytes, work of 128 arg0[0] additions}}
  // expected-note @+1 {{not in d_0: for a reason}}
  group.kernel "e_0" kind(elementwise) ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) attributes {apart = ["not in d_0: for a reason"]} {
  ^bb0(%xs: tensor<?x8xf32>, %out: tensor<?x8xf32>):
    %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%xs : tensor<?x8xf32>) outs(%out : tensor<?x8xf32>) {
    ^bb0(%i: f32, %o: f32):
      %0 = math.exp %i : f32
      linalg.yield %0 : f32 } -> tensor<?x8xf32>
    group.yield %e : tensor<?x8xf32>
  }
  return
}

func.func @matched(%x: memref<1x8xf32>, %w: memref<4x8xbf16>, %y: memref<1x4xf32>) {
  // expected-remark @+3 {{kernel m_1, nn.linear: line 40}}
  // expected-note @+2 {{hand-written; --why-kernel=nn.linear names the implementation}}
  // expected-note @+1 {{not in m_0: for a reason}}
  nn.linear %x, %w into %y {group.kernel = "m_1", group.apart = ["not in m_0: for a reason"]} : memref<1x8xf32>, memref<4x8xbf16>, memref<1x4xf32>
  return
}

// A copy is listed beside kernels. Without kernels the memory is the program's own, and so are its copies.
func.func @copied(%x: memref<?x8xf32>, %y: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32>
  %part = memref.subview %x[0, 4] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  // expected-remark @+2 {{copy of a part of a tensor: line 51}}
  // expected-note @+1 {{reads and writes 16 arg0[0] bytes that no kernel could write where they go}}
  memref.copy %part, %y : memref<?x4xf32, strided<[8, 1], offset: 4>> to memref<?x4xf32>
  // expected-remark @+2 {{kernel copied_0, elementwise: line 54}}
  // expected-note @+1 {{reads 16 arg1[0] bytes}}
  group.kernel "copied_0" kind(elementwise) outs(%y : memref<?x4xf32>) {
  ^bb0(%out: tensor<?x4xf32>):
    group.yield %out : tensor<?x4xf32>
  }
  return
}
func.func @own(%x: memref<8xf32>, %y: memref<8xf32>) {
  memref.copy %x, %y : memref<8xf32> to memref<8xf32>
  return
}
