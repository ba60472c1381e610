; The Mandelbrot set: how many steps of z = z z + c each point takes to leave the circle of radius 2. A loop of its own
; for each point ends when it may; a parallel loop is a grid of threads on a GPU.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn steps [(: cx f32) (: cy f32)] -> i32
  (def [x y n]
    (loop [x (: 0.0 f32) y (: 0.0 f32) n (: 0 i32)] :while (and (< n 50) (<= (+ (* x x) (* y y)) 4.0))
      :do [(+ (- (* x x) (* y y)) cx) (+ (* 2.0 x y) cy) (+ n 1)]))
  n)
(defn mandelbrot [(: out memref<?x?xi32>)]
  (def [h w] [(memref.dim out 0) (memref.dim out 1)])
  (parallel [i h j w]
    (def x (- (/ (* 3.0 (cast f32 j)) (cast f32 w)) 2.0))
    (def y (- (/ (* 2.0 (cast f32 i)) (cast f32 h)) 1.0))
    (memref.store (steps x y) out i j)))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def out (memref.alloc {:result memref<?x?xi32>} (: 9 index) (: 24 index)))
  (mandelbrot out)
  (for [i 0 9]
    (for [j 0 24] (print "%s" (if (= (memref.load out i j) 50) (cstring "#") (cstring "."))))
    (println ""))
  ; CHECK: {{^}}................#.......{{$}}
  ; CHECK: {{^}}......####.########.....{{$}}
  ; CHECK-NEXT: {{^}}......####.########.....{{$}}
  (println "%d %d" (steps 0.0 0.0) (steps 0.5 0.5))       ; CHECK: 50 5
  (when (> argc 0)
    (def large (memref.alloc {:result memref<?x?xi32>} (: 800 index) (: 1200 index)))
    (def best (fold [best (: 1e9 f64)] [i 0 10]
      (def began (check/seconds))
      (mandelbrot large)
      (min best (- (check/seconds) began))))
    (println "time %.4f" (* 1000.0 best))))
