; Fewer heads of keys and values than of queries: written as dimensions of their own, or by copies of each head.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --templates=false %s | FileCheck %s
; RUN: lispier run --explain=gradients %s 2>&1 | FileCheck %s --check-prefix=COPIES
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=KERNEL

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

; One token that the type knows of: its heads alone are the rows of a matrix.
; KERNEL-LABEL: func.func @"one-token"(
; KERNEL-NOT: launch_func
; KERNEL: call @__template_nn.attention
; KERNEL-NOT: launch_func
; KERNEL: return
(defn token-attended [q (: position (tensor 1 i32)) keys values]
  (def seen (<= (iota i32 [(dim keys 1)]) (+ position (iota i32 [(dim q 0) 1] :axis 0))))
  (def scores (* 0.5 (einsum "tgrd,gsd->grts" q keys)))
  (einsum "grts,gsd->tgrd" (softmax (where seen scores -inf)) values))
(defn one-token [(: q (tensor 1 6 8 f32)) (: k (tensor 1 2 8 f32)) (: v (tensor 1 2 8 f32)) (: position (tensor 1 i32))
                 (: keys (inout (tensor 2 s 8 f32))) (: values (inout (tensor 2 s 8 f32)))] -> (tensor 1 6 8 f32)
  (update keys (transpose k [1 0 2]) [0 position 0])
  (update values (transpose v [1 0 2]) [0 position 0])
  (reshape (token-attended (reshape q [1 2 3 8]) position keys values) [1 6 8]))

(defn repeated [x count] (reshape (broadcast (reshape x [(dim x 0) 1 (dim x 1) (dim x 2)])
                                             [(dim x 0) count (dim x 1) (dim x 2)])
                                  [(* count (dim x 0)) (dim x 1) (dim x 2)]))
(defn as-copies [(: q (tensor h t d f32)) (: k (tensor g s d f32)) (: v (tensor g s d f32))] -> (tensor h t d f32)
  (def scores (* 0.5 (einsum "htd,hsd->hts" q (repeated k (/ h g)))))
  (einsum "hts,hsd->htd" (softmax (where (visible t s (: 0 i32)) scores -inf)) (repeated v (/ h g))))

;; With a bias of each head, and gradients: those of the program with copies are those of one with dimensions.
; COPIES: the gradient of `loss-of-copies` keeps 2 values
; COPIES-NEXT: f32 [2 3 5 8]
(defn loss-of-dimensions [(: q (tensor 2 3 5 8 f32)) (: k (tensor 2 5 8 f32)) (: v (tensor 2 5 8 f32)) (: slopes (tensor 2 3 f32))]
  (def biases (* (reshape slopes [2 3 1 1]) (iota f32 [5])))
  (def o (einsum "grts,gsd->grtd" (softmax (+ biases (einsum "grtd,gsd->grts" q k))) v))
  (sum (* o o)))
(defn loss-of-copies [(: q (tensor 6 5 8 f32)) (: k (tensor 2 5 8 f32)) (: v (tensor 2 5 8 f32)) (: slopes (tensor 6 f32))]
  (def biases (* (reshape slopes [6 1 1]) (iota f32 [5])))
  (def count (: 3 index))
  (def o (einsum "hts,hsd->htd" (softmax (+ biases (einsum "htd,hsd->hts" q (repeated k count)))) (repeated v count)))
  (sum (* o o)))

(defn one-head [(: q (tensor t d f32)) (: k (tensor s d f32)) (: v (tensor s d f32))]
  (einsum "ts,sd->td" (softmax (where (visible t s (: 0 i32)) (* 0.5 (einsum "td,sd->ts" q k)) -inf)) v))

(defn numbers [(: h index) (: t index) (: seed f32)] -> (tensor _ _ 8 f32)
  (sin (* seed (+ (+ (* 50.0 (iota f32 [h t 8] :axis 0)) (* 8.0 (iota f32 [h t 8] :axis 1))) (iota f32 [h t 8] :axis 2)))))
(defn last-row [x] (transpose (slice x :axis 1 :from 4) [1 0 2]))
(defn differs [a b] (max (abs (- a b))))

; CHECK-COUNT-9: i32 [] 1
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
  (def once (one-token (last-row q) (last-row k) (last-row v) (full i32 [1] 4) keys values))
  (println (cast i32 (< (differs (transpose once [1 0 2]) (slice expected :axis 1 :from 4)) 1e-5)))
  (println (cast i32 (< (differs (as-copies q k v) expected) 1e-5)))
  (println (cast i32 (< (differs (transpose (scaled (transpose q [1 0 2]) k v 0.5) [1 0 2]) expected) 1e-5)))
  (def slopes (slice (at (at (numbers 1 1 0.4) 0) 0) :axis 0 :to 6))
  (def [a aq ak av] (value-and-grad loss-of-dimensions (reshape q [2 3 5 8]) k v (reshape slopes [2 3]) :wrt [0 1 2]))
  (def [b bq bk bv] (value-and-grad loss-of-copies q k v slopes :wrt [0 1 2]))
  (println (cast i32 (< (abs (- a b)) 1e-4)))
  (println (cast i32 (< (differs (reshape aq [6 5 8]) bq) 1e-4)))
  (println (cast i32 (< (differs ak bk) 1e-4)))
  (println (cast i32 (< (differs av bv) 1e-4))))
