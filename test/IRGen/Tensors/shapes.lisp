; Shapes of tensors changed, parts read and replaced, products.
; RUN: lispier run %s | FileCheck %s
(require-dialect memref)

(defn reshapes [(: x (tensor t 6 f32))]
  (println (reshape x [3 _]))                ; CHECK: f32 [3 4]
  ; CHECK-NEXT: [0 1 2 3]
  ; CHECK-NEXT: [4 5 6 7]
  (println (reshape x [t 2 3]))              ; CHECK: f32 [2 2 3]
  (println (reshape x [_]))                  ; CHECK: f32 [12]
  (println (reshape x [(* 2 t) 3]))          ; CHECK: f32 [4 3]
  (println (reshape (sum x) [1 1]))          ; CHECK: f32 [1 1]
  (println (reshape (sum x :keep true) []))  ; CHECK: {{^f32 \[\] 66$}}
  (println (transpose x))                    ; CHECK: f32 [6 2]
  ; CHECK-NEXT: [0 6]
  (println (transpose (reshape x [t 2 3]) [2 0 1])) ; CHECK: f32 [3 2 2]
  ; CHECK-NEXT: [0 3]
  ; CHECK-NEXT: [6 9]
  (println (reshape (slice x :axis 1 :to t) [1 4])) ; CHECK: f32 [1 4]
  ; CHECK-NEXT: [0 1 6 7]
  (println (broadcast (sum x :axis 1) [2 t])) ; CHECK: f32 [2 2]
  ; CHECK-NEXT: [15 51]
  ; CHECK-NEXT: [15 51]
  (println (broadcast 1.5 [t])))             ; CHECK: f64 [2]

(defn parts [(: x (tensor t 6 f32)) (: i (tensor 1 i32))]
  (def [a b c] (split x 3 :axis 1))
  (println c)                                ; CHECK: f32 [2 2]
  ; CHECK-NEXT: [4 5]
  (def [d e] (split x [1 5] :axis -1))
  (println e)                                ; CHECK: f32 [2 5]
  (println (concat a c :axis 1))             ; CHECK: f32 [2 4]
  ; CHECK-NEXT: [0 1 4 5]
  (println (concat x x))                     ; CHECK: f32 [4 6]
  (println (stack d (slice x [0 5] [_ 1])))  ; CHECK: f32 [2 2 1]
  (println (slice x [0 i] [_ 2]))            ; CHECK: f32 [2 2]
  ; CHECK-NEXT: [3 4]
  (println (slice x :axis 1 :from 4))        ; CHECK: f32 [2 2]
  (println (slice x :axis 1 :from 1 :to -4)) ; CHECK: f32 [2 1]
  (println (at x 1))                         ; CHECK: f32 [6]
  ; CHECK-NEXT: {{^}}[6 7 8 9 10 11]
  (println "%g %g" (at x 1 2) (at x -1 i))   ; CHECK: {{^8 9$}}
  (println (update x (full f32 [2] -1.0) [1 i])) ; CHECK: f32 [2 6]
  ; CHECK-NEXT: [0 1 2 3 4 5]
  ; CHECK-NEXT: [6 7 8 -1 -1 11]
  (println (pad a [[1 0] [0 t]] 9.0))        ; CHECK: f32 [3 4]
  ; CHECK-NEXT: [9 9 9 9]
  ; CHECK-NEXT: [0 1 9 9]
  (println (gather x (: [[1 0] [1 1]] tensor<2x2xi32>))) ; CHECK: f32 [2 2 6]
  (println (gather x i :axis 1)))            ; CHECK: f32 [2 1]
  ; CHECK-NEXT: [3]
  ; CHECK-NEXT: [9]

