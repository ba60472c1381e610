; Vectors of more numbers than registers hold: sums, branches, products and what a loop carries are as of short ones.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref math vector)


(defn last-of [(: x memref<?xf32>) (: y memref<?xf32>)]
  (def v (vector.load {:result vector<4096xf32>} x 0))
  (def w (vector.load {:result vector<4096xf32>} x 4096))
  (def [a b] (fold [a v b w] [i 0 3] [b (+ a (* 2.0 b))]))
  (vector.store (if (> (memref.load x 1) 0.0) (- a b) b) y 0)
  (vector.store (where (< a b) (sqrt v) (- 0.0 v)) y 4096)
  (memref.store (vector.reduction {:kind "#vector.kind<add>" :result f32} v) y 8192)
  (memref.store (vector.reduction {:kind "#vector.kind<minimumf>" :result f32} (- v w)) y 8193))

; The same, number by number.
(defn differences [(: x memref<?xf32>) (: y memref<?xf32>)] -> i64
  (fold [wrong (: 0 i64)] [i 0 4096]
    (def v (memref.load x i))
    (def w (memref.load x (+ i 4096)))
    (def [a b] (fold [a v b w] [j 0 3] [b (+ a (* 2.0 b))]))
    (def first (if (> (memref.load x 1) 0.0) (- a b) b))
    (def second (if (< a b) (sqrt v) (- 0.0 v)))
    (def isRight (and (= (memref.load y i) first) (= (memref.load y (+ i 4096)) second)))
    (if isRight wrong (+ wrong 1))))

(defn main []
  (def x (memref.alloc {:result memref<?xf32>} 8192))
  (def y (memref.alloc {:result memref<?xf32>} 8194))
  (for [i 0 8192] (memref.store (cast f32 (% i 9)) x i))
  (last-of x y)
  ; CHECK: 0 wrong, sum 16380, least -1
  (print "%ld wrong, sum %g, least %g\n" (differences x y) (memref.load y 8192) (memref.load y 8193)))
