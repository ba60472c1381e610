; A float that becomes one bit is 1 from 1.0 on; LLVM 22 alone asks whether the float is 0.
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o - | FileCheck %s
(require-dialect memref arith)

; CHECK: ld.global.{{[a-z0-9.]*}} [[X:%r[0-9]+]]
; CHECK: setp.ge.f32 [[P:%p[0-9]+]], [[X]], 0f3F800000;
; CHECK: selp.b32 %r{{[0-9]+}}, 1, 0, [[P]];
(defkernel k [(: x memref<?xf32>) (: o memref<?xi32>)]
  (def t (thread-id :x))
  (memref.store (arith.extui {:result i32} (arith.fptoui {:result i1} (memref.load x t))) o t))

(defn main []
  (def x (memref.alloc {:result memref<?xf32>} 4))
  (def o (memref.alloc {:result memref<?xi32>} 4))
  (launch k {:grid [1] :block [4]} x o))
