;;; model.lisp - Llama and its family as formulas: Llama, Mistral, Qwen 2 and 3, Gemma 2 and 3 (text), OLMo 2 and 3,
;;; Phi 3, SmolLM 3.
;;;
;;; Letters: t tokens of this pass, c channels of the residual stream, v vocabulary, l layers, g heads of keys and
;;; values, r heads of queries for each of these, d channels of a head, s positions of the cache. Generation and
;;; training share the formulas: before t there may be a dimension of texts (:texts true).
;;;
;;; The models differ in what exists, which are constants of the functions:
;;;   :head-norms  queries and keys are normalised before they are rotated (Qwen 3, Gemma 3)
;;;   :windows     layers differ: some may see the last tokens only, some have another rotation or none (SmolLM 3);
;;;                rotations may have a magnitude (YaRN)
;;;   :gemma       norms multiply by 1 + w, and follow attention and MLP, too; the MLP's gate is GELU
;;;   :partial     some channels are not rotated (Phi 4 mini)
;;;   :capped      scores and logits are bounded (Gemma 2)
;;;   :olmo        norms follow attention and MLP, and none precedes them; those of queries and keys are of all heads
;;; :type is that of the activations; the residual stream is f32, but training rounds what products add to it (:rows).

;; With several ranks each layer is divided among them (Shoeybi et al., "Megatron-LM", 2019): a rank has its own heads
;; of queries, keys and values, and channels of the MLP. The products behind these are terms of a sum over the ranks,
;; and so is the stream that they are added to, which begins with the embedding on the first rank and zeros on the
;; others: what normalises it adds the ranks' terms. So a product adds to the stream itself, as on one rank. In models
;; that normalise what is added (:gemma), that is summed, and all have the whole stream. The embedding is whole, the
;; output's weights are divided by words.
;; (on-ranks form otherwise) is `form` in a program that is compiled for --tp N, else `otherwise`, so that one rank has
;; no mesh.
(defmacro ranks-option [] (program-option "--tp" "--chat" "--ids" "--no-echo" "--help"))
(defmacro on-ranks [form otherwise] (if (nil? (ranks-option)) otherwise form))
(on-ranks (defmesh [tp]) (do))
(defmacro summed [x] `(on-ranks (all-reduce ~x :over tp) ~x))
(defmacro first-number [x] `(on-ranks (if (= (rank tp) 0) ~x 0.0) ~x))
(defmacro joined-words [x] `(on-ranks (all-gather ~x :over tp :axis -1) ~x))
(defmacro divided [dimension] `(on-ranks (quote [:split ~dimension :over tp]) []))
(defmacro of-first [] `(on-ranks (quote [:first :over tp]) []))

;; y = x w^T + b. A bias that a model does not have is zero.
(defrecord Linear [weight (tensor n k bf16)] [bias (tensor n bf16)])
(defrecord Layer
  [norm (tensor c bf16)] [qkv Linear] [query-norm (tensor q bf16)] [key-norm (tensor k bf16)] [output Linear]
  [attention-norm (tensor c bf16)] [mlp-norm (tensor c bf16)] [gate-up Linear] [down Linear]
  [result-norm (tensor c bf16)])
(defrecord Model [embedding (tensor v c bf16)] [layers (list Layer)] [norm (tensor c bf16)])
;; With the weights of the output, which are the embedding unless the model's files have others.
(defrecord Generator [model Model] [output (tensor v c bf16)])

;; What config.json says of the computation; h = d / 2.
(defrecord Settings
  [groups index] [queries index] [head-size index]  ; g, r, d
  [epsilon f32] [scale f32]                         ; of norms; of scores, where it is not 1 / sqrt d
  [embedding-scale f32]
  [frequencies (tensor h f32)]                      ; radians a position, of each pair of channels
  [local-frequencies (tensor h f32)]                ; of layers with another rotation
  [windows (tensor l i32)]                          ; how many tokens each layer sees
  [local (tensor l i32)]                            ; 1 for layers with another rotation
  [magnitudes (tensor l f32)]                       ; of each layer's rotation
  [score-cap f32] [logit-cap f32])

(defmacro load-files [path]
  `(load-checkpoint Generator ~path
     {:model
      {:embedding "model.embed_tokens.weight"
       :layers
         {:norm ["model.layers.{}.input_layernorm.weight" :optional]
          :qkv {:weight [["model.layers.{}.self_attn.q_proj.weight"
                          "model.layers.{}.self_attn.k_proj.weight"
                          "model.layers.{}.self_attn.v_proj.weight"]
                         "model.layers.{}.self_attn.qkv_proj.weight" ~@(divided 0)]
                :bias [["model.layers.{}.self_attn.q_proj.bias"
                        "model.layers.{}.self_attn.k_proj.bias"
                        "model.layers.{}.self_attn.v_proj.bias"] :optional ~@(divided 0)]}
          :query-norm ["model.layers.{}.self_attn.q_norm.weight" :optional]
          :key-norm ["model.layers.{}.self_attn.k_norm.weight" :optional]
          :output {:weight ["model.layers.{}.self_attn.o_proj.weight" ~@(divided 1)]
                   :bias ["model.layers.{}.self_attn.o_proj.bias" :optional ~@(of-first)]}
          :attention-norm "model.layers.{}.post_attention_layernorm.weight"
          :mlp-norm ["model.layers.{}.pre_feedforward_layernorm.weight"
                     "model.layers.{}.post_attention_layernorm.weight"]
          :gate-up {:weight [["model.layers.{}.mlp.gate_proj.weight" "model.layers.{}.mlp.up_proj.weight"]
                             "model.layers.{}.mlp.gate_up_proj.weight" ~@(divided 0)]
                    :bias [["model.layers.{}.mlp.gate_proj.bias" "model.layers.{}.mlp.up_proj.bias"]
                           :optional ~@(divided 0)]}
          :down {:weight ["model.layers.{}.mlp.down_proj.weight" ~@(divided 1)]
                 :bias ["model.layers.{}.mlp.down_proj.bias" :optional ~@(of-first)]}
          :result-norm ["model.layers.{}.post_feedforward_layernorm.weight" :optional]}
       :norm "model.norm.weight"}
      :output ["lm_head.weight" "model.embed_tokens.weight" ~@(divided 0)]}))
