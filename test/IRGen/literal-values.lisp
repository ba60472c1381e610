; What follows from bare numbers alone takes the type of what it meets, in each use.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=module %s | FileCheck %s --check-prefix=MODULE
(require-dialect memref arith)
; The marks of bare numbers are gone.
; MODULE-NOT: lispier.literal

(defn doubled [(: x f32)] -> f32 (* x 2))
(defn product [x s] (* x s))
(defn scaled [x & {:scale 1}] (* x scale))
; Its body is nothing but a literal.
(defn half-for [x] (if (< 0 1) 0.5 1.0))

(deftile in-tiles [(: x memref<8xf32>) (: y memref<8xf32>)]
  (def c 0.75)
  (def t (load x [0] [8]))
  (def low (< (iota i32 [8]) 4))
  (store (+ (* (where low c (- c)) t) (* (if (< (program-id 0) 1) 1.0 0.0) t) (* (where low 1 0) t)) y [0]))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def two (full f32 [2] 2.0))
  (def c (= (iota i32 [2]) (cast i32 argc)))
  ; CHECK: f32 [2]
  ; CHECK-NEXT: [0.5 2]
  (println (where c (where c 0.5 -0.5) two))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [1 -1]
  (println (* (where c 0.5 -0.5) two))
  (def k 0.1)
  ; As for the number itself: 0.1 read as f32, not as f64 and rounded.
  ; CHECK-NEXT: i1 [2]
  ; CHECK-NEXT: [true true]
  (println (= (* k two) (* 0.1 two)))
  ; Beside 16 bits it is f32, as the number is.
  ; CHECK-NEXT: bf16 [2]
  ; CHECK-NEXT: [0.100098 0.100098]
  (println (* (/ k 2) (full bf16 [2] 2.0)))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [2 2]
  (println (* (if (any c) 1.0 0.0) two))
  ; A condition that the branches compute.
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [4 4]
  (println (* (if (any c) (if (< argc 5) 2.0 3.0) 0.0) two))
  ; Alone it has the type that it had.
  ; CHECK-NEXT: f64 [2]
  ; CHECK-NEXT: [0.5 -0.5]
  (println (where c 0.5 -0.5))
  ; CHECK-NEXT: 0.1
  (println k)
  ; CHECK-NEXT: 3
  (def n 3)
  (println n)
  ; An integer may become a float or another integer, its quotient stays one.
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [-6 -6]
  (println (* (- n) two))
  ; CHECK-NEXT: i8 [2]
  ; CHECK-NEXT: [3 4]
  (println (+ n (iota i8 [2])))
  ; CHECK-NEXT: i32 [2]
  ; CHECK-NEXT: [1 2]
  (println (let [q (/ n 2)] (+ q (iota i32 [2]))))
  ; CHECK-NEXT: f32 [1]
  ; CHECK-NEXT: [1.69042]
  (println (* (exp (sigmoid k)) (full f32 [1] 1.0)))
  ; Arguments, results of functions, constants of keywords.
  ; CHECK-NEXT: 0.2
  (println (doubled k))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [0.2 0.2]
  (println (product two k))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [1 1]
  (println (* (half-for c) two))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [0.707107 0.707107]
  (println (scaled two :scale (/ 1.0 (sqrt 8.0))))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [2e-21 2e-21]
  (println (scaled two :scale (* k 1e-20)))
  ; Branches of `if`, loops, tensors that are joined and multiplied.
  ; CHECK-NEXT: 0.2
  (println (if (any c) (* k 2) (at two 0)))
  ; CHECK-NEXT: 6.1
  (println (fold [s k] [i 0 n] (+ s (at two 0))))
  ; CHECK-NEXT: f32 [4]
  ; CHECK-NEXT: [2 2 1 0]
  (println (concat two (where c 1 0)))
  ; CHECK-NEXT: f32 [] 2
  (println (einsum "i,i->" two (where c 1 0)))
  ; CHECK-NEXT: f32 [4]
  ; CHECK-NEXT: [0.1 2 2 0.1]
  (println (pad two [[1 1]] k))
  ; CHECK-NEXT: 0.1
  (println (: k f32))
  ; Ops of dialects, memory, tile programs.
  (def x (memref.alloc {:result memref<8xf32>}))
  (def y (memref.alloc {:result memref<8xf32>}))
  (def one 1.0)
  (parallel [i 8] (memref.store one x i) (memref.store (* k (memref.load x i)) y i))
  ; CHECK-NEXT: f32 [8]
  ; CHECK-NEXT: [0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1]
  (println (load y))
  ; CHECK-NEXT: 0.1
  (println (arith.mulf k (memref.load x 0)))
  (launch in-tiles {:grid [1]} x y)
  ; CHECK-NEXT: f32 [8]
  ; CHECK-NEXT: [2.75 2.75 2.75 2.75 0.25 0.25 0.25 0.25]
  (println (load y)))
