; Residual and layer norm, step 2: one kernel, and the sum in shared memory.
;
; A warp adds its row where it needs it for the mean, stores it once for the next layer, and keeps it in shared memory
; for the second and the third pass: z is written and never read. Vectors of four, as in step 4 of the layer norm's
; ladder: C has to be a multiple of 4, and at most 1,024, which are 32 KB for eight warps.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
; PTX: .entry normalize(
; PTX-COUNT-2: ld.global{{.*}}.v4
; PTX-DAG: st.shared.v4
; PTX-DAG: st.global.v4
(require-dialect memref math vector)
(require ["./residual-norm.lisp" :as residual-norm] ["../ladder.lisp" :as ladder])
(require-macros "./residual-norm.lisp" "../ladder.lisp")

(defmacro four [m & indices] `(vector.load {:result vector<4xf32> :alignment (: 16 i64)} ~m ~@indices))
(defmacro four! [v m & indices] `(vector.store {:alignment (: 16 i64)} ~v ~m ~@indices))
(defmacro across [v] `(warp-reduce :add (vector.reduction {:kind :add :result f32} ~v)))

(defkernel normalize [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>)
                      (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def kept (shared f32 [8 1024]))
  (def warps (/ (block-dim :x) (warp-size)))
  (def columns (memref.dim x 1))
  (def each (/ (: 1.0 f32) (cast f32 columns)))
  (def zero (vector.broadcast {:result vector<4xf32>} (: 0.0 f32)))
  (def first (* 4 (lane-id)))
  (def next (* 4 (warp-size)))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim x 0) (* (grid-dim :x) warps)]
    (def total (fold [s zero] [c first columns next]
      (def v (+ (four x row c) (four r row c)))
      (four! v z row c)
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

(defn step [(: x memref<?x?xf32>) (: r memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>)
            (: z memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 7) 8)] :block [256]} x r weight bias z y))

; CHECK-COUNT-2: ok
(define-residual-norm step)
