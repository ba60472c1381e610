; Named formulas mean what NumPy's, else PyTorch's, of the same name do. The numbers are those of Python's math module.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(defn main []
  (def x (- (* 0.5 (reshape (iota f32 [12]) [3 4])) 2.25))
  ; Products: integers in i64, 16-bit floats in f32; of nothing 1.
  (println "%g" (prod x))                              ; CHECK: {{^}}-7.61167{{$}}
  (println (prod x :axis 1 :keep true))                ; CHECK-NEXT: f32 [3 1]
  ; CHECK-NEXT: [3.69141]
  ; CHECK-NEXT: [-0.0585938]
  ; CHECK-NEXT: [35.1914]
  (println (prod (full i8 [3 2] 100) :axes [0 1]))     ; CHECK: i64 [] 1000000000000
  (println (prod (full f16 [3] 40.0)))                 ; CHECK: f16 [] 64000
  (println (prod (zeros f32 [2 0]) :axis 1))           ; CHECK: [1 1]
  ; The correction of var and std is 0, as NumPy's; without axes all elements.
  (println (var x))                                    ; CHECK: f32 [] 2.97917
  (println (var (iota f64 [2 3] :axis 1) :axes [0 1] :keep true)) ; CHECK: f64 [1 1]
  ; CHECK-NEXT: 0.666667
  (println (std x :axis 0))                            ; CHECK: [1.63299 1.63299 1.63299 1.63299]
  (println (norm x))                                   ; CHECK: f32 [] 6.22495
  (println (norm (reshape (cast bf16 (iota f32 [4])) [2 2]) :axis -1)) ; CHECK: bf16 [2]
  ; CHECK-NEXT: [1 3.60938]
  (println (logsumexp x :axis -1))                     ; CHECK: [0.0373387 2.03734 4.03734]
  (println (logsumexp (+ 1000.0 x)))                   ; CHECK: f32 [] 1004.18
  (println (logsumexp (full f32 [2] -inf)))            ; CHECK: f32 [] -inf
  (println (logsumexp (concat (full f32 [1] inf) (zeros f32 [1])))) ; CHECK: f32 [] inf
  ; Triangles of each matrix.
  (println (tril x))
  ; CHECK: [-2.25 0 0 0]
  ; CHECK-NEXT: [-0.25 0.25 0 0]
  ; CHECK-NEXT: [1.75 2.25 2.75 0]
  (println (triu (stack x x) :k 1))                    ; CHECK: f32 [2 3 4]
  ; CHECK-NEXT: [0 -1.75 -1.25 -0.75]
  ; CHECK-NEXT: [0 0 0.75 1.25]
  ; CHECK-NEXT: [0 0 0 3.25]
  (println (tril (full i32 [2 3] 7) :k -1))            ; CHECK: i32 [2 3]
  ; CHECK-NEXT: [0 0 0]
  ; CHECK-NEXT: [7 0 0]
  (println (eye 2))                                    ; CHECK: f32 [2 2]
  ; CHECK-NEXT: [1 0]
  ; CHECK-NEXT: [0 1]
  (println (eye 3 :type i8 :k 1))                      ; CHECK: i8 [3 3]
  ; CHECK-NEXT: [0 1 0]
  ; CHECK-NEXT: [0 0 1]
  ; CHECK-NEXT: [0 0 0]
  (println (linspace 0 1 5))                           ; CHECK: f32 [5]
  ; CHECK-NEXT: [0 0.25 0.5 0.75 1]
  (println (linspace 2.0 -1.0 4 :type f64))            ; CHECK: f64 [4]
  ; CHECK-NEXT: [2 1 0 -1]
  (println (linspace 3 9 1))                           ; CHECK: [3]
  ; The last number is the end, however the steps are rounded.
  (println (- (at (linspace 0.1 0.7 50) 49) (: 0.7 f32))) ; CHECK: {{^0$}}
  (println (full-like x 7))                            ; CHECK: f32 [3 4]
  (println (full-like (iota f32 [2]) -inf))            ; CHECK: [-inf -inf]
  (println (full-like (iota f64 [1]) nan))             ; CHECK: f64 [1]
  ; CHECK-NEXT: [nan]
  (println (ones-like (iota i32 [2])))                 ; CHECK: i32 [2]
  ; CHECK-NEXT: [1 1]
  ; One number at a time, a NaN among them.
  (def y (concat (- (iota f32 [6]) 2.5) (full f32 [1] nan)))
  (println (round y))                                  ; CHECK: [-2 -2 -0 0 2 2 nan]
  (println (round (cast bf16 (+ y 1.0))))              ; CHECK: bf16 [7]
  ; CHECK-NEXT: [-2 -0 0 2 2 4 nan]
  (println (sign y))                                   ; CHECK: [-1 -1 -1 1 1 1 nan]
  (println (sign (- (iota i32 [3]) 1)))                ; CHECK: [-1 0 1]
  (println (clip y -1 1.5))                            ; CHECK: [-1 -1 -0.5 0.5 1.5 1.5 nan]
  (println (clip (iota i32 [4]) 1 2))                  ; CHECK: [1 1 2 2]
  (println (softplus (* 100.0 (- (iota f32 [3]) 1.0)))) ; CHECK: [3.78351e-44 0.693147 100]
  (println (log1p (full f32 [1] 1e-10)))               ; CHECK: [1e-10]
  (println (expm1 (full f32 [2] -1e-10)))              ; CHECK: [-1e-10 -1e-10]
  (println "%g %g %g" (round 2.5) (clip 3.0 0.0 2.0) (log1p 1.0)) ; CHECK: 2 2 0.693147
  ; Products of matrices whose first dimensions broadcast; one dimension is a vector.
  (println (matmul (reshape (iota f32 [8]) [2 1 2 2]) (reshape (iota f32 [12]) [3 2 2]))) ; CHECK: f32 [2 3 2 2]
  ; CHECK-NEXT: [2 3]
  ; CHECK-NEXT: [6 11]
  ; CHECK: [82 91]
  ; CHECK-NEXT: [118 131]
  (println (matmul (iota f32 [2 3] :axis 1) (iota f32 [3]))) ; CHECK: f32 [2]
  ; CHECK-NEXT: [5 5]
  (println (matmul (iota f32 [2]) (full f32 [4 2 3] 2.0))) ; CHECK: f32 [4 3]
  (println (matmul (iota f32 [3]) (iota f32 [3]))))    ; CHECK: f32 [] 5
