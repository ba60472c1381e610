; Residual and layer norm, step 1: a kernel for each.
;
; The first adds, a thread a number; the second is step 3 of the layer norm's ladder, a warp a row, and reads from
; memory what the first has just written: 20 bytes for each number instead of 16, and the second kernel waits for the
; last block of the first.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
; PTX: .entry add(
; PTX: .entry normalize(
(require-dialect memref math)
(require ["./residual-norm.lisp" :as residual-norm] ["../ladder.lisp" :as ladder])
(require-macros "./residual-norm.lisp" "../ladder.lisp")

(defkernel add [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: z memref<?x?xf32>)]
  (def c (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def row (block-id :y))
  (when (< c (memref.dim x 1))
    (memref.store (+ (memref.load x row c) (memref.load r row c)) z row c)))

(defkernel normalize [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def columns (memref.dim x 1))
  (def each (/ (: 1.0 f32) (cast f32 columns)))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim x 0) (* (grid-dim :x) warps)]
    (def mean (* each (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) columns (warp-size)]
                                          (+ s (memref.load x row c))))))
    (def variance (* each (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) columns (warp-size)]
                                              (def d (- (memref.load x row c) mean))
                                              (+ s (* d d))))))
    (def scale (math.rsqrt (+ variance 1e-5)))
    (for [c (lane-id) columns (warp-size)]
      (def normal (* (- (memref.load x row c) mean) scale))
      (memref.store (+ (* normal (memref.load weight c)) (memref.load bias c)) y row c))))

(defn step [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>)
            (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch add {:grid [(/ (+ (memref.dim x 1) 255) 256) (memref.dim x 0)] :block [256]} x r z)
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 7) 8)] :block [256]} z weight bias y))

; CHECK-COUNT-2: ok
(define-residual-norm step)
