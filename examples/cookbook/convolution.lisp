; A 3 x 3 convolution, ReLU and 2 x 2 max pooling: a convolution is a sum of nine shifted images, pooling a reshape.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn convolved [(: x (tensor b h w f32)) (: k (tensor o 3 3 f32))]
  (fold [s (zeros f32 [b o (- h 2) (- w 2)])] [i 0 3]
    (fold [s s] [j 0 3]
      (+ s (* (reshape (slice x [0 i j] [b (- h 2) (- w 2)]) [b 1 (- h 2) (- w 2)])
              (reshape (slice k [0 i j] [o 1 1]) [1 o 1 1]))))))
(defn pooled [(: x (tensor b o h w f32))]
  (max (reshape x [b o (/ h 2) 2 (/ w 2) 2]) :axes [3 5]))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (sin (* 0.1 (reshape (iota f32 [3136]) [4 28 28]))))
  (def k (cos (reshape (iota f32 [72]) [8 3 3])))
  (def y (convolved x k))
  (def p (pooled (relu y)))
  (println "%ld %ld %ld %ld" (dim p 0) (dim p 1) (dim p 2) (dim p 3))              ; CHECK: 4 8 13 13
  (def one (at (sum (* (slice x [2 4 5] [1 3 3]) (slice k [3 0 0] [1 3 3])))))
  (check/report (cstring "element") (abs (- one (at y 2 3 4 5))) 1e-5)             ; CHECK: element: ok
  (def four (max (at y 1 2 6 8) (max (at y 1 2 6 9) (max (at y 1 2 7 8) (at y 1 2 7 9)))))
  (check/report (cstring "pool") (abs (- (max four 0.0) (at p 1 2 3 4))) 0.0)      ; CHECK: pool: ok
  (def images (to-memref (sin (reshape (iota f32 [50176]) [64 28 28]))))
  (timed argc memref<?x?x?x?xf32> [(: 64 index) (: 8 index) (: 13 index) (: 13 index)]
    (pooled (relu (convolved (load images) (cos (reshape (iota f32 [72]) [8 3 3])))))))
