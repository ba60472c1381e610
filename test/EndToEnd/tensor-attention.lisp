; Attention and layers from formulas, by hand-written kernels and without: `none` keeps what would be one kernel apart.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --templates=false %s | FileCheck %s

; Numbers without a pattern.
(defn numbers [(: a index) (: b index) (: c index)] -> (tensor _ _ _ f32)
  (sin (+ (* 7.1 (cast f32 (iota i32 [a b c] :axis 2))) (* 1.3 (cast f32 (iota i32 [a b c] :axis 1)))
          (* 3.3 (cast f32 (iota i32 [a b c] :axis 0))))))
(defn matrix [(: a index) (: b index)] -> (tensor _ _ f32)
  (sin (+ (* 7.1 (cast f32 (iota i32 [a b] :axis 1))) (* 1.3 (cast f32 (iota i32 [a b] :axis 0))))))
(defn row [(: a index)] -> (tensor _ f32) (sin (* 7.1 (cast f32 (iota i32 [a])))))

(defn mask [(: t index) (: s index) (: first (tensor 1 i32)) (: size index)] -> (tensor _ _ i1)
  (def i (+ (iota i32 [t 1] :axis 0) (at first 0)))
  (def j (iota i32 [s]))
  (and (<= j i) (< (- i j) (cast i32 size))))

(defn window [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32)) (: first (tensor 1 i32))]
  -> (tensor t h 64 f32)
  (def i (+ (iota i32 [t 1] :axis 0) (at first 0)))
  (def j (iota i32 [s]))
  (einsum "hts,shd->thd" (softmax (where (and (<= j i) (< (- i j) 16)) (* 0.3 (einsum "thd,shd->hts" q k)) -1e30)) v))
; Exponentials of what is small enough for that: no maximum, no attention.
(defn plain-window [(: q (tensor t h 64 f32)) (: k (tensor s h 64 f32)) (: v (tensor s h 64 f32)) (: first (tensor 1 i32))]
  -> (tensor t h 64 f32)
  (def e (exp (where (mask t s first 16) (* 0.3 (einsum "thd,shd->hts" q k)) -1e30)))
  (einsum "hts,shd->thd" (/ e (sum e :axis -1 :keep true)) v))

(defn layer [(: x (tensor t c f32)) (: g (tensor c bf16)) (: b (tensor c bf16)) (: w (tensor n c bf16)) (: d (tensor n bf16))
             (: r (tensor t n f32))] -> (tensor t n f32)
  (+ r (gelu (linear (layer-norm x g b) w d))))
; The product has its weight the other way, and so no kernel.
(defn plain-layer [(: x (tensor t c f32)) (: g (tensor c bf16)) (: b (tensor c bf16)) (: w (tensor c n bf16))
                   (: d (tensor n bf16)) (: r (tensor t n f32))] -> (tensor t n f32)
  (+ r (gelu (+ (einsum "tc,cn->tn" (layer-norm x g b) w) d))))

(defn difference [x y] (max (abs (- x y))))
(defn test-window [(: t index) (: s index) (: first i32)]
  (def q (numbers t 3 64))
  (def k (numbers s 3 64))
  (def v (numbers s 3 64))
  (def o (full i32 [1] first))
  ; Sums of 64 products of at most 1, twice, in f32.
  (println "%d" (cast i32 (< (at (difference (window q k v o) (plain-window q k v o))) 1e-4))))
(defn test-layer [(: t index) (: c index) (: n index)]
  (def x (matrix t c))
  (def g (cast bf16 (row c)))
  (def w (cast bf16 (matrix n c)))
  (def d (cast bf16 (row n)))
  (def r (matrix t n))
  ; Sums of c products of at most 2; where F32 is two terms of 16 bits each product has an error of 2^-17.
  (println "%d" (cast i32 (< (at (difference (layer x g g w d r) (plain-layer x g g (transpose w [1 0]) d r))) 2e-3))))
; CHECK-COUNT-6: {{^1$}}
(defn main []
  (test-window 5 33 20)
  (test-window 1 40 39)
  (test-window 20 20 0)
  (test-layer 5 40 24)
  (test-layer 1 64 48)
  (test-layer 1 40 7))
