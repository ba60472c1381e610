; argmax and argmin are two reductions of the same rows, the extreme and the least place that has it: one group with what
; makes the elements, on GPUs a tile program.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o %t.mlir 2>&1 | FileCheck %s
; RUN: FileCheck %s --check-prefix=PROGRAM <%t.mlir
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; PROGRAM: func.func @scaled(
; PROGRAM-NOT: linalg.
; PROGRAM: return
; PROGRAM: func.func @least(
; PROGRAM-NOT: linalg.
; PROGRAM: return
; PROGRAM: gpu.func @scaled_0
; PROGRAM-SAME: tile.program
; PROGRAM: gpu.func @least_0
; PROGRAM-SAME: tile.program

; CHECK: kernel scaled_0, row
; CHECK-NOT: kernel scaled_1
(defn scaled [(: x (tensor r c f32)) (: s f32)] [(max (* s x) :axis 1) (argmax (* s x) :axis 1)])
; CHECK: kernel least_0, row
; CHECK-NOT: kernel least_1
(defn least [(: x (tensor r c f32)) (: s f32)] [(min (* s x) :axis 1) (argmin (* s x) :axis 1)])

(defn main []
  ; The first of equal ones; 0 and -0 are equal.
  (def x (reshape (iota f32 [12]) [3 4]))
  ; VALUE: i32 [3]
  ; VALUE-NEXT: [3 1 0]
  (def [_ places] (scaled (where (= x 5.0) 9.0 (where (> x 7.0) 1.0 x)) 1.0))
  (println places)
  ; VALUE: i32 [2]
  ; VALUE-NEXT: [0 0]
  (println (argmax (reshape (concat (full f32 [1] -0.0) (zeros f32 [3]) :axis 0) [2 2]) :axis 1))
  ; A NaN is greatest, the first of several; of minus infinities the first is.
  ; VALUE: i32 [3]
  ; VALUE-NEXT: [2 0 0]
  (println (argmax (where (or (= x 2.0) (= x 3.0)) nan (where (> x 3.0) -inf x)) :axis 1))
  ; A place beyond the first chunk of a row; along another axis; of whole numbers; of 16 bits.
  (def long (sin (* 0.001 (iota f32 [2 30000] :axis 1))))
  ; VALUE: i32 [2]
  ; VALUE-NEXT: [14137 14137]
  (println (argmax (where (= (iota i32 [2 30000] :axis 1) 14137) 2.0 long) :axis 1))
  ; VALUE: i32 [4]
  ; VALUE-NEXT: [2 2 2 2]
  (println (argmax (cast i32 x) :axis 0))
  ; VALUE: i32 [] 11
  (println (argmax (cast bf16 x)))

  ; The same of the least: ties, minus zero, NaN, infinities, chunks, columns, 16 bits, whole numbers.
  ; VALUE: i32 [3]
  ; VALUE-NEXT: [3 1 1]
  (def [_ least-places] (least (where (= x 3.0) -9.0 (where (= x 5.0) -9.0 (where (> x 8.0) 1.0 x))) 1.0))
  (println least-places)
  ; VALUE: i32 [2]
  ; VALUE-NEXT: [0 0]
  (println (argmin (reshape (concat (zeros f32 [1]) (full f32 [3] -0.0) :axis 0) [2 2]) :axis 1))
  ; VALUE: i32 [3]
  ; VALUE-NEXT: [2 0 0]
  (println (argmin (where (or (= x 2.0) (= x 3.0)) nan (where (> x 3.0) inf x)) :axis 1))
  ; VALUE: i32 [2]
  ; VALUE-NEXT: [14137 14137]
  (println (argmin (where (= (iota i32 [2 30000] :axis 1) 14137) -2.0 long) :axis 1))
  ; VALUE: i32 [1 4]
  ; VALUE-NEXT: {{^\[\[0 0 0 0\]\]$}}
  (println (argmin (cast i32 x) :axis 0 :keep true))
  ; VALUE: i32 [] 11
  (println (argmin (neg (cast bf16 x))))
  ; Of i1, true is greater than false.
  ; VALUE: i32 [3]
  ; VALUE-NEXT: [0 1 0]
  (println (argmax (> x 4.0) :axis 1))
  ; VALUE: i32 [3]
  ; VALUE-NEXT: [1 0 2]
  (println (argmin (!= (% x 3.0) 1.0) :axis 1)))
