;;; rope-backward.lisp - what the steps of this folder compute: the gradient of the rotation of the ladder `rope`. The
;;; transpose of a rotation turns back, so each pair (da, db) of dy becomes (da cos + db sin, db cos - da sin). dy, dx:
;;; [T H D].
;;;
;;; It moves 8 bytes for each number, and those of the table. The time is measured at T 8192, H 32, D 64.
(require-dialect memref math)
(require ["../ladder.lisp" :as ladder] ["../rope/rope.lisp" :as rope])
(require-macros "../ladder.lisp")

(defn turned-back [(: dy memref<?x?xf32>) (: count index)] -> memref<?x?xf32>
  (def half (/ (memref.dim dy 1) 2))
  (def dx (memref.alloc {:result memref<?x?xf32>} (memref.dim dy 0) (memref.dim dy 1)))
  (for [i 0 (memref.dim dy 0)] (for [j 0 half]
    (def phi (rope/angle (cast f64 (/ i count)) (cast f64 j) (cast f64 half)))
    (def a (cast f64 (memref.load dy i j)))
    (def b (cast f64 (memref.load dy i (+ j half))))
    (memref.store (cast f32 (+ (* a (cos phi)) (* b (sin phi)))) dx i j)
    (memref.store (cast f32 (- (* b (cos phi)) (* a (sin phi)))) dx i (+ j half))))
  dx)

;; (step x cosines sines dy dx) launches the kernel.
(defmacro define-rope-backward [step]
  `(define-main
     (let [x (rope/heads 7 3 32 3) dy (rope/heads 7 3 32 1) dx (rope/heads 7 3 32 2)]
       (~step x (rope/table 7 16 0) (rope/table 7 16 1) dy dx)
       (ladder/compare (rope/flat dx) (turned-back (ladder/on-host (rope/flat dy)) 3) 1e-6))
     (let [x (rope/heads 8192 32 64 3) dy (rope/heads 8192 32 64 1) dx (rope/heads 8192 32 64 2)
           cosines (rope/table 8192 32 0) sines (rope/table 8192 32 1)]
       (print-time 100 (~step x cosines sines dy dx)))))
