; Attention, step 3: one kernel.
;
; A thread a row: its query and its result stay in registers, 64 numbers each, and 64 rows of a head share the keys and
; values, which come through shared memory 32 at a time. With the sum of exp(s - m) for a maximum m so far goes the sum
; of the values; both shrink when m grows (step 4 of softmax; Rabe, Staats 2021; Dao and others 2022). No score is in
; memory, so that nothing grows with T^2 but the work.
;
; All threads read the same key at once, 16 bytes for four multiplications; nothing here uses tensor cores.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math vector)
(require ["./attention.lisp" :as attention] ["../ladder.lisp" :as ladder])
(require-macros "./attention.lisp" "../ladder.lisp")

(defmacro row-of [m i j] `(vector.load {:result vector<64xf32>} ~m ~i ~j))
(defmacro all-of [v] `(vector.broadcast {:result vector<64xf32>} ~v))

(defkernel attend [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: time index) (: heads index) (: groups index)]
  (def of-k (shared f32 [32 64]))
  (def of-v (shared f32 [32 64]))
  (def t (thread-id :x))
  (def h (% (block-id :y) heads))
  (def group (/ h (/ heads groups)))
  (def first (* time (/ (block-id :y) heads)))
  (def from (* 64 (block-id :x)))
  (def i (+ from t))
  (def isThere (< i time))
  (def end (min time (+ from 64)))
  (def key (* 64 (+ heads group)))
  (def value (+ key (* 64 groups)))
  (def none (all-of (: 0.0 f32)))
  (def q (if isThere (* (all-of (: 0.125 f32)) (row-of x (+ first i) (* 64 h))) none))
  (def [most total sums] (fold [most (: -1e30 f32) total (: 0.0 f32) sums none] [j 0 end 32]
    (for [n t 2048 64]
      (def [r d] [(/ n 64) (% n 64)])
      (def isKey (< (+ j r) time))
      (memref.store (if isKey (memref.load x (+ first j r) (+ key d)) (: 0.0 f32)) of-k r d)
      (memref.store (if isKey (memref.load x (+ first j r) (+ value d)) (: 0.0 f32)) of-v r d))
    (barrier)
    (def [m l o] (fold [m most l total o sums] [r 0 32]
      (def dot (vector.reduction {:kind "#vector.kind<add>" :result f32 :fastmath "#arith.fastmath<reassoc>"}
                 (* q (row-of of-k r 0))))
      (def s (if (<= (+ j r) i) dot (: -1e30 f32)))
      (def next (max m s))
      (def shrink (exp (- m next)))
      (def p (exp (- s next)))
      [next (+ (* l shrink) p) (+ (* o (all-of shrink)) (* (all-of p) (row-of of-v r 0)))]))
    (barrier)
    [m l o]))
  (when isThere
    (vector.store (/ sums (all-of total)) y (+ first i) (* 64 h))))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: batch index) (: heads index) (: groups index)]
  (def time (/ (memref.dim x 0) batch))
  (launch attend {:grid [(/ (+ time 63) 64) (* batch heads)] :block [64]} x y time heads groups))

; CHECK: ok
(define-attention step 1 2e-6)