(defn load-model [(: path !llvm.ptr)] -> Generator (load-files path))

(defn dense [x w & {:biased true}]
  (def y (einsum "...k,nk->...n" x (:weight w) :out f32))
  (if biased (+ y (:bias w)) y))
;; The stream, of which each rank has a term; with :gemma all have it.
(defn whole [x & {:gemma false}] (if gemma x (summed x)))

;; RMS norm (Zhang, Sennrich 2019) along the last axis.
(defn normed [x w epsilon & {:gemma false}]
  (def gain (cast f32 w))
  (* x (rsqrt (+ (mean (* x x) :axis -1 :keep true) epsilon)) (if gemma (+ 1.0 gain) gain)))

;; Turns the pairs (x[i], x[i + d/2]) by the token's angles, which have these cosines and sines (Su et al. 2021).
;; x: [t n d], cosines, sines: [t 1 d/2]. With :partial d is the number of the first channels, and the rest stays.
(defn rotated [x cosines sines & {:partial false}]
  (def h (dim cosines -1))
  (def [first rest] (if partial (split x [(* 2 h) (- (dim x -1) (* 2 h))] :axis -1) [x x]))
  (def [a b] (split first 2 :axis -1))
  (def turned (concat (- (* a cosines) (* b sines)) (+ (* b cosines) (* a sines)) :axis -1))
  (if partial (concat turned (cast f32 rest) :axis -1) turned))

;; Numbers of (-cap, cap) (Gemma 2).
(defn bounded [x cap] (* cap (tanh (/ x cap))))

;; Attention of the new tokens to themselves and those before them, of which the cache has keys and values.
;; q: [t g r d], keys and values: [g s d].
(defn attended [q keys values scale position window cap & {:windows false :capped false :type f32}]
  (def key (iota i32 [(dim keys -2)]))
  (def token (+ position (iota i32 [(dim q -4) 1] :axis 0)))
  (def seen (if windows (and (<= key token) (> key (- token window))) (<= key token)))
  (def products (* scale (einsum "...tgrd,...gsd->...grts" q keys :out f32)))
  (def scores (if capped (bounded products cap) products))
  (einsum "...grts,...gsd->...tgrd" (cast type (softmax (where seen scores -inf))) values :out f32))

