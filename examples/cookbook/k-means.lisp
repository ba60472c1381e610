; k-means: each point belongs to the nearest centre, and a centre becomes the mean of its points.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check] ["./random.lisp" :as random])
(require-macros "./check.lisp")

(defn nearest [(: points (tensor n d f32)) (: centers (tensor k d f32))]
  (def away (- (reshape points [n 1 d]) centers))
  (argmin (sum (* away away) :axis 2) :axis 1))
(defn step [(: points (tensor n d f32)) (: centers (tensor k d f32))]
  (def member (one-hot (nearest points centers) k))
  (/ (einsum "nk,nd->kd" member points) (reshape (sum member :axis 0) [k 1])))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  ; 100 points within 1 of each of (0 0), (10 0) and (0 10).
  (def noise (- (* 2.0 (reshape (random/uniform 600 3) [3 100 2])) 1.0))
  (def true-centers (: [[0.0 0.0] [10.0 0.0] [0.0 10.0]] tensor<3x2xf32>))
  (def points (reshape (+ noise (reshape true-centers [3 1 2])) [300 2]))
  (def centers (fold [c (: [[1.0 1.0] [5.0 1.0] [1.0 5.0]] tensor<3x2xf32>)] [i 0 10] (step points c)))
  (check/report (cstring "centers") (check/difference centers true-centers) 0.3)       ; CHECK: centers: ok
  (println (sum (one-hot (nearest points centers) 3) :axis 0))                         ; CHECK: [100 100 100]
  (def large (to-memref (reshape (random/uniform 200000 4) [100000 2])))
  (timed argc memref<?x?xf32> [(: 16 index) (: 2 index)] (step (load large) (reshape (random/uniform 32 5) [16 2]))))
