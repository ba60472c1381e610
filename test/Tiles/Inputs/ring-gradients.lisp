; Gradients of attention in packed heads of 64 and 128, whose both kernels go by rings.
(defmacro def-gradients [name b t h d]
  `(defn ~name [(: do (tensor ~b ~t ~h ~d bf16)) (: q (tensor ~b ~t ~h ~d bf16)) (: k (tensor ~b ~t ~h ~d bf16))
                (: v (tensor ~b ~t ~h ~d bf16)) (: lse (tensor ~b ~h ~t 1 f32)) (: delta (tensor ~b ~h ~t 1 f32))]
     (def seen (<= (iota i32 [~t]) (iota i32 [~t 1] :axis 0)))
     (def s (where seen (/ (einsum "bthd,bshd->bhts" q k :out f32) (sqrt (cast f32 ~d))) -inf))
     (def p (exp (- s lse)))
     (def dp (- (einsum "bthd,bshd->bhts" do v :out f32) delta))
     (def ds (cast bf16 (/ (* p dp) (sqrt (cast f32 ~d)))))
     [(cast bf16 (einsum "bhts,bshd->bthd" ds k :out f32)) (cast bf16 (einsum "bhts,bthd->bshd" ds q :out f32))
      (cast bf16 (einsum "bhts,bthd->bshd" (cast bf16 p) do :out f32))]))
(def-gradients of-64 4 4096 16 64)
(def-gradients of-128 2 4096 16 128)
