; Each function begins at a cache line.
; RUN: lispier --emit=asm %s | FileCheck %s
; CHECK: .p2align 6
; CHECK-NEXT: .type first,@function
; CHECK: .p2align 6
; CHECK-NEXT: .type second,@function
(defn first [(: x i64)] -> i64 (+ x 1))
(defn second [(: x i64)] -> i64 (* x 3))