(defn joined-heads [x] (reshape x [(dim x 0) (* (dim x 1) (dim x 2))]))

(defn normed-heads [heads b (: s Settings) & {:gemma false :olmo false}]
  (def [t g d] [(dim heads 0) (:groups s) (:head-size s)])
  (def [q k v] (split heads [(* g (:queries s)) g g] :axis -2))
  (def weight (if olmo (:query-norm b) (reshape (:query-norm b) [(dim (:key-norm b) 0)])))
  (def queries (normed (cast f32 (if olmo (joined-heads q) q)) weight (:epsilon s) :gemma gemma))
  (def keys (normed (cast f32 (if olmo (joined-heads k) k)) (:key-norm b) (:epsilon s) :gemma gemma))
  (concat (if olmo (reshape queries [t (* g (:queries s)) d]) queries) (if olmo (reshape keys [t g d]) keys) :axis -2))

;; Rows as heads of d channels, and heads as rows.
(defn heads-of [x n d & {:texts false}]
  (if texts (reshape x [(dim x 0) (dim x 1) n d]) (reshape x [(dim x 0) n d])))
(defn heads-first [x & {:texts false}] (if texts (transpose x [0 2 1 3]) (transpose x [1 0 2])))

;; Queries [t g r d], and keys and values [g t d], of the rows x.
(defn projected [x b (: s Settings) cosines sines
                 & {:head-norms false :gemma false :olmo false :partial false :texts false :biased true :type f32}]
  (def [g r d] [(:groups s) (:queries s) (:head-size s)])
  (def h (* g r))
  (def p (if olmo x (normed (whole x :gemma gemma) (:norm b) (:epsilon s) :gemma gemma)))
  (def heads (heads-of (cast type (dense (cast type p) (:qkv b) :biased biased)) (+ h g g) d :texts texts))
  (def v (slice heads :axis -2 :from (+ h g)))
  (def turned
    (rotated (if head-norms (normed-heads heads b s :gemma gemma :olmo olmo) (slice heads :axis -2 :to (+ h g)))
             cosines sines :partial partial))
  (def [q k] (split (cast type turned) [h g] :axis -2))
  (def queries (if texts (reshape q [(dim q 0) (dim q 1) g r d]) (reshape q [(dim q 0) g r d])))
  [queries (heads-first k :texts texts) (heads-first v :texts texts)])

(defn mlp [x b & {:gemma false :biased true :type f32 :rows f32}]
  (def [gate up] (split (cast rows (dense x (:gate-up b) :biased biased)) 2 :axis -1))
  (def gated (* (if gemma (gelu (cast f32 gate)) (silu (cast f32 gate))) (cast f32 up)))
  (dense (cast type gated) (:down b) :biased biased))

;; A layer, for rows whose queries, and the keys and values that these see, are known.
(defn layer [x b q keys values (: s Settings) position window
             & {:windows false :gemma false :capped false :olmo false :texts false :biased true :type f32 :rows f32}]
  (def y (attended q keys values (if gemma (:scale s) (rsqrt (cast f32 (:head-size s)))) position window (:score-cap s)
                   :windows windows :capped capped :type type))
  (def width (* (:groups s) (:queries s) (:head-size s)))
  (def mixed (cast type (if texts (reshape y [(dim y 0) (dim y 1) width]) (reshape y [(dim y 0) width]))))
  (def a (cast f32 (cast rows (dense mixed (:output b) :biased biased))))
  (def z (+ x (if (or gemma olmo) (normed (summed a) (:attention-norm b) (:epsilon s) :gemma gemma) a)))
  (def n (if olmo z (normed (whole z :gemma gemma) (:mlp-norm b) (:epsilon s) :gemma gemma)))
  (def m (cast f32 (cast rows (mlp (cast type n) b :gemma gemma :biased biased :type type :rows rows))))
  (+ z (if (or gemma olmo) (normed (summed m) (:result-norm b) (:epsilon s) :gemma gemma) m)))

;; Radians a position of each pair i of h: base^(-i/h). Scaling divides those by `factor` whose wavelengths are above
;; positions / low, keeps those below positions / high, and goes from the one to the other between (Llama 3).
(defn frequencies [h base factor low high positions]
  (def f (exp (* (iota f64 [h]) (/ (- (log base)) (cast f64 h)))))
  (def kept (max 0.0 (min 1.0 (/ (- (* f (/ positions 6.283185307179586)) low) (- high low)))))
  (cast f32 (+ (* kept f) (* (- 1.0 kept) (/ f factor)))))

