;;; train-llama.lisp - trains a Llama from a text: from a model's weights, or from first weights.
;;;
;;;     lispier run examples/training/train-llama.lisp -- --data book.txt --model models/Llama-3.2-1B --out run
;;;     lispier run examples/training/train-llama.lisp -- --data book.txt --model examples/llama/llama3-tiny --size new
;;;
;;; --model is a folder of Hugging Face's files; with --size new it gives the sizes and the tokenizer only. The
;;; formulas are those of generation (../llama/model.lisp), with the embedding as the output's weights. Biases stay 0.

(require-dialect nn memref arith math llvm func)
(require ["../gpt2/options.lisp" :as options] ["../gpt2/generation.lisp" :as generation]
         ["../llama/model.lisp" :as model] ["../llama/config.lisp" :as config] ["../llama/chat.lisp" :as chat]
         ["./checkpoint.lisp" :as checkpoint] ["./loader.lisp" :as loader] ["./optimizer.lisp" :as optimizer]
         ["./training.lisp" :as training])
(require-macros "../gpt2/options.lisp" "../gpt2/generation.lisp" "./checkpoint.lisp" "./optimizer.lisp"
                "./training.lisp")

(defn loss-of [m (: s Settings) (: texts (tensor b u i32)) & {:type f32}]
  (def t (- u 1))
  (model/loss m s (slice texts [0 0] [b t]) (slice texts [0 1] [b t]) :type type))

(defn operations-of [(: m (record Model f32)) (: s Settings) (: t index)] -> f64
  (def [h l] [(:layers m) (dim (:norm (:layers m)) 0)])
  (def layer (+ (* (dim (:weight (:qkv h)) 1) (:c m)) (* (dim (:weight (:output h)) 2) (:c m))
                (* 3 (dim (:weight (:down h)) 2) (:c m)) (* t (dim (:weight (:output h)) 2))))
  (* 6.0 (cast f64 (cast i64 (+ (* (:v m) (:c m)) (* l layer))))))

;; --- files --------------------------------------------------------------------

