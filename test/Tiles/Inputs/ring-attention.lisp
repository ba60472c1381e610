; Attention of formulas that goes by rings: causal, in packed heads of 64 and 128, and without a mask; of scores with a bias
; alone, and beside a function, and in heads of 256.
(defn packed [x (: b index) (: t index) (: h index) (: d index)]
  (def [q k v] (split x 3 :axis 1))
  (def seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)))
  (def s (where seen (/ (einsum "bthd,bshd->bhts" (reshape q [b t h d]) (reshape k [b t h d]) :out f32)
                        (sqrt (cast f32 d))) -inf))
  (reshape (cast bf16 (einsum "bhts,bshd->bthd" (cast bf16 (softmax s)) (reshape v [b t h d]) :out f32))
           [(* b t) (* h d)]))
(defn causal-64 [(: x (tensor 32768 2304 bf16))] -> (tensor 32768 768 bf16) (packed x 32 1024 12 64))
(defn causal-128 [(: x (tensor 8192 6144 bf16))] -> (tensor 8192 2048 bf16) (packed x 2 4096 16 128))
(defn whole [(: q (tensor 192 1024 64 bf16)) (: k (tensor 192 1024 64 bf16)) (: v (tensor 192 1024 64 bf16))]
    -> (tensor 192 1024 64 bf16)
  (def s (/ (einsum "htd,hsd->hts" q k :out f32) 8.0))
  (cast bf16 (einsum "hts,hsd->htd" (cast bf16 (softmax s)) v :out f32)))
(defn scores [q k] (/ (einsum "htd,hsd->hts" q k :out f32) 8.0))
(defn attended [s v] (cast bf16 (einsum "hts,hsd->htd" (cast bf16 (softmax s)) v :out f32)))
(defn causal [s] (where (<= (iota i32 [(dim s 2)]) (iota i32 [(dim s 1) 1] :axis 0)) s -inf))
(defn biased [(: q (tensor 32 2048 128 bf16)) (: k (tensor 32 2048 128 bf16)) (: v (tensor 32 2048 128 bf16))
              (: b (tensor 2048 2048 f32))] -> (tensor 32 2048 128 bf16)
  (attended (causal (+ b (scores q k))) v))
(defn capped [(: q (tensor 32 2048 128 bf16)) (: k (tensor 32 2048 128 bf16)) (: v (tensor 32 2048 128 bf16))
              (: b (tensor 2048 2048 f32))] -> (tensor 32 2048 128 bf16)
  (attended (causal (+ b (* 30.0 (tanh (/ (scores q k) 30.0))))) v))
(defn large [(: q (tensor 32 2048 256 bf16)) (: k (tensor 32 2048 256 bf16)) (: v (tensor 32 2048 256 bf16))]
    -> (tensor 32 2048 256 bf16)
  (attended (causal (scores q k)) v))
