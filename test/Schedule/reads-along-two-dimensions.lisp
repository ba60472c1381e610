; Kernels that read one tensor along two dimensions, such as a recurrent cell's state, along what the product sums and
; along what it keeps: each read has dimensions of its own.
; RUN: lispier run --effort=full %s | FileCheck %s
; RUN: lispier run --effort=full --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier --emit=device-llvm --target=cuda:sm_90a %s -o %t
; RUN: lispier --emit=device-llvm --target=rocm:gfx942 %s -o %t

(defn cell [(: u (tensor h h f32)) (: s (tensor h f32))] -> (tensor h f32) (* s (tanh (einsum "hk,k->h" u s))))
(defn second [(: s (tensor h f32)) (: u (tensor h h f32))] -> (tensor h f32) (* s (tanh (einsum "kh,k->h" u s))))
(defn gated [(: u (tensor h h f32)) (: s (tensor h f32))] -> (tensor h f32)
  (def z (sigmoid (einsum "kh,k->h" u s)))
  (+ (* (- 1.0 z) (sigmoid (einsum "hk,k->h" u s))) (* z s)))
(defn batched [(: u (tensor b h h f32)) (: s (tensor b h f32))] -> (tensor b h f32)
  (* s (tanh (einsum "bhk,bk->bh" u s))))
(defn residual [(: w (tensor h h f32)) (: x (tensor b h f32))] -> (tensor b h f32)
  (+ x (einsum "bh,ho->bo" x w)))
(defn residual-rows [(: w (tensor h h f32)) (: x (tensor b h f32))] -> (tensor b h f32)
  (+ x (einsum "bh,oh->bo" x w)))
(defn attend [(: x (tensor t d f32))] -> (tensor t d f32)
  (einsum "ts,sd->td" (softmax (* 0.5 (einsum "td,sd->ts" x x))) x))
(defn gram [(: x (tensor n k f32))] -> (tensor n n f32) (einsum "ik,jk->ij" x x))
(defn gram-shifted [(: x (tensor n n f32))] -> (tensor n n f32) (+ x (einsum "ik,jk->ij" x x)))
(defn square [(: x (tensor n n f32))] -> (tensor n n f32) (- (einsum "ik,kj->ij" x x) x))
(defn outer [(: x (tensor n f32))] -> (tensor n n f32) (einsum "i,j->ij" x x))
(defn symmetric [(: x (tensor n n f32))] -> (tensor n n f32) (* x (transpose x)))
(defn cosine [(: x (tensor n k f32))] -> (tensor n n f32)
  (def l (sqrt (sum (* x x) :axis 1)))
  (/ (einsum "ik,jk->ij" x x) (einsum "i,j->ij" l l)))
(defn normalized [(: a (tensor n n f32)) (: d (tensor n f32))] -> (tensor n n f32)
  (def r (/ 1.0 (sqrt d)))
  (einsum "i,ij,j->ij" r a r))
(defn degrees [(: a (tensor n n f32)) (: d (tensor n f32))] -> (tensor n n f32)
  (* (* (rsqrt (reshape d [(dim d 0) 1])) a) (rsqrt d)))
(defn power [(: a (tensor n n f32)) (: v (tensor n f32))] -> (tensor f32)
  (sum (* v (einsum "ij,j->i" a v))))
(defn both [(: a (tensor n n f32))] -> (tensor n f32)
  (+ (sum a :axis 0) (sum a :axis 1)))
(defn centered [(: a (tensor n n f32))] -> (tensor n n f32)
  (- a (mean a :axis 0)))
