; Attention, step 2: heads apart.
;
; A kernel first copies x to queries [B H T 64], keys [B G 64 T] and values [B G T 64], so that neighbouring threads of
; each of the three kernels read neighbours, also of the keys; the result is put back into rows of tokens at the end.
; Libraries for products of batches want their factors so, and llm.c's kernels 3 to 6 do the same. It costs two more
; kernels that only copy, which have to bring more than they take.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math vector)
(require ["./attention.lisp" :as attention] ["../ladder.lisp" :as ladder])
(require-macros "./attention.lisp" "../ladder.lisp")

(defkernel permute [(: x memref<?x?xf32>) (: q memref<?x?xf32>) (: k memref<?x?xf32>) (: v memref<?x?xf32>)
                    (: heads index) (: groups index)]
  (def time (memref.dim k 1))
  (def row (block-id :x))
  (def t (% row time))
  (def b (/ row time))
  (for [c (thread-id :x) (memref.dim x 1) (block-dim :x)]
    (def value (memref.load x row c))
    (def d (% c 64))
    (def h (/ c 64))
    (if (< h heads)
      (memref.store value q (+ t (* time (+ h (* b heads)))) d)
      (if (< h (+ heads groups))
        (memref.store value k (+ d (* 64 (+ (- h heads) (* b groups)))) t)
        (memref.store value v (+ t (* time (+ (- h (+ heads groups)) (* b groups)))) d)))))

; Head h of sequence b is head b H + h of the queries, and so is its group of the keys.
(defkernel scores-of [(: q memref<?x?xf32>) (: k memref<?x?xf32>) (: scores memref<?x?xf32>) (: shared index)]
  (def time (memref.dim scores 1))
  (def j (+ (* (block-id :y) (block-dim :x)) (thread-id :x)))
  (def row (block-id :x))
  (def key (* 64 (/ (/ row time) shared)))
  (when (<= j (% row time))
    (def s (fold [s (: 0.0 f32)] [d 0 64] (+ s (* (memref.load q row d) (memref.load k (+ key d) j)))))
    (memref.store (* 0.125 s) scores row j)))

(defkernel normalize [(: scores memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def time (memref.dim scores 1))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim scores 0) (* (grid-dim :x) warps)]
    (def seen (+ 1 (% row time)))
    (def most (warp-reduce :max (fold [m (: -inf f32)] [j (lane-id) seen (warp-size)]
                                  (max m (memref.load scores row j)))))
    (def total (warp-reduce :add (fold [s (: 0.0 f32)] [j (lane-id) seen (warp-size)]
                                   (+ s (exp (- (memref.load scores row j) most))))))
    (for [j (lane-id) seen (warp-size)]
      (memref.store (/ (exp (- (memref.load scores row j) most)) total) scores row j))))

(defkernel values-of [(: scores memref<?x?xf32>) (: v memref<?x?xf32>) (: o memref<?x?xf32>) (: shared index)]
  (def time (memref.dim scores 1))
  (def row (block-id :x))
  (def d (thread-id :x))
  (def value (* time (/ (/ row time) shared)))
  (def sum (fold [s (: 0.0 f32)] [j 0 (+ 1 (% row time))]
    (+ s (* (memref.load scores row j) (memref.load v (+ value j) d)))))
  (memref.store sum o row d))

(defkernel unpermute [(: o memref<?x?xf32>) (: y memref<?x?xf32>) (: time index)]
  (def row (block-id :x))
  (def heads (/ (memref.dim y 1) 64))
  (for [c (thread-id :x) (memref.dim y 1) (block-dim :x)]
    (def head (+ (/ c 64) (* heads (/ row time))))
    (memref.store (memref.load o (+ (% row time) (* time head)) (% c 64)) y row c)))

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: batch index) (: heads index) (: groups index)]
  (def tokens (memref.dim x 0))
  (def time (/ tokens batch))
  (def rows (* tokens heads))
  (def shared (/ heads groups))
  (def q (device-alloc memref<?x?xf32> [rows 64]))
  (def k (device-alloc memref<?x?xf32> [(* batch groups 64) time]))
  (def v (device-alloc memref<?x?xf32> [(* tokens groups) 64]))
  (def o (device-alloc memref<?x?xf32> [rows 64]))
  (def scores (device-alloc memref<?x?xf32> [rows time]))
  (launch permute {:grid [tokens] :block [256]} x q k v heads groups)
  (launch scores-of {:grid [rows (/ (+ time 127) 128)] :block [128]} q k scores shared)
  (launch normalize {:grid [(/ (+ rows 7) 8)] :block [256]} scores)
  (launch values-of {:grid [rows] :block [64]} scores v o shared)
  (launch unpermute {:grid [tokens] :block [256]} o y time)
  (device-free! q)
  (device-free! k)
  (device-free! v)
  (device-free! o)
  (device-free! scores))

; CHECK: ok
(define-attention step 1 2e-6)
