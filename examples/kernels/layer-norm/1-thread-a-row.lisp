; Layer normalisation, step 1: a thread a row.
;
; The loops of the formula, with a thread for each row. The lanes of a warp read 32 different rows at a time, 3 KB
; apart, so each access loads 32 sectors of 32 bytes and uses 4 bytes of each. The other bytes are used only if the
; sectors are still in the L1 cache when the loop reaches them. 8,192 rows are 256 warps, two for each multiprocessor,
; too few to hide the latency of memory. Each row is read three times. Steps 2 and 3 give a row to many threads.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
(require-dialect memref math)
(require ["./layer-norm.lisp" :as layer-norm] ["../ladder.lisp" :as ladder])
(require-macros "./layer-norm.lisp" "../ladder.lisp")

(defkernel normalize [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def row (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def columns (memref.dim x 1))
  (when (< row (memref.dim x 0))
    (def each (/ (: 1.0 f32) (cast f32 columns)))
    (def mean (* each (fold [s (: 0.0 f32)] [c 0 columns] (+ s (memref.load x row c)))))
    (def variance (* each (fold [s (: 0.0 f32)] [c 0 columns]
                            (def d (- (memref.load x row c) mean))
                            (+ s (* d d)))))
    (def scale (math.rsqrt (+ variance 1e-5)))
    (for [c 0 columns]
      (def normal (* (- (memref.load x row c) mean) scale))
      (memref.store (+ (* normal (memref.load weight c)) (memref.load bias c)) y row c))))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 127) 128)] :block [128]} x weight bias y))

; CHECK: ok
(define-layer-norm step)