;; Hugging Face's names. Queries, keys and values are three tensors there, and so are gate and up two.
(defmacro load-llama [path prefix]
  (let [n (fn [name] (str prefix "model.layers.{}." name))]
    `(load-checkpoint (record Model f32) ~path
       {:embedding ~(str prefix "model.embed_tokens.weight")
        :layers
          {:norm ~(n "input_layernorm.weight")
           :qkv {:weight [[~(n "self_attn.q_proj.weight") ~(n "self_attn.k_proj.weight")
                           ~(n "self_attn.v_proj.weight")]]
                 :bias [[~(n "self_attn.q_proj.bias") ~(n "self_attn.k_proj.bias")
                         ~(n "self_attn.v_proj.bias")] :optional]}
           :query-norm [~(n "self_attn.q_norm.weight") :optional]
           :key-norm [~(n "self_attn.k_norm.weight") :optional]
           :output {:weight ~(n "self_attn.o_proj.weight") :bias [~(n "self_attn.o_proj.bias") :optional]}
           :attention-norm [~(n "no.weight") :optional]
           :mlp-norm ~(n "post_attention_layernorm.weight")
           :gate-up {:weight [[~(n "mlp.gate_proj.weight") ~(n "mlp.up_proj.weight")]]
                     :bias [[~(n "mlp.gate_proj.bias") ~(n "mlp.up_proj.bias")] :optional]}
           :down {:weight ~(n "mlp.down_proj.weight") :bias [~(n "mlp.down_proj.bias") :optional]}
           :result-norm [~(n "no.weight") :optional]}
        :norm ~(str prefix "model.norm.weight")})))

(defmacro put-llama [saver m s prefix]
  (let [n (fn [name] (str prefix "model.layers.%ld." name))]
    `(let [own-h (:layers ~m)
           own-keys (* (:groups ~s) (:head-size ~s))
           own-queries (* own-keys (:queries ~s))
           own-width (dim (:weight (:down own-h)) 2)]
       (checkpoint/put-f32 ~saver (cstring ~(str prefix "model.embed_tokens.weight")) (:embedding ~m))
       (checkpoint/put-f32 ~saver (cstring ~(str prefix "model.norm.weight")) (:norm ~m))
       ~@(map (fn [row] `(checkpoint/put-layers-f32 ~saver (cstring ~(n (nth row 0))) ~(nth row 1)))
              `(["input_layernorm.weight" (:norm own-h)]
                ["post_attention_layernorm.weight" (:mlp-norm own-h)]
                ["self_attn.q_proj.weight" (slice (:weight (:qkv own-h)) :axis 1 :to own-queries)]
                ["self_attn.k_proj.weight"
                 (slice (:weight (:qkv own-h)) :axis 1 :from own-queries :to (+ own-queries own-keys))]
                ["self_attn.v_proj.weight" (slice (:weight (:qkv own-h)) :axis 1 :from (+ own-queries own-keys))]
                ["self_attn.o_proj.weight" (:weight (:output own-h))]
                ["mlp.gate_proj.weight" (slice (:weight (:gate-up own-h)) :axis 1 :to own-width)]
                ["mlp.up_proj.weight" (slice (:weight (:gate-up own-h)) :axis 1 :from own-width)]
                ["mlp.down_proj.weight" (:weight (:down own-h))])))))

(defn describe-model [(: saver !llvm.ptr) (: m (record Model f32)) (: s Settings) (: o !llvm.ptr)]
  (checkpoint/copy-description saver (Training/model o)))

;; First weights of a model's sizes: N(0, 0.02), those of projections into the stream by 1 / sqrt(2 l); gains 1. Biases,
;; which formulas of generation add, stay 0.
(defn draw [(: x inout) (: scale f32) (: seed i64) (: stream i64)]
  (update x (* scale (normal f32 x :seed seed :stream stream))))
(defn fill-ones [(: x inout)] (update x (+ 1.0 (zeros-like x))))
(defn renew [(: m (inout (record Model f32))) (: seed i64)]
  (def into (/ 0.02 (sqrt (cast f32 (* 2 (dim (:norm (:layers m)) 0))))))
  (draw (:embedding m) 0.02 seed 0)
  (draw (:weight (:qkv (:layers m))) 0.02 seed 1)
  (draw (:weight (:output (:layers m))) into seed 2)
  (draw (:weight (:gate-up (:layers m))) 0.02 seed 3)
  (draw (:weight (:down (:layers m))) into seed 4)
  (fill-ones (:norm (:layers m)))
  (fill-ones (:mlp-norm (:layers m)))
  (fill-ones (:norm m)))

;; --- a text -------------------------------------------------------------------

(defn write-sample [m (: s Settings) (: o !llvm.ptr) (: tokenizer !llvm.ptr)]
  "64 tokens after --prompt, drawn by the model's probabilities."
  (def choices (generation/new-options))
  (Options/temperature! choices (: 0.8 f32))
  (Options/top-k! choices (: 40 i32))
  (Options/prompt! choices (if (= (ptr-load i8 (Training/prompt o)) (: 0 i8)) (cstring "The") (Training/prompt o)))
  (def [v l] [(:v m) (dim (:norm (:layers m)) 0)])
  (def prompt (generation/read-prompt choices (cast i64 v) tokenizer))
  (def count (cast index (Tokens/count prompt)))
  (def p (+ count 64))
  (def [keys values] [(zeros f32 [l (:groups s) p (:head-size s)]) (zeros f32 [l (:groups s) p (:head-size s)])])
  (def g (Generator f32 {:model m :output (:embedding m)}))
  (def logits (device-alloc memref<1x?xf32> [v]))
  (def row (memref.collapse_shape {:reassociation [[0 1]] :result memref<?xf32>} logits))
  (def scratch (device-alloc memref<?xf32> [v]))
  (def [position token] [(device-alloc memref<1xi32> []) (device-alloc memref<1xi32> [])])
  (def [host-position host-token]
    [(memref.alloc {:result memref<1xi32>}) (memref.alloc {:result memref<1xi32>})])
  (def [state host-state] [(device-alloc memref<1xi64> []) (memref.alloc {:result memref<1xi64>})])
  (set-cell! state host-state (Training/seed o))
  (def out (new Output tokenizer (: 0 i64)))
  (for [i 0 p]
    (when (< i count)
      (set-cell! token host-token (ptr-load i32 (ptr-at i32 (Tokens/ids prompt) (cast i64 i)))))
    (generation/put-token out (memref.load host-token 0))
    (set-cell! position host-position (cast i32 (cast i64 i)))
    (store (model/forward g s keys values (memref.cast {:result memref<?xi32>} token) position) logits)
    (generation/choose choices row scratch state token)
    (download! host-token token))
  (generation/end-output out))

(def-training Model load-llama put-llama)

;; --- main ---------------------------------------------------------------------

;; The sizes of --model, [rows channels layers groups queries head-size width], at macro time (training.lisp).
(defmacro compiled-sizes []
  (let [config (or (read-json (str (or (compiled-option "--model" nil) "") "/config.json")) {})
        [v c l h f] (map (fn [key] (get config key)) [:vocab_size :hidden_size :num_hidden_layers
                                                      :num_attention_heads :intermediate_size])
        g (get config :num_key_value_heads h)]
    (if (or (nil? v) (nil? c) (nil? l) (nil? h) (nil? f))
        [nil nil nil nil nil nil nil]
        [v c l g (quotient h g) (or (get config :head_dim) (quotient c h)) f])))
(defmacro known-sizes [& sizes] `[~@(map (fn [size number] `(known ~size ~number)) sizes (compiled-sizes))])

