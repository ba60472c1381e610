; Layer normalisation, step 2: three kernels, and trees of sums in shared memory.
;
; A block of 128 threads takes a row. Each thread sums every 128th number, so neighbouring threads read neighbouring
; numbers; then the 128 partial sums are halved seven times in shared memory, with a barrier each time. Means,
; reciprocal deviations and results are kernels of their own, as one would write them first: the row is read from
; memory three times, twice for sums and once to be normalised, and the kernels wait for each other. What a training
; step needs later, means and deviations, is in memory as a by-product.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
(require-dialect memref math)
(require ["./layer-norm.lisp" :as layer-norm] ["../ladder.lisp" :as ladder])
(require-macros "./layer-norm.lisp" "../ladder.lisp")

(defkernel means [(: x memref<?x?xf32>) (: mean memref<?xf32>)]
  (def partial (shared f32 [128]))
  (def row (block-id :x))
  (def t (thread-id :x))
  (def columns (memref.dim x 1))
  (memref.store (fold [s (: 0.0 f32)] [c t columns 128] (+ s (memref.load x row c))) partial t)
  (tree-sum partial t)
  (when (= t 0) (memref.store (/ (memref.load partial 0) (cast f32 columns)) mean row)))

(defkernel deviations [(: x memref<?x?xf32>) (: mean memref<?xf32>) (: scale memref<?xf32>)]
  (def partial (shared f32 [128]))
  (def row (block-id :x))
  (def t (thread-id :x))
  (def columns (memref.dim x 1))
  (def m (memref.load mean row))
  (memref.store (fold [s (: 0.0 f32)] [c t columns 128]
                  (def d (- (memref.load x row c) m))
                  (+ s (* d d)))
                partial t)
  (tree-sum partial t)
  (when (= t 0)
    (memref.store (math.rsqrt (+ (/ (memref.load partial 0) (cast f32 columns)) 1e-5)) scale row)))

(defkernel normalize [(: x memref<?x?xf32>) (: mean memref<?xf32>) (: scale memref<?xf32>)
                      (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def row (block-id :x))
  (for [c (thread-id :x) (memref.dim x 1) 128]
    (def normal (* (- (memref.load x row c) (memref.load mean row)) (memref.load scale row)))
    (memref.store (+ (* normal (memref.load weight c)) (memref.load bias c)) y row c)))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def rows (memref.dim x 0))
  (def mean (device-alloc memref<?xf32> [rows]))
  (def scale (device-alloc memref<?xf32> [rows]))
  (launch means {:grid [rows] :block [128]} x mean)
  (launch deviations {:grid [rows] :block [128]} x mean scale)
  (launch normalize {:grid [rows] :block [128]} x mean scale weight bias y)
  (device-free! mean)
  (device-free! scale))

; CHECK: ok
(define-layer-norm step)
