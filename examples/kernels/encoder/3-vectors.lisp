; Encoder, step 3: 16 bytes a thread.
;
; A thread loads, adds and stores four channels as one vector: a quarter of the instructions and of the divisions, and
; four times as many bytes on their way for each warp. The table's rows are read once, so they need not stay in the
; caches; the positions are read by each of the texts. C has to be a multiple of 4, so that each row begins at 16
; bytes.
;
; Beyond this there is nothing to gain on a GPU: the kernel waits for memory. What follows are the same reads and
; writes from the levels above, a tile program and a formula.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
(require-dialect memref vector)
(require ["./encoder.lisp" :as encoder] ["../ladder.lisp" :as ladder])
(require-macros "./encoder.lisp" "../ladder.lisp")

; PTX: .entry encode
; PTX-COUNT-2: ld.global{{.*}}.v4
; PTX: st.global.v4
(defmacro four [m i j] `(vector.load {:result vector<4xf32> :alignment (: 16 i64)} ~m ~i ~j))

(defkernel encode
  [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def quarter (cast i32 (/ (memref.dim table 1) 4)))
  (def i (+ (* (cast i32 (block-id :x)) (cast i32 (block-dim :x))) (cast i32 (thread-id :x))))
  (def n (cast index (/ i quarter)))
  (def c (* 4 (cast index (% i quarter))))
  (when (< n (memref.dim tokens 0))
    (def token (cast index (memref.load tokens n)))
    (vector.store {:alignment (: 16 i64)}
                  (+ (four table token c) (four positions (% n (memref.dim positions 0)) c)) y n c)))

(defn step [(: tokens memref<?xi32>) (: table memref<?x?xf32>) (: positions memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def vectors (* (memref.dim tokens 0) (/ (memref.dim table 1) 4)))
  (launch encode {:grid [(/ (+ vectors 255) 256)] :block [256]} tokens table positions y))

; CHECK: ok
(define-encoder step)