;; The same where those pairs are kept that turn `fast` times in so many positions, those divided that turn `slow`
;; times, and between them the index decides (YaRN: Peng et al. 2023).
(defn yarn-frequencies [h base factor fast slow positions]
  (def i (iota f64 [h]))
  (def f (exp (* i (/ (- (log base)) (cast f64 h)))))
  (def by-turns (/ (cast f64 h) (log base)))
  (def first (max 0.0 (floor (* by-turns (log (/ positions (* 6.283185307179586 fast)))))))
  (def last (min (- (* 2.0 (cast f64 h)) 1.0) (ceil (* by-turns (log (/ positions (* 6.283185307179586 slow)))))))
  (def divided (max 0.0 (min 1.0 (/ (- i first) (if (= first last) 0.001 (- last first))))))
  (cast f32 (+ (* (- 1.0 divided) f) (* divided (/ f factor)))))

;; With a divisor for each pair (LongRoPE: Ding et al. 2024).
(defn divided [(: frequencies (tensor h f32)) (: divisors (tensor h f32))] (/ frequencies divisors))

;; The angles of t tokens: [t 1 d/2].
(defn angles-of [position frequencies t]
  (* (cast f32 (+ position (iota i32 [t 1 1] :axis 0))) frequencies))

;; The logits of rows, by the weights of the output.
(defn logits [x m output (: s Settings) & {:gemma false :capped false :rows f32}]
  (def logits (einsum "...c,vc->...v" (cast rows (normed x (:norm m) (:epsilon s) :gemma gemma)) output))
  (if capped (bounded logits (:logit-cap s)) logits))

;; Logits after the last of the tokens, the first of which is at `position` of the text: [1 v].
(defn forward [g (: s Settings) (: keys inout) (: values inout)
               (: tokens (tensor t i32)) (: position (tensor 1 i32))
               & {:head-norms false :windows false :gemma false :capped false :olmo false :partial false
                         :type f32}]
  (def m (:model g))
  (def start (* (:embedding-scale s) (cast f32 (embedding (:embedding m) tokens))))
  (def global (angles-of position (:frequencies s) t))
  (def local (angles-of position (:local-frequencies s) t))
  (def [global-cosines global-sines] [(cos global) (sin global)])
  (def [local-cosines local-sines] [(cos local) (sin local)])
  (def stream
    (fold [x start] [b (:layers m) k keys v values window (:windows s) kind (:local s) magnitude (:magnitudes s)]
      (def is-local (= kind 1))
      (def cosines (if windows (* magnitude (where is-local local-cosines global-cosines)) global-cosines))
      (def sines (if windows (* magnitude (where is-local local-sines global-sines)) global-sines))
      (def [q own-keys own-values]
        (projected x b s cosines sines :head-norms head-norms :gemma gemma :olmo olmo :partial partial :type type))
      (update k own-keys [0 position 0])
      (update v own-values [0 position 0])
      (layer x b q k v s position window :windows windows :gemma gemma :capped capped :olmo olmo :type type)))
  (joined-words (logits (whole (slice stream :axis 0 :from (- t 1)) :gemma gemma) m (:output g) s
                        :gemma gemma :capped capped)))

;; The mean loss of texts, each of whose tokens has the next one as its target. The output's weights are the embedding;
;; a model without biases has zeros there, which stay.
(defn loss [m (: s Settings) (: tokens (tensor n t i32)) (: targets (tensor n t i32))
            & {:head-norms false :biased false :type f32}]
  (def angles (angles-of (: 0 i32) (:frequencies s) t))
  (def [cosines sines] [(cos angles) (sin angles)])
  (def stream
    (fold [x (* (:embedding-scale s) (cast f32 (embedding (:embedding m) tokens)))] [b (:layers m)]
      (def [q keys values] (projected x b s cosines sines :head-norms head-norms :texts true :biased biased :type type))
      (layer x b q keys values s (: 0 i32) (: 0 i32) :texts true :biased biased :type type :rows type)))
  (cross-entropy (logits stream m (:embedding m) s :rows type) targets))