;; The same model, whose tensors have sizes that the program knows.
(defn sized [m (: v index) (: c index) (: l index) (: g index) (: r index) (: d index) (: f index)]
  -> (record Model f32)
  (def [h e] [(:layers m) (* g (+ r 2) d)])
  (Model f32
    {:embedding (reshape (:embedding m) [v c])
     :layers (Layer f32
               {:norm (reshape (:norm h) [l c])
                :qkv (Linear f32 (reshape (:weight (:qkv h)) [l e c]) (reshape (:bias (:qkv h)) [l e]))
                :query-norm (:query-norm h) :key-norm (:key-norm h)
                :output (Linear f32 (reshape (:weight (:output h)) [l c (* g r d)]) (reshape (:bias (:output h)) [l c]))
                :attention-norm (:attention-norm h) :mlp-norm (reshape (:mlp-norm h) [l c])
                :gate-up (Linear f32 (reshape (:weight (:gate-up h)) [l (* 2 f) c])
                                     (reshape (:bias (:gate-up h)) [l (* 2 f)]))
                :down (Linear f32 (reshape (:weight (:down h)) [l c f]) (reshape (:bias (:down h)) [l c]))
                :result-norm (:result-norm h)})
     :norm (reshape (:norm m) [c])}))

;; Nothing where the program is compiled for options without --model, with which it ends at once.
(defmacro with-model [& body]
  (if (and (not (nil? (program-option "--data" "--help"))) (nil? (program-option "--model" "--help")))
      `(do)
      `(do ~@body)))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def o (training/read-settings count words (cstring "Llama in Lispier: learns a text.\n")))
  (check-compiled o)
  (when (null? (Training/model o))
    (die "--model wants the folder of a model; with --size new its weights are replaced"))
  (with-model
    (def folder (Training/model o))
    (def config (config/open-config folder))
    (def vocabulary (config/integer config (cstring "vocab_size")))
    (def tokenizer
      (chat/open-tokenizer (if (null? (Training/tokenizer o)) folder (Training/tokenizer o)) vocabulary))
    (def read (load-llama folder ""))
    (def groups (config/size config (cstring "num_key_value_heads")))
    (def [v c l g r d f]
      (known-sizes (dim (:embedding read) 0) (dim (:embedding read) 1) (dim (:norm (:layers read)) 0) groups
                   (/ (config/size config (cstring "num_attention_heads")) groups)
                   (config/size config (cstring "head_dim")) (dim (:weight (:down (:layers read))) 2)))
    (def pairs (/ (config/size config (cstring "rotary_dim")) 2))
    (def positions (Training/tokens o))
    (def s
      (Settings {:groups g :queries r :head-size d
                 :epsilon (cast f32 (config/number config (cstring "rms_norm_eps"))) :scale (: 0.0 f32)
                 :embedding-scale (: 1.0 f32)
                 :frequencies (config/rotation config (cstring "rope_") pairs positions)
                 :local-frequencies (config/rotation config (cstring "rope_local_") pairs positions)
                 :windows (config/layer-windows config) :local (config/local-layers config)
                 :magnitudes (config/layer-magnitudes config) :score-cap (: 0.0 f32) :logit-cap (: 0.0 f32)}))
    (when (or (config/flag config (cstring "head_norms")) (config/flag config (cstring "layers_differ"))
              (config/flag config (cstring "post_norms")))
      (die "%s: this program trains Llama, whose layers are alike and have no norms of heads" folder))
    (when (> (at (sum (abs (:bias (:qkv (:layers read)))))) 0.0)
      (die "%s: this program trains models without biases" folder))
    (def m (sized (map-fields (record Model f32) load read) v c l g r d f))
    (when (options/same-text (Training/size o) (cstring "new")) (renew m (Training/seed o)))
    (def data (training/open-data (Training/data o) tokenizer vocabulary))
    (def val (if (null? (Training/val o)) (null-ptr) (training/open-data (Training/val o) tokenizer vocabulary)))
    (when (and (training/tells?) (> (Training/sample o) (: 0 i64))) (write-sample m s o tokenizer))
    (train o m s data val tokenizer)))
