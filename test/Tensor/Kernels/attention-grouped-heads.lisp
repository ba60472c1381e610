; Fewer heads of keys and values than of queries: written as dimensions of their own, or by copies of each head.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --templates=false %s | FileCheck %s

(defn visible [t s position] (<= (iota i32 [s]) (+ position (iota i32 [t 1] :axis 0))))

; Two dimensions of heads, after the tokens; keys and values in caches.
(defn as-dimensions [(: q (tensor t h d f32)) (: k (tensor t g d f32)) (: v (tensor t g d f32)) (: position (tensor i32))
                     (: keys (inout (tensor g s d f32))) (: values (inout (tensor g s d f32)))] -> (tensor t h d f32)
  (update keys (transpose k [1 0 2]) [0 position 0])
  (update values (transpose v [1 0 2]) [0 position 0])
  (def scores (* 0.5 (einsum "tgrd,gsd->grts" (reshape q [t g (/ h g) d]) keys)))
  (reshape (einsum "grts,gsd->tgrd" (softmax (where (visible t s position) scores -inf)) values) [t h d]))

; Heads before tokens.
(defn heads-first [(: q (tensor h t d f32)) (: k (tensor g s d f32)) (: v (tensor g s d f32))] -> (tensor h t d f32)
  (def scores (* 0.5 (einsum "grtd,gsd->grts" (reshape q [g (/ h g) t d]) k)))
  (reshape (einsum "grts,gsd->grtd" (softmax (where (visible t s (: 0 i32)) scores -inf)) v) [h t d]))

; A scale that only the call knows.
(defn scaled [(: q (tensor t h d f32)) (: k (tensor g s d f32)) (: v (tensor g s d f32)) (: scale f32)] -> (tensor t h d f32)
  (def scores (* scale (einsum "tgrd,gsd->grts" (reshape q [t g (/ h g) d]) k)))
  (reshape (einsum "grts,gsd->tgrd" (softmax (where (visible t s (: 0 i32)) scores -inf)) v) [t h d]))

(defn repeated [x count] (reshape (broadcast (reshape x [(dim x 0) 1 (dim x 1) (dim x 2)])
                                             [(dim x 0) count (dim x 1) (dim x 2)])
                                  [(* count (dim x 0)) (dim x 1) (dim x 2)]))
(defn as-copies [(: q (tensor h t d f32)) (: k (tensor g s d f32)) (: v (tensor g s d f32))] -> (tensor h t d f32)
  (def scores (* 0.5 (einsum "htd,hsd->hts" q (repeated k (/ h g)))))
  (einsum "hts,hsd->htd" (softmax (where (visible t s (: 0 i32)) scores -inf)) (repeated v (/ h g))))

(defn one-head [(: q (tensor t d f32)) (: k (tensor s d f32)) (: v (tensor s d f32))]
  (einsum "ts,sd->td" (softmax (where (visible t s (: 0 i32)) (* 0.5 (einsum "td,sd->ts" q k)) -inf)) v))

(defn numbers [(: h index) (: t index) (: seed f32)] -> (tensor _ _ 8 f32)
  (sin (* seed (+ (+ (* 50.0 (iota f32 [h t 8] :axis 0)) (* 8.0 (iota f32 [h t 8] :axis 1))) (iota f32 [h t 8] :axis 2)))))
(defn differs [a b] (max (abs (- a b))))

; CHECK-COUNT-4: i32 [] 1
(defn main []
  (def q (numbers 6 5 1.1))
  (def k (numbers 2 5 0.7))
  (def v (numbers 2 5 0.3))
  (def expected (stack (one-head (at q 0) (at k 0) (at v 0)) (one-head (at q 1) (at k 0) (at v 0))
                       (one-head (at q 2) (at k 0) (at v 0)) (one-head (at q 3) (at k 1) (at v 1))
                       (one-head (at q 4) (at k 1) (at v 1)) (one-head (at q 5) (at k 1) (at v 1))))
  (def keys (zeros f32 [2 7 8]))
  (def values (zeros f32 [2 7 8]))
  (def cached (as-dimensions (transpose q [1 0 2]) (transpose k [1 0 2]) (transpose v [1 0 2]) (zeros i32 [])
                             keys values))
  (println (cast i32 (< (differs (transpose cached [1 0 2]) expected) 1e-5)))
  (println (cast i32 (< (differs (heads-first q k v) expected) 1e-5)))
  (println (cast i32 (< (differs (as-copies q k v) expected) 1e-5)))
  (println (cast i32 (< (differs (transpose (scaled (transpose q [1 0 2]) k v 0.5) [1 0 2]) expected) 1e-5))))
