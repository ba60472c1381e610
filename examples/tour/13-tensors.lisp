; 13. Tensors.                          RUN: lispier run %s %t.npy | FileCheck %s
;
; A tensor is a value of any size: no memory, no loops, no threads. A formula on tensors becomes linalg ops, one for
; each form, and the compiler decides what is computed together. lib/Prelude/tensor/README.md has the table of all
; forms.

; Names in a type are sizes: equal names are equal sizes, checked while compiling or at the call, and index values in
; the body. _ is any size.
(defn centered [(: x (tensor t c f32))] -> (tensor t c f32)
  (- x (/ (sum x :axis -1 :keep true) (cast f32 c))))

; Without types a function takes numbers, vectors and tensors; without -> the result follows from the body.
(defn power [x & {:n 2}] (pow x (cast f32 n)))
(defn norm [x & {:axis -1}] (sqrt (sum (power x) :axis axis)))

; Several results are a vector of values.
(defn halves [x] (def [a b] (split x 2 :axis -1)) [a b])

(defn main [(: argc i64) (: argv !llvm.ptr)]
  ; Shapes broadcast as in NumPy; numbers take the tensor's type.
  (def x (+ (* 10.0 (iota f32 [2 1] :axis 0)) (iota f32 [2 4] :axis 1)))
  (println x)                                          ; CHECK: f32 [2 4]
                                                       ; CHECK-NEXT: [0 1 2 3]
                                                       ; CHECK-NEXT: [10 11 12 13]
  (println (centered x))                               ; CHECK: [-1.5 -0.5 0.5 1.5]
  (println (norm x :axis 0))                           ; CHECK: [10 11.0454 12.1655 13.3417]
  (def [a b] (halves x))
  (println (concat b a :axis 1))                       ; CHECK: [2 3 0 1]
  ; Of a tensor without dimensions and of an element, println prints a number like any other.
  (println "%g %g" (sum x) (at x 1 2))                 ; CHECK: {{^52 12$}}
  ; Products by letters: what the result lacks is summed. 16-bit floats are multiplied and added in f32.
  (println (einsum "tc,sc->ts" (cast bf16 x) (cast bf16 x)))  ; CHECK: bf16 [2 2]
  ; CHECK-NEXT: [14 74]
  ; update gives a new tensor; an index may be a tensor of one integer.
  (println (update x (zeros f32 [1 2]) [(argmax (sum x :axis 1)) 1])) ; CHECK: f32 [2 4]
  ; CHECK: [10 0 0 13]
  ; Library functions are formulas, too: lib/Prelude/tensor.
  (println (softmax (gelu (centered x)) :axis 0))      ; CHECK: [0.5 0.5 0.5 0.5]
  ; Random numbers follow from a seed, a stream and the element's place: the same on every target, in every order.
  (println (uniform f32 [4] :seed 1 :stream 2))        ; CHECK: f32 [4]
                                                       ; CHECK-NEXT: [0.903137 0.550503 0.246202 0.0392302]
  (println (< (abs (mean (normal f32 [1000 100] :seed 1))) 0.01)) ; CHECK: {{^i1 \[\] true$}}
  ; Files of NumPy.
  (save-npy x (ptr-load !llvm.ptr argv))
  (println (max (load-npy (tensor n 4 f32) (ptr-load !llvm.ptr argv))))) ; CHECK: f32 [] 13
