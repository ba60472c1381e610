; A cast to fewer bits is not part of a product that uses each element several times, which would read wide numbers each
; time; it is part of one that uses each once.
; RUN: lispier --emit=tensor --explain --target=sim %s -o /dev/null 2>&1 | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; CHECK: kernel several_0, elementwise: line [[#@LINE+5]]
; CHECK: kernel several_1, contraction: line [[#@LINE+4]]
; CHECK: the product uses each element several times, and would read wider ones each time
; CHECK-NOT: kernel once_0, elementwise
(defn several [(: x (tensor n k bf16)) (: w (tensor m k f32))]
  (einsum "nk,mk->nm" x (cast bf16 w) :out f32))
(defn once [(: x (tensor k bf16)) (: w (tensor m k f32))]
  (einsum "k,mk->m" x (cast bf16 w) :out f32))
(defn main []
  ; VALUE: f32 [2 2]
  ; VALUE-NEXT: {{\[\[10 10\]}}
  (println (several (full bf16 [2 5] 2.0) (full f32 [2 5] 1.0)))
  ; VALUE: [10 10]
  (println (once (full bf16 [5] 2.0) (full f32 [2 5] 1.0))))
