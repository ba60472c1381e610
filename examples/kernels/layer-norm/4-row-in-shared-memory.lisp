; Layer normalisation, step 4: vectors of four, and the row in shared memory.
;
; A lane loads 16 bytes at a time, a quarter of step 3's loads, and keeps what it loaded in shared memory, from which
; the second and third pass take it: the L1 cache is left to the weights. A lane reads only what it wrote itself, so
; there is no barrier. C has to be a multiple of 4, so that rows begin at 16 bytes, and at most 1,024, which are 32 KB
; for eight warps.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
(require-dialect memref math vector)
(require ["./layer-norm.lisp" :as layer-norm] ["../ladder.lisp" :as ladder])
(require-macros "./layer-norm.lisp" "../ladder.lisp")

; PTX: .entry normalize
; PTX: ld.global{{.*}}.v4
; PTX: st.shared.v4
; PTX: st.global.v4
(defmacro four [m & indices] `(vector.load {:result vector<4xf32> :alignment (: 16 i64)} ~m ~@indices))
(defmacro four! [v m & indices] `(vector.store {:alignment (: 16 i64)} ~v ~m ~@indices))
(defmacro across [v] `(warp-reduce :add (vector.reduction {:kind :add :result f32} ~v)))

(defkernel normalize [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def kept (shared f32 [8 1024]))
  (def warps (/ (block-dim :x) (warp-size)))
  (def columns (memref.dim x 1))
  (def each (/ (: 1.0 f32) (cast f32 columns)))
  (def zero (vector.broadcast {:result vector<4xf32>} (: 0.0 f32)))
  (def first (* 4 (lane-id)))
  (def next (* 4 (warp-size)))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim x 0) (* (grid-dim :x) warps)]
    (def total (fold [s zero] [c first columns next]
      (def v (four x row c))
      (four! v kept (warp-id) c)
      (+ s v)))
    (def mean (vector.broadcast {:result vector<4xf32>} (* each (across total))))
    (def squares (fold [s zero] [c first columns next]
      (def d (- (four kept (warp-id) c) mean))
      (+ s (* d d))))
    (def scale (vector.broadcast {:result vector<4xf32>} (math.rsqrt (+ (* each (across squares)) 1e-5))))
    (for [c first columns next]
      (def normal (* (- (four kept (warp-id) c) mean) scale))
      (four! (+ (* normal (four weight c)) (four bias c)) y row c))))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 7) 8)] :block [256]} x weight bias y))

; CHECK: ok
(define-layer-norm step)
