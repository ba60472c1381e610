; The small layers of a Llama: RMS norm, SwiGLU, rotary embedding with a table, repetition of heads (llama-tiles.lisp).
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check] ["./llama-tiles.lisp" :as llama-tiles])

(defn test-rms-norm []
  (def [x y z] [(check/filled 1 5 100) (check/matrix 5 100) (check/matrix 5 100)])
  (def weight (memref.alloc {:result memref<?xf32>} (: 100 index)))
  (for [j 0 100] (memref.store (check/value 2 j 0) weight j))
  (launch llama-tiles/rms-norm {:grid [5] :const {:columns 128}} x weight y)
  (for [i 0 5]
    (def squares (fold [s (: 0.0 f32)] [j 0 100] (+ s (* (memref.load x i j) (memref.load x i j)))))
    (for [j 0 100]
      (memref.store (/ (* (memref.load x i j) (memref.load weight j)) (sqrt (+ (/ squares 100.0) 1e-5))) z i j)))
  (check/report (cstring "rms norm") (check/largest-difference y z) 1e-5))

(defn test-swiglu []
  (def x (check/rounded (check/filled 1 20 48)))
  (def gate (check/rounded (check/filled 2 48 40)))
  (def up (check/rounded (check/filled 3 48 40)))
  (def [y z] [(check/matrix 20 40) (check/matrix 20 40)])
  (launch llama-tiles/swiglu {:grid [2 3] :const {:bm 16 :bn 16 :bk 32}} x gate up y)
  (for [i 0 20] (for [j 0 40]
    (def [g u] (fold [g (: 0.0 f32) u (: 0.0 f32)] [k 0 48]
      (def v (cast f32 (memref.load x i k)))
      [(+ g (* v (cast f32 (memref.load gate k j)))) (+ u (* v (cast f32 (memref.load up k j))))]))
    (memref.store (* g (sigmoid g) u) z i j)))
  (check/report (cstring "swiglu") (check/largest-difference y z) 1e-4))

(defn test-rotary []
  (def x (memref.alloc {:result memref<?x?x?xf32>} (: 6 index) (: 3 index) (: 32 index)))
  (def [cosines sines] [(check/matrix 6 16) (check/matrix 6 16)])
  (for [t 0 6] (for [j 0 16]
    (def angle (* (cast f32 t) (pow 10000.0 (/ (cast f32 j) -16.0))))
    (memref.store (cos angle) cosines t j)
    (memref.store (sin angle) sines t j)))
  (for [t 0 6] (for [h 0 3] (for [j 0 32] (memref.store (check/value h t j) x t h j))))
  (launch llama-tiles/rotary {:grid [6 3] :const {:half 16}} x cosines sines)
  (def worst (fold [worst (: 0.0 f32)] [t 0 6] (fold [worst worst] [h 0 3] (fold [worst worst] [j 0 16]
    (def [a b] [(check/value h t j) (check/value h t (+ j 16))])
    (def [c s] [(memref.load cosines t j) (memref.load sines t j)])
    (max worst (abs (- (memref.load x t h j) (- (* a c) (* b s))))
               (abs (- (memref.load x t h (+ j 16)) (+ (* b c) (* a s)))))))))
  (check/report (cstring "rotary") worst 1e-6))

(defn test-repeat []
  (def [x y z] [(check/filled 1 7 20) (check/matrix 21 20) (check/matrix 21 20)])
  (launch llama-tiles/repeat-interleave {:grid [3] :const {:rows 8 :columns 32}} x y 3)
  (for [i 0 21] (for [j 0 20] (memref.store (memref.load x (/ i 3) j) z i j)))
  (check/report (cstring "repeat") (check/largest-difference y z) 0.0))

; CHECK: rms norm: ok
; CHECK: swiglu: ok
; CHECK: rotary: ok
; CHECK: repeat: ok
(defn main []
  (test-rms-norm)
  (test-swiglu)
  (test-rotary)
  (test-repeat))
