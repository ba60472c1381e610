;;; rope.lisp - what the steps of this folder compute: each pair (a, b) of the two halves of a head turns by an angle,
;;; to (a cos - b sin, b cos + a sin); that of pair j at time t is t 10000^(-j / (D/2)) (Su and others 2021, in the
;;; order of Hugging Face's weights). x, y: [T H D].
;;;
;;; It moves 8 bytes for each number, and those of the table. The time is measured at T 8192, H 32, D 64.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder] ["../device-time.lisp" :as device-time])
(require-macros "../ladder.lisp")

(defn heads [(: time index) (: heads index) (: size index) (: seed index)] -> memref<?x?x?xf32>
  (def m (device-alloc memref<?x?x?xf32> [time heads size]))
  (parallel [t time h heads d size] (memref.store (device-time/noise (+ h (* t heads)) d seed) m t h d))
  m)

;; Rows of a head each.
(defn flat [(: m memref<?x?x?xf32>)] -> memref<?x?xf32>
  (memref.collapse_shape {:reassociation [[0 1] [2]] :result memref<?x?xf32>} m))

;; The angle of pair j of `half` at time t; 9.21 is log(10000).
(defn angle [(: t f64) (: j f64) (: half f64)] -> f64 (* t (exp (/ (* j -9.210340371976184) half))))

;; The cosine (part 0) or sine (part 1) of each angle, [T D/2].
(defn table [(: time index) (: half index) (: part index)] -> memref<?x?xf32>
  (def host (memref.alloc {:result memref<?x?xf32>} time half))
  (for [t 0 time] (for [j 0 half]
    (def a (angle (cast f64 t) (cast f64 j) (cast f64 half)))
    (memref.store (cast f32 (if (= part 0) (cos a) (sin a))) host t j)))
  (def m (device-alloc memref<?x?xf32> [time half]))
  (upload! m host)
  m)

(defn reference [(: x memref<?x?xf32>) (: count index)] -> memref<?x?xf32>
  (def half (/ (memref.dim x 1) 2))
  (def y (memref.alloc {:result memref<?x?xf32>} (memref.dim x 0) (memref.dim x 1)))
  (for [i 0 (memref.dim x 0)] (for [j 0 half]
    (def phi (angle (cast f64 (/ i count)) (cast f64 j) (cast f64 half)))
    (def a (cast f64 (memref.load x i j)))
    (def b (cast f64 (memref.load x i (+ j half))))
    (memref.store (cast f32 (- (* a (cos phi)) (* b (sin phi)))) y i j)
    (memref.store (cast f32 (+ (* b (cos phi)) (* a (sin phi)))) y i (+ j half))))
  y)

;; (step x cosines sines y) launches the kernel. Angles have errors of 2^-24 of themselves.
(defmacro define-rope [step]
  `(define-main
     (let [x (heads 7 3 32 1) y (heads 7 3 32 2)]
       (~step x (table 7 16 0) (table 7 16 1) y)
       (ladder/compare (flat y) (reference (ladder/on-host (flat x)) 3) 2e-6))
     (let [x (heads 8192 32 64 1) y (heads 8192 32 64 2) cosines (table 8192 32 0) sines (table 8192 32 1)]
       (print-time 100 (~step x cosines sines y)))))
