; Numbers that are outside of a size: targets of cross-entropy that do not count, tokens, the k of topk, elements of nothing.
; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: lispier run main.lisp x | FileCheck %s
; RUN: lispier run --fuse=false main.lisp x | FileCheck %s
; RUN: lispier run --target=sim main.lisp x | FileCheck %s
; RUN: lispier run --target=sim:sm_90a main.lisp x | FileCheck %s
; RUN: not lispier run target.lisp x 2>&1 | FileCheck %s --check-prefix=TARGET
; RUN: not lispier run --fuse=false target.lisp x 2>&1 | FileCheck %s --check-prefix=TARGET
; RUN: not lispier run --target=sim target.lisp x 2>&1 | FileCheck %s --check-prefix=TARGET
; RUN: not lispier run --target=sim:sm_90a target.lisp x 2>&1 | FileCheck %s --check-prefix=TARGET
; RUN: not lispier run all-equal.lisp x 2>&1 | FileCheck %s --check-prefix=EQUAL
; RUN: not lispier run --fuse=false all-equal.lisp x 2>&1 | FileCheck %s --check-prefix=EQUAL
; RUN: not lispier run --target=sim all-equal.lisp x 2>&1 | FileCheck %s --check-prefix=EQUAL
; RUN: not lispier run --target=sim:sm_90a all-equal.lisp x 2>&1 | FileCheck %s --check-prefix=EQUAL
; TARGET: the index 6 is outside of axis 1, which has 4 elements
; EQUAL: the index -100 is outside of axis 1, which has 4 elements
; RUN: not lispier run table.lisp x 2>&1 | FileCheck %s --check-prefix=TABLE
; RUN: not lispier run --fuse=false table.lisp x 2>&1 | FileCheck %s --check-prefix=TABLE
; TABLE: error{{.*}}the index {{.*}} is outside of axis
; RUN: not lispier run topk.lisp x 2>&1 | FileCheck %s --check-prefix=TOPK
; TOPK: error[tensor-range]: `first-places`: the part from 0 to 4 is not inside of dimension 0, which has the size 3
; RUN: not lispier run negative.lisp x 2>&1 | FileCheck %s --check-prefix=NEGATIVE
; NEGATIVE: error[tensor-range]: `first-places`: the part from 0 to -1 is not inside of dimension 0, which has the size 3
; RUN: not lispier run nothing.lisp x 2>&1 | FileCheck %s --check-prefix=NOTHING
; NOTHING: nothing.lisp:2:12: error[tensor-size]: `argmax` of no elements has no result
; RUN: not lispier check known.lisp 2>&1 | FileCheck %s --check-prefix=KNOWN
; KNOWN: known.lisp:2:12: error[tensor-size]: `argmin` of no elements has no result
; KNOWN: known.lisp:3:69: error[tensor-axis]: table and indices cannot share 2 dimensions before axis 1
; KNOWN: known.lisp:4:38: error[tensor-shape]: `gather`: the indices have 2 elements along dimension 0, and the table 3

;--- main.lisp
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (* (cast f32 argc) (zeros f32 [4 4])))
  ; log 4, the mean of the rows that count.
  ; CHECK: f32 [] 1.38629
  (println (cross-entropy x (+ (cast i32 argc) (iota i32 [4] :axis 0) -1)))
  ; CHECK-NEXT: f32 [] 1.38629
  (println (cross-entropy x (: [1 -100 2 -100] tensor<4xi64>) :ignore -100))
  ; CHECK-NEXT: f32 [] nan
  (println (cross-entropy x (: [9 9 9 9] tensor<4xi64>) :ignore 9))
  ; The logits of the rows that count: 0 - log sum exp.
  ; CHECK-NEXT: f32 [] 0.44019
  (println (cross-entropy (iota f32 [2 3 4] :axis 2) (: [[3 -1 -1] [3 -1 3]] tensor<2x3xi32>) :ignore -1))
  ; Of 16-bit logits it is f32, of f64 f64.
  ; CHECK-NEXT: f32 [] 9.01189
  (println (cross-entropy (full bf16 [2 8200] 1.5) (: [1 8199] tensor<2xi64>)))
  ; CHECK-NEXT: f64 [] 2.07944
  (println (cross-entropy (full f64 [2 8] 1.5) (: [1 7] tensor<2xi64>)))
  ; The first dimensions of table and indices are the same.
  ; CHECK-NEXT: f32 [2 2]
  ; CHECK-NEXT: [3 0]
  ; CHECK-NEXT: [1 2]
  (println (gather (iota f32 [2 4] :axis 1) (: [[3 0] [1 2]] tensor<2x2xi32>) :axis 1 :batch 1))
  ; An index outside is a row of zeros.
  ; CHECK-NEXT: f32 [3 3]
  ; CHECK-NEXT: [0 0 0]
  ; CHECK-NEXT: [0 1 0]
  ; CHECK-NEXT: [0 0 0]
  (println (one-hot (: [-1 1 4294967296] tensor<3xi64>) 3))
  ; CHECK-NEXT: f32 [] -inf
  (println (max (slice (reshape x [16]) [0] [0])))
  ; CHECK-NEXT: f32 [] nan
  (println (mean (slice (reshape x [16]) [0] [0]))))
; Without :ignore, and with logits that are all equal.
;--- target.lisp
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (println (cross-entropy (* (cast f32 argc) (iota f32 [2 4] :axis 1)) (+ (* (cast i32 argc) 6) (iota i32 [2])))))
;--- all-equal.lisp
(defn main [] (println (cross-entropy (zeros f32 [4 4]) (: [1 -100 2 -100] tensor<4xi64>))))
;--- topk.lisp
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def [a b] (topk (full f32 [3] 1.0) (cast index (+ 3 argc)))) (println a))
;--- negative.lisp
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def [a b] (topk (full f32 [3] 1.0) (cast index (- argc)))) (println a))
;--- nothing.lisp
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (println (argmax (zeros f32 [2 (cast index (- argc 1))]) :axis 1)))
;--- known.lisp
(defn main []
  (println (argmin (zeros f32 [3 0]) :axis 1))
  (println (gather (zeros f32 [3 4]) (zeros i32 [3]) :axis 1 :batch 2))
  (println (gather (zeros f32 [3 4]) (zeros i32 [2]) :axis 1 :batch 1)))
;--- table.lisp
; All numbers of the table are equal, and the index is checked all the same.
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (println (embedding (full f32 [3 2] 1.0) (+ (cast i32 argc) (iota i32 [3])))))
