; 16-bit floats are computed in f32 and rounded where they leave a kernel, where the program casts them, and for forms
; that are not continuous, such as a comparison. 1 + 2^-8 rounds to 1 in BF16.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s --check-prefix=APART
; RUN: lispier run --explain %s 2>&1 | FileCheck %s --check-prefix=EXPLAIN
; RUN: lispier run --target=sim:sm_80 --explain %s 2>&1 | FileCheck %s --check-prefix=EXPLAIN

; CHECK: kept bf16 [2]
; CHECK-NEXT: [0.00390625 0.00390625]
; APART: kept bf16 [2]
; APART-NEXT: [0 0]
; EXPLAIN: kernel main_0, elementwise: lines [[#@LINE+2]]
; EXPLAIN: rounds to bf16: line [[#@LINE+1]]{{$}}
(defn kept [(: x (tensor n bf16))] -> (tensor n bf16) (- (+ x 0.00390625) x))

; A cast rounds, also to the type that the value has.
; CHECK-NEXT: named bf16 [2]
; CHECK-NEXT: [0 0]
; EXPLAIN: kernel main_1, elementwise: lines [[#@LINE+3]], [[#@LINE+4]]
; EXPLAIN: rounds to bf16: lines [[#@LINE+2]], [[#@LINE+3]]{{$}}
(defn named [(: x (tensor n bf16))] -> (tensor n bf16)
  (let [y (cast bf16 (+ x 0.00390625))]
    (- y x)))

; CHECK-NEXT: mean bf16 [2]
; CHECK-NEXT: [0 0]
(defn named-mean [(: x (tensor n bf16))] -> (tensor n bf16)
  (- (cast bf16 (mean (+ x 0.00390625) :axis 0 :keep true)) x))

; CHECK-NEXT: narrowed f32 [2]
; CHECK-NEXT: [0 0]
(defn narrowed [(: x (tensor n f32))] -> (tensor n f32) (- (cast f32 (cast bf16 (+ x 0.00390625))) x))

; Numbers of 32 bits are rounded at each form: 1 + 2^-40 is 1.
; CHECK-NEXT: single f64 [2]
; CHECK-NEXT: [-9.09495e-13 -9.09495e-13]
(defn single [(: x (tensor n f64))] -> (tensor n f64) (- (einsum "i->i" x :out f32) x))

; What is equal in memory is equal for a comparison; floor and remainders are those of what memory would hold.
; CHECK-NEXT: compared i1 [2]
; CHECK-NEXT: [false false]
(defn compared [(: x (tensor n bf16))] -> (tensor n i1) (> (+ x 0.00390625) x))
; CHECK-NEXT: jumped bf16 [2]
; CHECK-NEXT: [1 1]
(defn jumped [(: x (tensor n bf16))] -> (tensor n bf16) (floor (- x 0.0009765625)))
; CHECK-NEXT: whole i32 [2]
; CHECK-NEXT: [1 1]
(defn whole [(: x (tensor n bf16))] -> (tensor n i32) (cast i32 (- x 0.0009765625)))
; CHECK-NEXT: remainder bf16 [2]
; CHECK-NEXT: [0 0]
(defn remainder [(: x (tensor n bf16))] -> (tensor n bf16) (% (+ x 0.00390625) x))

; `where` and the reductions of a row lose nothing either; what leaves the kernel is rounded once.
; CHECK-NEXT: chosen bf16 [2]
; CHECK-NEXT: [0.00390625 0.00390625]
(defn chosen [(: x (tensor n bf16))] -> (tensor n bf16) (- (where (> x 0.0) (+ x 0.00390625) x) x))
; CHECK-NEXT: row bf16 [2 2]
; CHECK-NEXT: {{\[}}[0.00390625 0.00390625]
(defn row [(: x (tensor t c bf16))] -> (tensor t c bf16)
  (let [more (+ x 0.00390625)]
    (- (- (+ more (max more :axis 1 :keep true)) (mean more :axis 1 :keep true)) x)))

(defn main []
  (def ones (full bf16 [2] 1.0))
  (print "kept ") (println (kept ones))
  (print "named ") (println (named ones))
  (print "mean ") (println (named-mean ones))
  (print "narrowed ") (println (narrowed (full f32 [2] 1.0)))
  (print "single ") (println (single (full f64 [2] 1.0000000000009094947)))
  (print "compared ") (println (compared ones))
  (print "jumped ") (println (jumped ones))
  (print "whole ") (println (whole ones))
  (print "remainder ") (println (remainder ones))
  (print "chosen ") (println (chosen ones))
  (print "row ") (println (row (full bf16 [2 2] 1.0))))
