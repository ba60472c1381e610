; GELU backward, step 2: 16 bytes a thread.
;
; Four numbers a thread as one vector: a quarter of the memory instructions, and more bytes on their way for each warp.
; `slope` has no types, and is generated for vectors, too. C has to be a multiple of 4, so that rows begin at 16 bytes.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s | FileCheck %s --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
; PTX: .entry back
; PTX-COUNT-2: ld.global{{.*}}.v4
; PTX: st.global.v4
(require-dialect memref math vector)
(require ["./gelu-backward.lisp" :as gelu-backward] ["../ladder.lisp" :as ladder])
(require-macros "./gelu-backward.lisp" "../ladder.lisp")

(defmacro four [m i j] `(vector.load {:result vector<4xf32> :alignment (: 16 i64)} ~m ~i ~j))

(defkernel back [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (def c (* 4 (+ (* (block-id :x) (block-dim :x)) (thread-id :x))))
  (def row (block-id :y))
  (when (< c (memref.dim x 1))
    (vector.store {:alignment (: 16 i64)} (* (four dy row c) (gelu-backward/slope (four x row c))) dx row c)))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (launch back {:grid [(/ (+ (memref.dim x 1) 1023) 1024) (memref.dim x 0)] :block [256]} x dy dx))

; CHECK: ok
(define-gelu-backward step)