(defn main []
  (def n (cast index (at (full i32 [1] 3))))
  (def s (+ 1.0 (iota f32 [n])))
  (def u (* 0.1 (+ (* 0.5 (cast f32 (iota i32 [n n] :axis 1))) (cast f32 (iota i32 [n n] :axis 0)))))
  (def x (* 0.1 (+ (* 0.5 (cast f32 (iota i32 [2 n] :axis 1))) (cast f32 (iota i32 [2 n] :axis 0)))))
  (def ub (* 0.1 (cast f32 (iota i32 [2 n n] :axis 2))))
  ; CHECK: f32 [3]
  ; CHECK-NEXT: [0.379949 1.52319 2.76501]
  (println (cell u s))
  ; CHECK-NEXT: f32 [3]
  ; CHECK-NEXT: [0.664037 1.601 2.65606]
  (println (second s u))
  ; CHECK-NEXT: f32 [3]
  ; CHECK-NEXT: [0.875583 1.68309 2.57114]
  (println (gated u s))
  ; CHECK-NEXT: f32 [2 3]
  ; CHECK-NEXT: {{\[\[}}0 0.00124974 0.00249948]
  ; CHECK-NEXT:  [0.00549446 0.00824169 0.0109889]]
  (println (batched ub x))
  ; CHECK-NEXT: f32 [2 3]
  ; CHECK-NEXT: {{\[\[}}0.025 0.0825 0.14]
  ; CHECK-NEXT:  [0.155 0.2275 0.3]]
  (println (residual u x))
  ; CHECK-NEXT: f32 [2 3]
  ; CHECK-NEXT: {{\[\[}}0.0125 0.0775 0.1425]
  ; CHECK-NEXT:  [0.1275 0.2225 0.3175]]
  (println (residual-rows u x))
  ; CHECK-NEXT: f32 [2 3]
  ; CHECK-NEXT: {{\[\[}}0.0501875 0.100188 0.150188]
  ; CHECK-NEXT:  [0.0505625 0.100562 0.150562]]
  (println (attend x))
  ; CHECK-NEXT: f32 [2 2]
  ; CHECK-NEXT: {{\[\[}}0.0125 0.0275]
  ; CHECK-NEXT:  [0.0275 0.0725]]
  (println (gram x))
  ; CHECK-NEXT: f32 [3 3]
  ; CHECK-NEXT: {{\[\[}}0.0125 0.0775 0.1425]
  ; CHECK-NEXT:  [0.1275 0.2225 0.3175]
  ; CHECK-NEXT:  [0.2425 0.3675 0.4925]]
  (println (gram-shifted u))
  ; CHECK-NEXT: f32 [3 3]
  ; CHECK-NEXT: {{\[\[}}0.025 -0.0175 -0.06]
  ; CHECK-NEXT:  [-0.045 -0.0725 -0.1]
  ; CHECK-NEXT:  [-0.115 -0.1275 -0.14]]
  (println (square u))
  ; CHECK-NEXT: f32 [3 3]
  ; CHECK-NEXT: {{\[\[}}1 2 3]
  ; CHECK-NEXT:  [2 4 6]
  ; CHECK-NEXT:  [3 6 9]]
  (println (outer s))
  ; CHECK-NEXT: f32 [3 3]
  ; CHECK-NEXT: {{\[\[}}0 0.005 0.02]
  ; CHECK-NEXT:  [0.005 0.0225 0.05]
  ; CHECK-NEXT:  [0.02 0.05 0.09]]
  (println (symmetric u))
  ; CHECK-NEXT: f32 [2 2]
  ; CHECK-NEXT: {{\[\[}}1 0.999994]
  ; CHECK-NEXT:  [0.999994 1]]
  (println (cosine (+ 1.0 x)))
  ; CHECK-NEXT: f32 [3 3]
  ; CHECK-NEXT: {{\[\[}}0 0.0353553 0.057735]
  ; CHECK-NEXT:  [0.0707107 0.075 0.0816497]
  ; CHECK-NEXT:  [0.11547 0.102062 0.1]]
  (println (normalized u s))
  ; CHECK-NEXT: f32 [3 3]
  ; CHECK-NEXT: {{\[\[}}0 0.0353553 0.057735]
  ; CHECK-NEXT:  [0.0707107 0.075 0.0816497]
  ; CHECK-NEXT:  [0.11547 0.102062 0.1]]
  (println (degrees u s))
  ; CHECK-NEXT: f32 [] 7.2
  (println (power u s))
  ; CHECK-NEXT: f32 [3]
  ; CHECK-NEXT: [0.45 0.9 1.35]
  (println (both u))
  (println (centered u))) ; CHECK-NEXT: f32 [3 3]
