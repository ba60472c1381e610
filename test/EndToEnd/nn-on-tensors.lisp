; nn ops in functions of tensors, beside formulas: the result is the new value of `out`, and what `out` was does not matter.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --templates=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect nn tensor memref)

; Numbers without a pattern.
(defn matrix [(: a index) (: b index)] -> (tensor _ _ f32)
  (sin (+ (* 7.1 (cast f32 (iota i32 [a b] :axis 1))) (* 1.3 (cast f32 (iota i32 [a b] :axis 0))))))
(defn heads [(: a index) (: b index) (: c index)] -> (tensor _ _ _ f32)
  (reshape (matrix a (* b c)) [a b c]))
(defn row [(: a index)] -> (tensor _ f32) (sin (* 7.1 (cast f32 (iota i32 [a])))))
(defn difference [x y] (max (abs (- x y))))

; x is computed before, the sum after the op, which are other kernels.
(defn soft [(: x (tensor t c f32))] (+ 1.0 (nn.softmax (* 2.0 x) (zeros f32 [t c]))))
(defn soft-formula [(: x (tensor t c f32))] (+ 1.0 (softmax (* 2.0 x))))

(defn normed [(: x (tensor t c f32)) (: g (tensor c f32)) (: b (tensor c f32))]
  (nn.layer_norm x g b (zeros f32 [t c]) 1e-5))

(defn projected [(: x (tensor t k f32)) (: w (tensor n k f32)) (: b (tensor n f32)) (: r (tensor t n f32))]
  (nn.linear {:activation "gelu_tanh"} x w [b] [r] (zeros f32 [t n])))
(defn projected-formula [(: x (tensor t k f32)) (: w (tensor n k f32)) (: b (tensor n f32)) (: r (tensor t n f32))]
  (+ r (gelu (linear x w b))))

(defn both [(: x (tensor t k f32)) (: g (tensor k f32)) (: b (tensor k f32)) (: w (tensor n k f32))]
  (nn.norm_linear x g [b] 1e-5 (zeros f32 [t k]) w [] [] (zeros f32 [t n])))

(defn attend [(: q (tensor t h d f32)) (: k (tensor s h d f32)) (: v (tensor s h d f32))]
  (nn.attention {:mask "none"} q k v (zeros f32 [t h d])))
(defn attend-formula [(: q (tensor t h d f32)) (: k (tensor s h d f32)) (: v (tensor s h d f32))]
  (def weights (softmax (/ (einsum "thd,shd->hts" q k) (sqrt (cast f32 (cast i64 d))))))
  (einsum "hts,shd->thd" weights v))

; The op writes the caches, which the function then reads.
(defn append [(: q (tensor 1 h d f32)) (: k (tensor 1 h d f32)) (: keys "memref<?x?x?xf32>") (: values "memref<?x?x?xf32>")
              (: at (tensor 1 i32))]
  (def out (nn.attention q k k keys values at (zeros f32 [1 h d])))
  (+ (sum out) (sum (load keys))))

; The argument stays as it is, also where it is the destination; a sum after it reads what it was.
(defn twice [(: x (tensor t c f32))] (def y (nn.gelu x x)) (- (nn.add y y y) (+ x x)))

; One buffer through the loop.
(defn repeated [(: x (tensor t c f32))] -> (tensor t c f32) (fold [y x] [i 0 3] (nn.gelu y y)))
(defn repeated-formula [(: x (tensor t c f32))] -> (tensor t c f32) (gelu (gelu (gelu x))))

; In the caller's memory.
(defn fill-part [(: y (inout (tensor n t c f32))) (: x (tensor t c f32))]
  (update (at y 1) (nn.softmax x (zeros f32 [t c])) [0 0]))
(defn fill-memref [(: y "memref<?x?xf32>") (: x (tensor t c f32))] (store (nn.softmax x (zeros f32 [t c])) y))

(defn token [(: logits (tensor v f32)) (: state "memref<1xi64>")]
  (def best (nn.argmax logits (zeros i32 [1])))
  (def drawn (nn.sample logits (zeros f32 [v]) state (: 0.0 f32) (: 0 i32) (: 1.0 f32) (zeros i32 [1])))
  (- best drawn))

(defn close [(: error (tensor f32))] (println (< error 1e-4)))

(defn main []
  ; The sizes are primes, and 0.
  ; CHECK-COUNT-10: i1 [] true
  (close (difference (soft (matrix 7 13)) (soft-formula (matrix 7 13))))
  (close (difference (normed (matrix 7 13) (row 13) (row 13)) (layer-norm (matrix 7 13) (row 13) (row 13))))
  (close (difference (projected (matrix 7 13) (matrix 11 13) (row 11) (matrix 7 11))
                     (projected-formula (matrix 7 13) (matrix 11 13) (row 11) (matrix 7 11))))
  (close (difference (both (matrix 1 64) (row 64) (row 64) (matrix 11 64))
                     (einsum "tk,nk->tn" (layer-norm (matrix 1 64) (row 64) (row 64)) (matrix 11 64))))
  (close (difference (both (matrix 5 64) (row 64) (row 64) (matrix 11 64))
                     (einsum "tk,nk->tn" (layer-norm (matrix 5 64) (row 64) (row 64)) (matrix 11 64))))
  (close (difference (attend (heads 5 3 64) (heads 7 3 64) (heads 7 3 64))
                     (attend-formula (heads 5 3 64) (heads 7 3 64) (heads 7 3 64))))
  (close (difference (twice (matrix 7 13)) (- (* 2.0 (gelu (matrix 7 13))) (* 2.0 (matrix 7 13)))))
  (close (difference (repeated (matrix 7 13)) (repeated-formula (matrix 7 13))))
  (def y (heads 2 7 13))
  (fill-part y (matrix 7 13))
  (close (difference (at y 1) (softmax (matrix 7 13))))
  (def m (memref.alloc {:result "memref<?x?xf32>"} 7 13))
  (fill-memref m (matrix 7 13))
  (close (difference (load m) (softmax (matrix 7 13))))
  ; One position: the result is the value, which is the key: k is in the cache, too.
  (def keys (memref.alloc {:result "memref<?x?x?xf32>"} 3 4 64))
  (def values (memref.alloc {:result "memref<?x?x?xf32>"} 3 4 64))
  (store (zeros f32 [3 4 64]) keys)
  (store (zeros f32 [3 4 64]) values)
  (def sums (append (heads 1 3 64) (heads 1 3 64) keys values (full i32 [1] 0)))
  ; CHECK-NEXT: i1 [] true
  (close (difference sums (* 2.0 (sum (heads 1 3 64)))))
  (def state (memref.alloc {:result "memref<1xi64>"}))
  ; CHECK-NEXT: i32 [1]
  ; CHECK-NEXT: [0]
  (println (token (row 17) state))
  ; CHECK-NEXT: f32 [0 13]
  (println (soft (matrix 0 13)))
  (memref.dealloc m))