(defn products [(: a (tensor m k f32)) (: b (tensor k n bf16)) (: w (tensor 2 m k i8))]
  (println (matmul a b))                     ; CHECK: f32 [2 2]
  ; CHECK-NEXT: [10 13]
  ; CHECK-NEXT: [28 40]
  (println (einsum "mk,kn->nm" (cast bf16 a) b)) ; CHECK: bf16 [2 2]
  ; CHECK-NEXT: [10 28]
  (println (einsum "mk,kn->mn" (cast bf16 a) b :out f32)) ; CHECK: f32 [2 2]
  (println (einsum "bmk,bnk->bmn" w w))      ; CHECK: i32 [2 2 2]
  (println (einsum "mk,kn,m->n" a b (sum a :axis 1))) ; CHECK: f32 [2]
  ; CHECK-NEXT: [366 519]
  (println (einsum "mk->km" a))              ; CHECK: f32 [3 2]
  (println (einsum "mm->m" (slice a [0 0] [2 2]))) ; CHECK: f32 [2]
  ; CHECK-NEXT: [0 4]
  (println (einsum "mk->" a))                ; CHECK: f32 [] 15
  (println (einsum "...k,nk->...n" (cast f32 w) a)) ; CHECK: f32 [2 2 2]
  ; Factors of different ranks have the last of these dimensions in common, as in NumPy.
  (println (einsum "...,...->..." a (iota f32 [3])))  ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [0 1 4]
  ; CHECK-NEXT: [0 4 10]
  (println (einsum "...k,...k->..." (iota f32 [2 3 2] :axis 1) (iota f32 [3 2] :axis 0))) ; CHECK: f32 [2 3]
  ; CHECK-NEXT: [0 2 8]
  ; CHECK-NEXT: [0 2 8]
  ; Products that sum nothing, or each factor alone.
  (println (einsum "m,n->nm" (slice (at b 1) [0] [2]) (at a 1))) ; CHECK: f32 [3 2]
  ; CHECK-NEXT: [6 9]
  ; CHECK-NEXT: [8 12]
  ; CHECK-NEXT: [10 15]
  (println (einsum "mk,mk->mk" (at w 1) (at w 1))) ; CHECK: i32 [2 3]
  ; CHECK-NEXT: [36 49 64]
  (println (einsum "mk,b->b" a (cast bf16 (at a 1))))) ; CHECK: f32 [3]
  ; CHECK-NEXT: [45 60 75]

; A host's memory, read and written.
(defn into [(: m memref<?x?xf32>)]
  (store (+ 1.0 (load m)) m)
  (println "%g" (memref.load m 1 1)))        ; CHECK: {{^3$}}

; A formula on what was reshaped to sizes that only the run knows.
(defn regrouped [(: x (tensor a b c d f32)) n m] (* 2.0 (reshape x [n m])))
; Sizes that the run has to find to be 1 come and go: the types of a tensor without dimensions say that they are.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t
(defn to-number [(: x (tensor n m f32))] (reshape (* 2.0 x) []))
(defn from-number [(: x (tensor f32)) n] (reshape (* 2.0 x) [n n]))

(defn main []
  (def x (reshape (iota f32 [12]) [2 6]))
  (reshapes x)
  (parts x (full i32 [1] 3))
  (products (reshape (iota f32 [6]) [2 3]) (cast bf16 (reshape (iota f32 [6]) [3 2])) (reshape (cast i8 (iota i32 [12])) [2 2 3]))
  (def m (memref.alloc {:result memref<?x?xf32>} 2 2))
  (for [i 0 2] (for [j 0 2] (memref.store 2.0 m i j)))
  (into m)
  (memref.dealloc m)
  (def two (: 2 index))
  (println (regrouped (full f32 [two two two 1] 3.0) two (* two 2))) ; CHECK: f32 [2 4]
                                                                     ; CHECK-NEXT: [6 6 6 6]
  (def one (/ two 2))
  (println (to-number (full f32 [one one] 3.0)))     ; CHECK: {{^f32 \[\] 6$}}
  (println (from-number (full f32 [] 3.0) one)))     ; CHECK: f32 [1 1]
                                                     ; CHECK-NEXT: {{^\[\[6]]$}}
