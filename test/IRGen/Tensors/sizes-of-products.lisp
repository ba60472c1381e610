; A product of tensors that fit into memory need not: the number of its bytes is computed without overflow where sizes
; are those of several tensors, with the call that led there.
; RUN: not lispier run %s 2>&1 | FileCheck %s
; RUN: not lispier run --fuse=false %s 2>&1 | FileCheck %s
(defn outer [(: a (tensor n f32)) (: b (tensor m f32))] -> f32
  ; CHECK: :[[#@LINE+1]]:12: error[tensor-size]: a tensor of f32 [4294967296 4294967296] has more bytes than an address reaches
  (at (sum (einsum "i,j->ij" a b))))

(defn main [(: words i32) (: word !llvm.ptr)]
  (def n (* 4294967296 (+ 1 (cast index words))))
  ; CHECK: :[[#@LINE+1]]:27: note: called from here
  (println "%g" (cast f64 (outer (full f32 [n] 1.0) (full f32 [n] 1.0)))))
