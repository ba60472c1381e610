; What the forms on tensors compute.
; RUN: lispier run %s %t.npy | FileCheck %s
(require-dialect tensor memref)

; Names of sizes are equal sizes, and index values in the body. Without -> the results follow from the body.
(defn shifted [(: x (tensor t c f32)) (: b (tensor c f32))] -> (tensor t c f32) (* 0.5 (+ x b 1.0)))
(defn counted [(: x (tensor t c f32)) (: b (tensor c f32))] (+ (sum (+ x b)) (cast f32 (* t c))))
; A generic function knows the sizes that its call knows.
(defn both [x (: b (tensor c f32))] (* (cast f32 c) (+ x b)))
(defn softmax [x & {:axis -1}]
  (def e (exp (- x (max x :axis axis :keep true))))
  (/ e (sum e :axis axis :keep true)))

(defn elementwise [(: x (tensor 2 3 f32))]
  (println (+ x (iota f32 [2 1] :axis 0) 0.5))
  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: {{^\[\[0.5 1.5 2.5\]$}}
  ; CHECK-NEXT: {{^ \[1.5 2.5 3.5\]\]$}}
  (println (where (and (> x 0.0) (not (= x 2.0))) x (- x)))
  ; CHECK-NEXT: f32 [2 3]
  ; CHECK-NEXT: [-0 1 -2]
  (println (pow (min x 1.5) 2.0)) ; CHECK: [0 1 2.25]
  (println (cast i32 (* 1.75 x))) ; CHECK: i32 [2 3]
  ; CHECK-NEXT: [0 1 3]
  ; 16-bit floats are computed in f32 and rounded; of two widths the wider is taken.
  (println (+ (cast bf16 x) 0.001)) ; CHECK: bf16 [2 3]
  ; CHECK-NEXT: [0.000999451 1 2]
  (println (+ (cast bf16 x) x)) ; CHECK: f32 [2 3]
  (println (sigmoid (full f32 [0 4] 1.0)))) ; CHECK: f32 [0 4]
  ; CHECK-NEXT: []

; Arithmetic of numbers takes the type of the tensor that it meets.
(defn numbers [(: x (tensor n f32)) (: i (tensor n i32))]
  (println (+ x (* 2.0 (sqrt 4.0))))               ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [4 5]
  (println (* (/ 1.0 (sqrt 4.0)) x))               ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [0 0.5]
  (println (where (> x (log 1.0)) (- 3.0 1.0) x))  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [0 2]
  (println (+ (* 2 3) i))                          ; CHECK-NEXT: i32 [2]
  ; CHECK-NEXT: [6 7]
  (println (: [[nan 1] [-inf inf]] (tensor 2 2 bf16)))) ; CHECK-NEXT: bf16 [2 2]
  ; CHECK-NEXT: {{^\[\[nan 1\]$}}
  ; CHECK-NEXT: [-inf inf]

(defn reductions [(: x (tensor 2 3 f32))]
  (println (sum x)) ; CHECK-NEXT: {{^f32 \[\] 6$}}
  (println (mean x :axis -1)) ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: {{^\[1 1\]$}}
  (println (max x :axes [0 1] :keep true)) ; CHECK-NEXT: f32 [1 1]
  ; CHECK-NEXT: {{^\[\[2\]\]$}}
  (println (any (> x 1.0) :axis 1)) ; CHECK-NEXT: i1 [2]
  ; CHECK-NEXT: [true true]
  (println (max (cast index x) :axis 0)) ; CHECK-NEXT: index [3]
  ; CHECK-NEXT: {{^\[0 1 2\]$}}
  (println (argmax (cast index x) :axis 1)) ; CHECK-NEXT: i32 [2]
  ; CHECK-NEXT: {{^\[2 2\]$}}
  ; Of i1, true is greater than false.
  (println (< (> x 1.0) (< x 1.5))) ; CHECK-NEXT: i1 [2 3]
  ; CHECK-NEXT: {{^\[\[true true false\]$}}
  ; CHECK-NEXT: {{^ \[true true false\]\]$}}
  (println (max (> x 1.0) :axis 1)) ; CHECK-NEXT: i1 [2]
  ; CHECK-NEXT: [true true]
  (println (min (> x 1.0) :axis 1)) ; CHECK-NEXT: i1 [2]
  ; CHECK-NEXT: [false false]
  (println (max (> x 1.0) (< x 1.0))) ; CHECK-NEXT: i1 [2 3]
  ; CHECK-NEXT: {{^\[\[true false true\]$}}
  ; CHECK-NEXT: {{^ \[true false true\]\]$}}
  (println (min (> x 1.0) (< x 4.0))) ; CHECK-NEXT: i1 [2 3]
  ; CHECK-NEXT: {{^\[\[false false true\]$}}
  ; CHECK-NEXT: {{^ \[false false true\]\]$}}
  (println (argmax (where (= x 1.0) nan x) :axis 1)) ; CHECK-NEXT: i32 [2]
  ; CHECK-NEXT: [1 1]
  (println (argmax x)) ; CHECK-NEXT: i32 [] 2
  (println (argmin (- 1.0 x))) ; CHECK-NEXT: i32 [] 2
  (println (cumsum (reshape (+ 1.0 x) [1 2 3]) :axis 2)) ; CHECK-NEXT: f32 [1 2 3]
  ; CHECK-NEXT: {{^\[\[\[1 3 6\]$}}
  ; CHECK-NEXT: {{^  \[1 3 6\]\]\]$}}
  (println (cumsum (cast bf16 x) :axis 0)) ; CHECK-NEXT: bf16 [2 3]
  ; CHECK-NEXT: [0 1 2]
  ; CHECK-NEXT: [0 2 4]
  (println (softmax x :axis 0)) ; CHECK-NEXT: f32 [2 3]
  ; CHECK-NEXT: [0.5 0.5 0.5]
  (println "%g" (sum (cast f64 x) :axes [1 0]))) ; CHECK-NEXT: [0.5 0.5 0.5]
  ; CHECK-NEXT: {{^6$}}

(defn files [(: path !llvm.ptr)]
  (save-npy (iota bf16 [4 2] :axis 0) path)
  (println (load-npy (tensor n 2 f32) path))
  ; CHECK: f32 [4 2]
  ; CHECK-NEXT: [0 0]
  ; CHECK-NEXT: [1 1]
  (println (iota i64 [3 20] :axis 1)))
  ; CHECK: i64 [3 20]
  ; CHECK-NEXT: [0 1 2 ... 17 18 19]

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (iota f32 [2 3] :axis 1))
  (elementwise x)
  (numbers (iota f32 [2]) (iota i32 [2]))
  (reductions x)
  (files (ptr-load !llvm.ptr argv))
  (println (shifted x (iota f32 [3]))) ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [0.5 1.5 2.5]
  ; CHECK-NEXT: [0.5 1.5 2.5]
  (println "%g" (counted x (iota f32 [3]))) ; CHECK-NEXT: {{^18$}}
  (def here (host (shifted x (iota f32 [3]))))
  (println "%g %g" (at here 1 2) (at (host (sum here)))) ; CHECK-NEXT: {{^2.5 9$}}
  (println (both x (iota f32 [3]))) ; CHECK-NEXT: f32 [2 3]
  ; CHECK-NEXT: [0 6 12]
  ; A memref where a tensor is taken.
  (def m (memref.alloc {:result memref<?x?xf32>} 2 3))
  (for [i 0 2] (for [j 0 3] (memref.store 2.0 m i j)))
  (println (shifted m (iota f32 [3]))) ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [1.5 2 2.5]
  (memref.dealloc m))
