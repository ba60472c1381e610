; Encoder, step 2: a thread an element.
;
; Now neighbouring threads write neighbouring channels of one token: a warp's access is 128 bytes in a row, four
; sectors that are used whole, and there are 6.3 million threads. What is left is instructions: each thread divides by
; C to find its token, and loads, adds and stores 4 bytes. The division is of 32-bit numbers, since the launch says
; that they fit. Step 3 gives a thread four channels.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref)
(require ["./encoder.lisp" :as encoder] ["../ladder.lisp" :as ladder])
(require-macros "./encoder.lisp" "../ladder.lisp")

(defkernel encode
  [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def channels (cast i32 (memref.dim table 1)))
  (def i (+ (* (cast i32 (block-id :x)) (cast i32 (block-dim :x))) (cast i32 (thread-id :x))))
  (def n (cast index (/ i channels)))
  (def c (cast index (% i channels)))
  (when (< n (memref.dim tokens 0))
    (def token (cast index (memref.load tokens n)))
    (memref.store (+ (memref.load table token c) (memref.load positions (% n (memref.dim positions 0)) c)) y n c)))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def elements (* (memref.dim tokens 0) (memref.dim table 1)))
  (launch encode {:grid [(/ (+ elements 255) 256)] :block [256]} tokens table positions y))

; CHECK: ok
(define-encoder step)
