; A number beside a memref is an error of its own: no op takes the two.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: :[[#@LINE+2]]:34: error[type-mismatch]: `*` works on numbers and vectors of them, not on memref<4xf32>
; CHECK: hint: (memref.load m i ...) is an element of a memref
(defn f [(: m memref<4xf32>)] (* 0.5 m))
; CHECK: :[[#@LINE+1]]:36: error[type-mismatch]: `<` works on numbers and vectors of them, not on memref<?xi32>
(defn g [(: m memref<?xi32>)] (< m 5))
