; Product, step 1: a thread an element of c.
;
; Each thread walks a row of a and a column of b. The 32 lanes of a warp have neighbouring columns, so that they read 64
; bytes of b together and one number of a, which the L1 cache gives to all of them: two loads for each multiplication.
; The memory is far from busy; the load units are what is full.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math)
(require ["./product.lisp" :as product] ["../ladder.lisp" :as ladder])
(require-macros "./product.lisp" "../ladder.lisp")

(defkernel multiply [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def i (block-id :y))
  (def j (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< j (memref.dim c 1))
    (memref.store (fold [s (: 0.0 f32)] [k 0 (memref.dim a 1)]
                    (+ s (* (cast f32 (memref.load a i k)) (cast f32 (memref.load b k j)))))
                  c i j)))

(defn step [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (launch multiply {:grid [(/ (+ (memref.dim c 1) 127) 128) (memref.dim c 0)] :block [128]} a b c))

; CHECK: ok
(define-product step)
