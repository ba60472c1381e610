(defn rows [(: x (tensor 4096 4096 bf16)) (: w (tensor 4096 4096 bf16))]
  (cast bf16 (einsum "mk,nk->mn" x w :out f32)))
(defn columns [(: x (tensor 4096 4096 bf16)) (: w (tensor 4096 4096 bf16))]
  (cast bf16 (einsum "mk,kn->mn" x w :out f32)))
(defn weights [(: g (tensor 4096 4096 bf16)) (: x (tensor 4096 4096 bf16))]
  (cast bf16 (einsum "km,kn->mn" g x :out f32)))
(defn half [(: x (tensor 4096 4096 f16)) (: w (tensor 4096 4096 f16))]
  (cast f16 (einsum "mk,nk->mn" x w :out f32)))
(defn layer [(: x (tensor 4096 4096 bf16)) (: w (tensor 4096 4096 bf16)) (: b (tensor 4096 f32))]
  (cast bf16 (relu (+ b (einsum "mk,kn->mn" x w :out f32)))))
