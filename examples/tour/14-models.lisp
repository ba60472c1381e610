; 14. Models as formulas.               RUN: lispier run %s | FileCheck %s
;
; A transformer reads like the paper: records name the weights, functions of tensors are the layers. Names of sizes
; say what fits: t tokens, c channels, h heads, d = c / h of each head, p positions of the cache, l layers.

; A record is a name for its parts. Equal names of sizes are equal in one record.
(defrecord Norm [gain (tensor c f32)] [shift (tensor c f32)])
(defrecord Block [norm1 Norm] [qkv (tensor 3 c c bf16)] [out (tensor c c bf16)]
                 [norm2 Norm] [up (tensor w c bf16)] [down (tensor c w bf16)])
; A list of records is one record whose tensors are stacked: [l ...].
(defrecord Model [table (tensor v c bf16)] [blocks (list Block)])
(defrecord Cache [k (tensor l p c f32)] [v (tensor l p c f32)])

(defn normed [x n] (layer-norm x (:gain n) (:shift n)))
(defn projected [x w] (einsum "tk,nk->tn" x w))
; [t c] -> [h t d], and back.
(defn heads [x & {:count 2}] (transpose (reshape x [(dim x 0) count (/ (dim x 1) count)]) [1 0 2]))
(defn joined [x] (reshape (transpose x [1 0 2]) [(dim x 1) (* (dim x 0) (dim x 2))]))
(defn mlp [x up down] (projected (gelu (projected x up)) down))

; An inout tensor is the caller's memory: update is a store, and nothing is copied. A place beyond it is an error at
; this line. On a GPU, attention may itself store the keys and values at a position that only a tensor has; the host
; does not read that to check it, so that steps can be replayed: there the program sees to it that the cache is large
; enough.
(defn self-attention [(: x (tensor t c f32)) (: b Block) (: k (inout (tensor p c f32))) (: v (inout (tensor p c f32)))
                      (: start index)]
  (update k (projected x (at (:qkv b) 1)) [start 0])
  (update v (projected x (at (:qkv b) 2)) [start 0])
  (def q (heads (projected x (at (:qkv b) 0))))
  (def seen (+ start t))
  (projected (joined (attention q (heads (slice k [0 0] [seen _])) (heads (slice v [0 0] [seen _])))) (:out b)))

; One function for the prompt and for each further token. fold and for-each walk over lists of records and over
; tensors in one loop; the elements of what is inout are its memory.
(defn forward [(: model Model) (: cache (inout Cache)) (: tokens (tensor t i32)) (: start index)]
  (def x (fold [x (cast f32 (embedding (:table model) tokens))] [b (:blocks model) k (:k cache) v (:v cache)]
           (def y (+ x (self-attention (normed x (:norm1 b)) b k v start)))
           (+ y (mlp (normed y (:norm2 b)) (:up b) (:down b)))))
  (projected x (:table model)))

; Numbers between -1 and 1 in place of trained weights.
(defn weights [shape & {:seed 7.0}] (cast bf16 (sin (* seed (+ 1.0 shape)))))
(defn model [] -> Model
  (def norm (Norm {:gain (full f32 [2 4] 1.0) :shift (zeros f32 [2 4])}))   ; Of both layers.
  (Model {:table (weights (reshape (iota f32 [40]) [10 4]))
          :blocks (Block {:norm1 norm :qkv (weights (reshape (iota f32 [96]) [2 3 4 4])) :norm2 norm
                          :out (weights (reshape (iota f32 [32]) [2 4 4]) :seed 3.0)
                          :up (weights (reshape (iota f32 [64]) [2 8 4]))
                          :down (weights (reshape (iota f32 [64]) [2 4 8]) :seed 5.0)})}))
(defn empty-cache [] -> Cache (Cache (zeros f32 [2 6 4]) (zeros f32 [2 6 4])))

; load-checkpoint fills a record from safetensors or llm.c's files, by a table of the tensors' names: {} is the
; layer's number, further names are tried in turn, a vector of names among them is tensors one after the other,
; :transposed exchanges rows and columns, what is :optional is zeros if the files do not have it. Shapes are compared
; with the record's.
(defrecord Gpt2Norm [gain (tensor c bf16)] [shift (tensor c bf16)])
(defrecord Gpt2Mlp [norm Gpt2Norm] [up (tensor w c bf16)] [bias (tensor w bf16)])
(defrecord Gpt2 [table (tensor v c bf16)] [h (list Gpt2Mlp)] [final Gpt2Norm])
(defn gpt2 [(: path !llvm.ptr)] -> Gpt2
  (load-checkpoint Gpt2 path
    {:table ["wte.weight" "transformer.wte.weight"]
     :h {:norm {:gain "transformer.h.{}.ln_2.weight" :shift "transformer.h.{}.ln_2.bias"}
         :up ["transformer.h.{}.mlp.c_fc.weight" :transposed] :bias "transformer.h.{}.mlp.c_fc.bias"}
     :final {:gain "transformer.ln_f.weight" :shift "transformer.ln_f.bias"}}))

(defn main []
  (def m (model))
  (def cache (empty-cache))
  (def other (empty-cache))
  ; Three tokens and then one more are the same as four.
  (def prompt (forward m cache (: [3 1 4] tensor<3xi32>) 0))
  (def next (forward m cache (: [1] tensor<1xi32>) 3))
  (def all (forward m other (: [3 1 4 1] tensor<4xi32>) 0))
  (println (argmax all :axis -1))                     ; CHECK: i32 [4]
  (println "%d" (at (argmax next :axis -1) 0))
  (println "%d" (cast i32 (< (at (max (abs (- next (slice all [3 0] [1 _]))))) 1e-4)))  ; CHECK: {{^1$}}
  (println "%d" (cast i32 (< (at (max (abs (- (:k cache) (:k other))))) 1e-4)))         ; CHECK: {{^1$}}
  (println "%g" (cross-entropy all (: [1 4 1 5] tensor<4xi64>)))
  (def g (gpt2 (source-path "../gpt2/mini")))
  (println "%ld layers of %ld channels" (dim (:up (:h g)) 0) (:c (:final g)))           ; CHECK: layers of 256 channels
  (for-each [layer (:h g)] (println "%.3f" (cast f32 (at (mean (:gain (:norm layer))))))))
