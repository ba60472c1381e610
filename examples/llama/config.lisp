;;; config.lisp - what config.json says, for the program and the formulas.
;;;
;;; lib/Checkpoint reads it by the table of families.lisp, complete and checked, and names what it does not know
;;; (DecoderConfig.h).

(require-dialect memref arith llvm)
(require ["../gpt2/options.lisp" :as options] ["./model.lisp" :as model] ["./families.lisp" :as families])
(require-macros "../gpt2/options.lisp")

(extern-fn lispier_decoder_open (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_decoder_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_decoder_integer (-> [!llvm.ptr !llvm.ptr] [i64]))
(extern-fn lispier_decoder_number (-> [!llvm.ptr !llvm.ptr] [f64]))
(extern-fn lispier_decoder_flag (-> [!llvm.ptr !llvm.ptr] [i32]))
(extern-fn lispier_decoder_text (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_open (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_path (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_find (-> [!llvm.ptr !llvm.ptr] [i64]))
(extern-fn lispier_checkpoint_same (-> [!llvm.ptr i64 i64] [i32]))
(extern-fn lispier_checkpoint_close (-> [!llvm.ptr] []))
(extern-fn snprintf (-> [!llvm.ptr i64 !llvm.ptr ...] [i32]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))

(defn check [(: config !llvm.ptr)]
  (def wrong (lispier_decoder_error config))
  (if (null? wrong) (do) (die "%s" wrong)))

(defn open-config [(: folder !llvm.ptr)] -> !llvm.ptr
  (def config (lispier_decoder_open folder (families/table)))
  (check config)
  config)

;; Numbers by name.
(defn integer [(: config !llvm.ptr) (: key !llvm.ptr)] -> i64
  (def value (lispier_decoder_integer config key))
  (check config)
  value)
(defn size [(: config !llvm.ptr) (: key !llvm.ptr)] -> index (cast index (integer config key)))
(defn number [(: config !llvm.ptr) (: key !llvm.ptr)] -> f64
  (def value (lispier_decoder_number config key))
  (check config)
  value)
(defn flag [(: config !llvm.ptr) (: key !llvm.ptr)] -> i1
  (def value (lispier_decoder_flag config key))
  (check config)
  (!= value (: 0 i32)))

(defn text [(: config !llvm.ptr) (: key !llvm.ptr)] -> !llvm.ptr
  (def value (lispier_decoder_text config key))
  (check config)
  value)

(defn item [(: config !llvm.ptr) (: list !llvm.ptr) (: i i64)] -> i64
  "Number `i` of a list."
  (def key (llvm.alloca {:elem_type "!llvm.array<64 x i8>" :result !llvm.ptr} (: 1 i64)))
  (snprintf key (: 64 i64) (cstring "%s.%ld") list i)
  (integer config key))

(defn ends-text [(: config !llvm.ptr) (: token i32)] -> i1
  "Whether the token is one of those that end a text."
  (fold [ends (: false i1)] [i 0 (size config (cstring "eos_token_ids"))]
    (or ends (= token (cast i32 (item config (cstring "eos_token_ids") (cast i64 i)))))))

(defn first-token [(: config !llvm.ptr)] -> i32
  "What a new text begins with: its mark, or that of the end of the text before."
  (def begin (integer config (cstring "bos_token_id")))
  (when (and (< begin (: 0 i64)) (= (integer config (cstring "eos_token_ids")) (: 0 i64)))
    (die "the model has neither a bos_token_id nor an eos_token_id: give a --prompt"))
  (cast i32 (if (< begin (: 0 i64)) (item config (cstring "eos_token_ids") (: 0 i64)) begin)))

;; --- for the formulas -------------------------------------------------------

;; A window that sees all.
(defmacro unlimited [] `(: 1073741824 i64))

;; A number for each layer `i`, on the device, as a `type` such as memref<?xi32>.
(defmacro by-layer [config type i value]
  `(let [l# (size ~config (cstring "num_hidden_layers"))
         host# (memref.alloc {:result ~type} l#)
         all# (device-alloc ~type [l#])]
     (for [~i 0 l#] (memref.store ~value host# ~i))
     (upload! all# host#)
     all#))

(defn layer-windows [(: config !llvm.ptr)] -> memref<?xi32>
  "How many tokens each layer sees."
  (by-layer config memref<?xi32> i
    (let [window (item config (cstring "windows") (cast i64 i))]
      (cast i32 (if (= window (: 0 i64)) (unlimited) (min window (unlimited)))))))

(defn local-layers [(: config !llvm.ptr)] -> memref<?xi32>
  "1 for each layer that has the other rotation, 0 for the rest."
  (by-layer config memref<?xi32> i (cast i32 (item config (cstring "local") (cast i64 i)))))

(defn layer-magnitudes [(: config !llvm.ptr)] -> memref<?xf32>
  "What the rotation of each layer multiplies by."
  (by-layer config memref<?xf32> i
    (let [is-local (= (item config (cstring "local") (cast i64 i)) (: 1 i64))]
      (cast f32 (number config (if is-local (cstring "rope_local_magnitude") (cstring "rope_magnitude")))))))

(defn rotation-number [(: config !llvm.ptr) (: prefix !llvm.ptr) (: name !llvm.ptr)] -> f64
  (def key (llvm.alloca {:elem_type "!llvm.array<64 x i8>" :result !llvm.ptr} (: 1 i64)))
  (snprintf key (: 64 i64) (cstring "%s%s") prefix name)
  (number config key))

(defn divisors [(: config !llvm.ptr) (: prefix !llvm.ptr) (: h index) (: positions i64)] -> memref<?xf32>
  "What each frequency is divided by in a text of up to so many positions."
  (def is-long (> (cast f64 positions) (rotation-number config prefix (cstring "original_positions"))))
  (def list (llvm.alloca {:elem_type "!llvm.array<64 x i8>" :result !llvm.ptr} (: 1 i64)))
  (snprintf list (: 64 i64) (if is-long (cstring "%slong_divisors") (cstring "%sshort_divisors")) prefix)
  (def given (size config list))
  (def host (memref.alloc {:result memref<?xf32>} h))
  (for [i 0 h]
    (def key (llvm.alloca {:elem_type "!llvm.array<64 x i8>" :result !llvm.ptr} (: 1 i64)))
    (snprintf key (: 64 i64) (cstring "%s.%ld") list (cast i64 i))
    (memref.store (cast f32 (if (< i given) (number config key) (: 1.0 f64))) host i))
  (def all (device-alloc memref<?xf32> [h]))
  (upload! all host)
  all)

(defn rotation [(: config !llvm.ptr) (: prefix !llvm.ptr) (: h index) (: text-positions i64)] -> memref<?xf32>
  "The frequencies of the rotation whose keys begin with `prefix`. Only llama3's keeps some beside those it divides."
  (def key (llvm.alloca {:elem_type "!llvm.array<64 x i8>" :result !llvm.ptr} (: 1 i64)))
  (snprintf key (: 64 i64) (cstring "%stype") prefix)
  (def type (text config key))
  (def base (rotation-number config prefix (cstring "theta")))
  (def factor (rotation-number config prefix (cstring "factor")))
  (def positions (rotation-number config prefix (cstring "original_positions")))
  (def high (rotation-number config prefix (cstring "high_freq_factor")))
  (def banded (> high (: 0.0 f64)))
  (def turns? (options/same-text type (cstring "yarn")))
  (def all
    (if turns?
        (model/yarn-frequencies h base factor (rotation-number config prefix (cstring "fast_turns"))
                                (rotation-number config prefix (cstring "slow_turns")) positions)
        (model/frequencies h base factor
                           (if banded (rotation-number config prefix (cstring "low_freq_factor")) (: 1.0 f64))
                           (if banded high (: 2.0 f64)) (if banded positions (: 0.0 f64)))))
  (def kept (if (options/same-text type (cstring "none")) (: 0.0 f32) (: 1.0 f32)))
  (def memory (device-alloc memref<?xf32> [h]))
  (store (* kept (model/divided all (divisors config prefix h text-positions))) memory)
  memory)

;; --- do the files fit? ------------------------------------------------------

(defn check-size [(: config !llvm.ptr) (: key !llvm.ptr) (: held index)]
  (def said (size config key))
  (when (!= said held)
    (die "config.json: %s is %ld, but the weights have %ld" key (cast i64 said) (cast i64 held))))

(defn own-heads [(: config !llvm.ptr) (: ranks index)] -> index
  "How many heads of keys and values each of the ranks has."
  (def all (size config (cstring "num_key_value_heads")))
  (when (!= (% all ranks) 0)
    (die "config.json: num_key_value_heads is %ld, which %ld ranks do not divide: --tp wants a divisor of it"
         (cast i64 all) (cast i64 ranks)))
  (/ all ranks))

(defn check-rows [(: rows index) (: heads index) (: head-size index)]
  (when (!= rows (* heads head-size))
    (die "q_proj, k_proj and v_proj have %ld rows, but config.json says %ld heads of %ld" (cast i64 rows)
         (cast i64 heads) (cast i64 head-size))))

(defn check-presence [(: config !llvm.ptr) (: files !llvm.ptr) (: key !llvm.ptr) (: tensor !llvm.ptr)]
  "A tensor that exists if a flag says so."
  (def found (>= (lispier_checkpoint_find files tensor) (: 0 i64)))
  (def said (flag config key))
  (when (and found (not said))
    (die "%s: has a tensor '%s', but config.json says that %s is false" (lispier_checkpoint_path files) tensor key))
  (when (and said (not found))
    (die "%s: has no tensor '%s', but config.json says that %s is true" (lispier_checkpoint_path files) tensor key)))

(defn check-files [(: config !llvm.ptr) (: folder !llvm.ptr)]
  "That the files have the optional tensors that the configuration speaks of, and no others."
  (def files (lispier_checkpoint_open folder (null-ptr)))
  (def wrong (lispier_checkpoint_error files))
  (if (null? wrong) (do) (die "%s" wrong))
  (check-presence config files (cstring "qkv_bias") (cstring "model.layers.0.self_attn.q_proj.bias"))
  (check-presence config files (cstring "qkv_bias") (cstring "model.layers.0.self_attn.k_proj.bias"))
  (check-presence config files (cstring "qkv_bias") (cstring "model.layers.0.self_attn.v_proj.bias"))
  (check-presence config files (cstring "output_bias") (cstring "model.layers.0.self_attn.o_proj.bias"))
  (check-presence config files (cstring "mlp_bias") (cstring "model.layers.0.mlp.gate_proj.bias"))
  (check-presence config files (cstring "mlp_bias") (cstring "model.layers.0.mlp.up_proj.bias"))
  (check-presence config files (cstring "mlp_bias") (cstring "model.layers.0.mlp.down_proj.bias"))
  (check-presence config files (cstring "head_norms") (cstring "model.layers.0.self_attn.q_norm.weight"))
  (check-presence config files (cstring "head_norms") (cstring "model.layers.0.self_attn.k_norm.weight"))
  (check-presence config files (cstring "pre_norms") (cstring "model.layers.0.input_layernorm.weight"))
  (check-presence config files (cstring "post_norms") (cstring "model.layers.0.post_feedforward_layernorm.weight"))
  (def output (lispier_checkpoint_find files (cstring "lm_head.weight")))
  (def tied (flag config (cstring "tie_word_embeddings")))
  (when (and (not tied) (< output (: 0 i64)))
    (die "%s: has no tensor 'lm_head.weight', but config.json says that tie_word_embeddings is false"
         (lispier_checkpoint_path files)))
  ;; Some files have tied embeddings twice.
  (when (and tied (>= output (: 0 i64)))
    (def embedding (lispier_checkpoint_find files (cstring "model.embed_tokens.weight")))
    (when (or (< embedding (: 0 i64)) (= (lispier_checkpoint_same files output embedding) (: 0 i32)))
      (die "%s: 'lm_head.weight' is not the embedding, but config.json says that tie_word_embeddings is true"
           (lispier_checkpoint_path files))))
  (lispier_checkpoint_close files))
