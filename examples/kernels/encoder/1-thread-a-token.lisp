; Encoder, step 1: a thread a token.
;
; The shortest translation of the loops: the outer loop becomes threads, the inner one stays. Neighbouring threads
; then work on neighbouring tokens, so at any moment the 32 lanes of a warp read and write 32 different rows, 3 KB
; apart: each access takes 32 sectors of 32 bytes to get 4 bytes of each, and 8,192 tokens are 256 warps only, two for
; each multiprocessor, which cannot hide the latency of these accesses either. Step 2 turns the two loops around.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref)
(require ["./encoder.lisp" :as encoder] ["../ladder.lisp" :as ladder])
(require-macros "./encoder.lisp" "../ladder.lisp")

(defkernel encode
  [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def n (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (when (< n (memref.dim tokens 0))
    (def token (cast index (memref.load tokens n)))
    (def t (% n (memref.dim positions 0)))
    (for [c 0 (memref.dim table 1)]
      (memref.store (+ (memref.load table token c) (memref.load positions t c)) y n c))))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch encode {:grid [(/ (+ (memref.dim tokens 0) 127) 128)] :block [128]} tokens table positions y))

; CHECK: ok
(define-encoder step)
