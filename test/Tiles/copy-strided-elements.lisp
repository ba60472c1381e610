; Elements that are not one after the other in memory are copied to shared memory one by one, each by an asynchronous copy.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; PTX-LABEL: .entry product_0(
; PTX: cp.async.ca.shared.global [%{{.*}}], [%{{.*}}], 4
(defn product [(: x (tensor 5 _ _ i32))] (einsum "abc,dcb->adc" x (max x 2)))

(defn main [(: words i32) (: word !llvm.ptr)]
  (def n (+ 7 (cast index words)))
  ; CHECK: i32 [5 5 7]
  ; CHECK-NEXT: {{\[\[\[}}-24 -1 4 29 6 -19 -15]
  ; CHECK-NEXT: [-53 -10 4 29 -2 -17 -18]
  (println (product (- (% (reshape (iota i32 [(* 5 n n)]) [5 n n]) 13) 6))))
