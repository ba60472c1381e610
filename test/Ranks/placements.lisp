; What does not make sense on several ranks is an error, at its place and with where it comes from.
; RUN: split-file %s %t
; RUN: not lispier run %t/nonlinear.lisp 2>&1 | FileCheck %t/nonlinear.lisp
; RUN: not lispier run %t/bias.lisp 2>&1 | FileCheck %t/bias.lisp
; RUN: not lispier run %t/whole.lisp 2>&1 | FileCheck %t/whole.lisp
; RUN: not lispier run %t/dimensions.lisp 2>&1 | FileCheck %t/dimensions.lisp
; RUN: not lispier run %t/same.lisp 2>&1 | FileCheck %t/same.lisp
; RUN: not lispier run %t/parts.lisp 2>&1 | FileCheck %t/parts.lisp
; RUN: not lispier run %t/extreme.lisp 2>&1 | FileCheck %t/extreme.lisp
; RUN: not lispier run %t/gather.lisp 2>&1 | FileCheck %t/gather.lisp
; RUN: not lispier run %t/dimension.lisp 2>&1 | FileCheck %t/dimension.lisp
; RUN: not lispier run %t/scatter.lisp 2>&1 | FileCheck %t/scatter.lisp
; RUN: not lispier run %t/own.lisp 2>&1 | FileCheck %t/own.lisp
; RUN: not lispier run %t/slice.lisp 2>&1 | FileCheck %t/slice.lisp
; RUN: not lispier run %t/joined.lisp 2>&1 | FileCheck %t/joined.lisp
; RUN: not lispier run %t/reshape.lisp 2>&1 | FileCheck %t/reshape.lisp
; RUN: not lispier run %t/count.lisp 2>&1 | FileCheck %t/count.lisp
; RUN: not lispier run %t/condition.lisp 2>&1 | FileCheck %t/condition.lisp
; RUN: not lispier run %t/root.lisp 2>&1 | FileCheck %t/root.lisp
; RUN: not lispier run %t/windows.lisp 2>&1 | FileCheck %t/windows.lisp
; RUN: not lispier run %t/begins.lisp 2>&1 | FileCheck %t/begins.lisp
; RUN: not lispier run %t/memory.lisp 2>&1 | FileCheck %t/memory.lisp
; RUN: lispier run %t/added.lisp | FileCheck %t/added.lisp
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 %t/added.lisp | FileCheck %t/added.lisp
;--- nonlinear.lisp
(defmesh [tp])
(defn main []
  (def x (own-part (full f32 [4 6] 1.0) :over tp :axis 1))
  ; CHECK: [[#@LINE+2]]:12: error[mlir]: this is computed of a partial sum over tp, in which it is not linear
  ; CHECK: [[#@LINE+1]]:18: note: the partial sum is made here
  (println (tanh (sum x :axis 1))))
;--- bias.lisp
(defmesh [tp])
(defn main []
  (def x (own-part (full f32 [4 6] 1.0) :over tp :axis 1))
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: this adds a partial sum over tp and a value that all ranks have, which would count as often as there are ranks
  (println (+ (sum x :axis 1) (iota f32 [4]))))
;--- whole.lisp
(defmesh [tp])
(defn main []
  (def w (exp (iota f32 [6])))
  (def x (own-part w :over tp))
  ; CHECK: [[#@LINE+1]]:{{[0-9]+}}: error[mlir]: this combines a part over tp with a tensor that all ranks have
  (println (+ x (slice w [0] [(dim x 0)]))))
;--- dimensions.lisp
(defmesh [tp])
(defn main []
  (def w (exp (reshape (iota f32 [36]) [6 6])))
  ; CHECK: [[#@LINE+1]]:{{[0-9]+}}: error[mlir]: this combines parts of different dimensions over tp
  (println (einsum "ik,kj->ij" (own-part w :over tp :axis 0) (own-part w :over tp :axis 1))))
;--- same.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: the sum over tp of a value that all ranks have is that value times their number
  (println (all-reduce (iota f32 [4]) :over tp)))
;--- parts.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: the sum over tp adds different parts of a tensor
  (println (all-reduce (own-part (iota f32 [4]) :over tp) :over tp)))
;--- extreme.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: the greatest or least of partial sums over tp is not that of their sum
  (println (all-reduce (sum (own-part (iota f32 [4]) :over tp)) :over tp :by max)))
;--- gather.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: all-gather joins the parts of a tensor over tp
  (println (all-gather (iota f32 [4]) :over tp)))
;--- dimension.lisp
(defmesh [tp])
(defn main []
  (def x (own-part (reshape (iota f32 [4]) [2 2]) :over tp :axis 0))
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: the parts over tp are of dimension 0, not 1
  (println (all-gather x :over tp :axis 1)))
;--- scatter.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: reduce-scatter adds partial sums over tp
  (println (reduce-scatter (iota f32 [4]) :over tp)))
;--- own.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: own-part takes a part of what is the same on all ranks over tp
  (println (own-part (own-part (iota f32 [4]) :over tp) :over tp)))
;--- slice.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: this takes a part of dimension 0, of which each rank over tp has a part
  (println (slice (own-part (iota f32 [4]) :over tp) [0] [1])))
;--- joined.lisp
(defmesh [tp])
(defn main []
  (def x (own-part (exp (iota f32 [4])) :over tp))
  ; CHECK: [[#@LINE+1]]:20: error[mlir]: this joins along dimension 0, of which each rank over tp has a part
  (println (concat x x)))
;--- reshape.lisp
(defmesh [tp])
(defn main []
  (def x (own-part (exp (reshape (iota f32 [12]) [2 6])) :over tp :axis 1))
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: this joins, behind others, dimension 1, of which each rank over tp has a part
  (println (reshape x [(* 2 (dim x 1))])))
;--- count.lisp
(defmesh [tp])
(defn main []
  (def x (own-part (exp (iota f32 [4])) :over tp))
  ; CHECK: [[#@LINE+2]]:12: error[mlir]: these numbers count the elements of a part over tp, not those of the whole
  ; CHECK: note: (+ x (* (rank tp) n)), with n the size of a part, counts on
  (println (* x (iota f32 [(dim x 0)]))))
;--- condition.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+3]]:3: error[mlir]: ranks over tp may take different ways here, and wait for each other inside
  ; CHECK: [[#@LINE+2]]:{{[0-9]+}}: note: what differs is computed here
  ; CHECK: [[#@LINE+2]]:{{[0-9]+}}: note: a rank that comes here waits for the others
  (if (= (rank tp) 0)
    (println "%g" (all-reduce (cast f32 (rank tp)) :over tp))))
;--- root.lisp
(defmesh [tp])
(defn main []
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: the rank that from-rank names differs between the ranks over tp
  (println (from-rank (iota f32 [4]) :over tp :rank (rank tp))))
;--- windows.lisp
(defmesh [tp])
(defn main []
  (def x (own-part (exp (iota f32 [8])) :over tp))
  ; CHECK: [[#@LINE+1]]:{{[0-9]+}}: error[mlir]: this {{.*}} dimension 0, of which each rank over tp has a part
  (println (sum (windows x [3]) :axis 1)))
;--- begins.lisp
; A sum over parts that begins with what all ranks have: gradients that are added to weights.
(defmesh [tp])
(defn loss [w x] (sum (* w x)))
(defn learn [(: w inout) (: d inout) x] (value-and-grad loss w x :into d))
(defn main []
  (def [w d] [(full f32 [6] 1.0) (iota f32 [6])])
  ; CHECK: error[mlir]: this adds a partial sum over tp and a value that all ranks have, which would count as often as there are ranks
  (learn w d (own-part (exp (reshape (iota f32 [24]) [4 6])) :over tp))
  (println (all-reduce d :over tp)))
;--- memory.lisp
; What is in memory is a partial sum until the ranks add it.
(defmesh [tp])
(defn main []
  (def d (device-alloc memref<4xf32> []))
  (store (sum (own-part (full f32 [4 6] 2.0) :over tp :axis 1) :axis 1) d)
  ; CHECK: [[#@LINE+1]]:12: error[mlir]: this is computed of a partial sum over tp, in which it is not linear
  (println (sqrt (load d))))
;--- added.lisp
; Memory is what was stored last: parts of a sum, in a loop that adds to it, and the sum, with which any function goes.
(defmesh [tp])
(defn main []
  (def d (device-alloc memref<4xf32> []))
  (def x (own-part (full f32 [4 6] 2.0) :over tp :axis 1))
  (for [step 0 2]
    (store (zeros f32 [4]) d)
    (for [part 0 3] (store (+ (load d) (sum x :axis 1)) d))
    (store (all-reduce (load d) :over tp) d)
    (println (sqrt (load d)))))
; CHECK: [6 6 6 6]
; CHECK: [6 6 6 6]
