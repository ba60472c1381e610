; 14. Models as formulas.               RUN: lispier run %s | FileCheck %s
;
; A transformer block reads like the paper: functions of tensors, with the weights as parameters. Names of sizes say
; what fits: t tokens, c channels, h heads, d = c / h of each head.

; [t c] -> [h t d], and back.
(defn heads [x & {:count 2}]
  (transpose (reshape x [(dim x 0) count (/ (dim x 1) count)]) [1 0 2]))
(defn joined [x] (reshape (transpose x [1 0 2]) [(dim x 1) (* (dim x 0) (dim x 2))]))

(defn self-attention [(: x (tensor t c f32)) (: qkv (tensor 3 c c bf16)) (: out (tensor c c bf16))] -> (tensor t c f32)
  (def q (heads (einsum "tk,nk->tn" x (at qkv 0))))
  (def k (heads (einsum "tk,nk->tn" x (at qkv 1))))
  (def v (heads (einsum "tk,nk->tn" x (at qkv 2))))
  (einsum "tk,nk->tn" (joined (attention q k v)) out))

(defn mlp [x up down] (einsum "th,ch->tc" (gelu (einsum "tc,hc->th" x up)) down))

(defn transformer [(: x (tensor t c f32)) (: g (tensor c f32)) (: b (tensor c f32)) (: qkv (tensor 3 c c bf16))
                   (: out (tensor c c bf16)) (: up (tensor w c bf16)) (: down (tensor c w bf16))] -> (tensor t c f32)
  (def y (+ x (self-attention (layer-norm x g b) qkv out)))
  (+ y (mlp (layer-norm y g b) up down)))

; Numbers between -1 and 1 in place of trained weights.
(defn weights [count] (cast bf16 (sin (* 7.0 (iota f32 [count])))))

(defn main []
  (def table (reshape (weights 40) [10 4]))
  (def x (cast f32 (embedding table (: [3 1 4] tensor<3xi32>))))
  (def y (fold [y x] [layer 0 2]                ; Two layers that share their weights.
           (transformer y (full f32 [4] 1.0) (zeros f32 [4]) (reshape (weights 48) [3 4 4])
                        (reshape (weights 16) [4 4]) (reshape (weights 32) [8 4]) (reshape (weights 32) [4 8]))))
  (println y)                                   ; CHECK: [0.35{{[0-9]*}} 1.1{{[0-9]*}} 2.2{{[0-9]*}} 1.3{{[0-9]*}}]
  (def logits (einsum "tc,vc->tv" y table))
  (println (argmax logits :axis -1))            ; CHECK: [0 0 0]
  (println "%.3f" (cross-entropy logits (: [1 4 1] tensor<3xi64>)))) ; CHECK: {{^11[.][01]}}
