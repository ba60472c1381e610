; GELU and residual, step 3: 16 bytes a thread.
;
; Four numbers a thread as one vector: a quarter of the memory instructions, and more bytes on their way for each
; warp. The activation of a vector is written like that of a number: `activation` in gelu-residual.lisp has no types,
; and is generated for both. C has to be a multiple of 4, so that rows begin at 16 bytes.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
(require-dialect memref math vector)
(require ["./gelu-residual.lisp" :as gelu-residual] ["../ladder.lisp" :as ladder])
(require-macros "./gelu-residual.lisp" "../ladder.lisp")

; PTX: .entry both
; PTX-COUNT-2: ld.global{{.*}}.v4
; PTX: st.global.v4
(defmacro four [m i j] `(vector.load {:result vector<4xf32> :alignment (: 16 i64)} ~m ~i ~j))

(defkernel both [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def c (* 4 (+ (* (block-id :x) (block-dim :x)) (thread-id :x))))
  (def row (block-id :y))
  (when (< c (memref.dim x 1))
    (vector.store {:alignment (: 16 i64)}
                  (+ (four x row c) (gelu-residual/activation (four z row c))) y row c)))

(defn step [(: x memref<?x?xf32>) (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch both {:grid [(/ (+ (memref.dim x 1) 1023) 1024) (memref.dim x 0)] :block [256]} x z y))

; CHECK: ok
(define-gelu-residual step)
