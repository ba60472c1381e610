;;; weights.lisp - GPT-2's files: names, shapes and order of the tensors, the model's sizes, its tokenizer.
;;;
;;; lib/Checkpoint reads tensors by name and tokenizes text by a regular expression; this file has the names and the
;;; expression. All weights form one block of BF16 numbers in the order in which a step reads them; projections are
;;; (out, in).
;;;
;;; Letters: L layers, C channels, V rows of the token embedding, P positions.

(require-dialect arith llvm)
(require ["./options.lisp" :as options])
(require-macros "./options.lisp")

(extern-fn lispier_checkpoint_open (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_path (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_directory (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_format (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_close (-> [!llvm.ptr] []))
(extern-fn lispier_checkpoint_find (-> [!llvm.ptr !llvm.ptr] [i64]))
(extern-fn lispier_checkpoint_size (-> [!llvm.ptr i64 i64] [i64]))
(extern-fn lispier_checkpoint_same (-> [!llvm.ptr i64 i64] [i32]))
(extern-fn lispier_checkpoint_count (-> [!llvm.ptr !llvm.ptr] [i64]))
(extern-fn lispier_checkpoint_config (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_checkpoint_integer (-> [!llvm.ptr !llvm.ptr i64] [i64]))
(extern-fn lispier_checkpoint_number (-> [!llvm.ptr !llvm.ptr f64] [f64]))
(extern-fn lispier_checkpoint_flag (-> [!llvm.ptr !llvm.ptr i32] [i32]))
(extern-fn lispier_checkpoint_text (-> [!llvm.ptr !llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_block_new (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_block_add (-> [!llvm.ptr !llvm.ptr i64 i64 i32] [i64]))
(extern-fn lispier_block_elements (-> [!llvm.ptr] [i64]))
(extern-fn lispier_block_read (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_open (-> [!llvm.ptr !llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_path (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_size (-> [!llvm.ptr] [i64]))
(extern-fn snprintf (-> [!llvm.ptr i64 !llvm.ptr ...] [i32]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))

(defstruct Weights
  [files !llvm.ptr]        ; the checkpoint's handle
  [prefix !llvm.ptr]       ; of tensor names
  [transposed i32]         ; 1: projections in the files are (in, out)
  [layers i64] [heads i64] [channels i64] [positions i64]
  [rows i64]               ; of the token embedding: the size of the vocabulary, possibly padded
  [vocabulary i64] [end-of-text i32] [epsilon f32]
  [block !llvm.ptr] [elements i64] ; BF16
  [offsets !llvm.ptr])     ; (L, 17) i64: offset in the block of each kind of weight, in elements

;; --- offsets ----------------------------------------------------------------

;; Kinds of weights; those from :norm1-weight to :contract-bias exist once per layer.
(defmacro weight-kind [name]
  `(: ~(cond (= name :token-embedding) 0 (= name :position-embedding) 1 (= name :norm1-weight) 2 (= name :norm1-bias) 3
             (= name :qkv-weight) 4 (= name :qkv-bias) 5 (= name :attention-weight) 6 (= name :attention-bias) 7
             (= name :norm2-weight) 8 (= name :norm2-bias) 9 (= name :expand-weight) 10 (= name :expand-bias) 11
             (= name :contract-weight) 12 (= name :contract-bias) 13 (= name :final-norm-weight) 14
             (= name :final-norm-bias) 15 (= name :output-weight) 16
             :else (error "no such weight")) i64))

(defn offset-of [(: w !llvm.ptr) (: kind i64) (: layer i64)] -> i64
  "Offset of a weight in the block, in elements; a weight that exists once belongs to layer 0."
  (ptr-load i64 (ptr-at i64 (Weights/offsets w) (+ (* layer (: 17 i64)) kind))))

(defn llmc-layout [] -> !llvm.ptr
  "What an llm.c file holds, which has no names: the words of its header, then the tensors."
  (cstring "magic 20240326
header n_positions vocab_size n_layer n_head n_embd padded_vocab_size
wte.weight padded_vocab_size n_embd
wpe.weight n_positions n_embd
h.{n_layer}.ln_1.weight n_embd
h.{n_layer}.ln_1.bias n_embd
h.{n_layer}.attn.c_attn.weight 3*n_embd n_embd
h.{n_layer}.attn.c_attn.bias 3*n_embd
h.{n_layer}.attn.c_proj.weight n_embd n_embd
h.{n_layer}.attn.c_proj.bias n_embd
h.{n_layer}.ln_2.weight n_embd
h.{n_layer}.ln_2.bias n_embd
h.{n_layer}.mlp.c_fc.weight 4*n_embd n_embd
h.{n_layer}.mlp.c_fc.bias 4*n_embd
h.{n_layer}.mlp.c_proj.weight n_embd 4*n_embd
h.{n_layer}.mlp.c_proj.bias n_embd
ln_f.weight n_embd
ln_f.bias n_embd
"))

(defn check-files [(: files !llvm.ptr)]
  (def wrong (lispier_checkpoint_error files))
  (if (null? wrong) (do) (die "%s" wrong)))

;; --- sizes ------------------------------------------------------------------

(defn find-embedding [(: w !llvm.ptr) (: name !llvm.ptr)] -> i64
  "The number of a tensor with two dimensions."
  (def files (Weights/files w))
  (def full (malloc (: 64 i64)))
  (snprintf full (: 64 i64) (cstring "%s%s") (Weights/prefix w) name)
  (def tensor (lispier_checkpoint_find files full))
  (when (< tensor (: 0 i64))
    (die "%s: has no tensor '%s'; is this a GPT-2?" (lispier_checkpoint_path files) name))
  (when (or (< (lispier_checkpoint_size files tensor (: 1 i64)) (: 1 i64))
            (>= (lispier_checkpoint_size files tensor (: 2 i64)) (: 0 i64)))
    (die "%s: tensor '%s' has not the two dimensions of an embedding" (lispier_checkpoint_path files) name))
  tensor)

(defn check-size [(: w !llvm.ptr) (: name !llvm.ptr) (: size i64) (: most i64)] -> i64
  "The bounds keep products of sizes far from 2^63; GPT-2's largest has 48 layers of 1600 channels."
  (when (or (< size (: 1 i64)) (> size most))
    (die "%s: has %s %ld; expected 1 to %ld" (lispier_checkpoint_path (Weights/files w)) name size most))
  size)

(defn same-size [(: w !llvm.ptr) (: key !llvm.ptr) (: held i64)]
  "What the configuration says, if it does, is what the tensors have."
  (def files (Weights/files w))
  (def said (lispier_checkpoint_integer files key held))
  (check-files files)
  (when (!= said held)
    (die "%s: %s is %ld, but the weights have %ld" (lispier_checkpoint_config files) key said held)))

(defn same-flag [(: files !llvm.ptr) (: key !llvm.ptr) (: usual i32)]
  (def said (lispier_checkpoint_flag files key usual))
  (when (!= said usual)
    (die "%s: '%s' is %s, which is not supported" (lispier_checkpoint_config files) key
         (if (= said (: 0 i32)) (cstring "false") (cstring "true")))))

(defn check-meaning [(: w !llvm.ptr)]
  "What would make the same weights compute something else than this program does."
  (def files (Weights/files w))
  (def activation (lispier_checkpoint_text files (cstring "activation_function") (cstring "gelu_new")))
  (same-flag files (cstring "scale_attn_weights") (: 1 i32))
  (same-flag files (cstring "scale_attn_by_inverse_layer_idx") (: 0 i32))
  (same-flag files (cstring "add_cross_attention") (: 0 i32))
  (def usual (* (: 4 i64) (Weights/channels w)))
  (def inner (lispier_checkpoint_integer files (cstring "n_inner") usual))
  (check-files files)
  (if (or (options/same-text activation (cstring "gelu_new"))
          (options/same-text activation (cstring "gelu_pytorch_tanh")))
      (do)
      (die "%s: activation_function is '%s'; GPT-2's is 'gelu_new'" (lispier_checkpoint_config files) activation))
  (when (!= inner usual)
    (die "%s: n_inner is %ld; 4 * n_embd = %ld is supported" (lispier_checkpoint_config files) inner usual)))

(defn count-heads [(: w !llvm.ptr)] -> i64
  "All of OpenAI's models have heads of 64 channels; other models give the number of heads in the configuration."
  (def files (Weights/files w))
  (def channels (Weights/channels w))
  (def heads (lispier_checkpoint_integer files (cstring "n_head") (: -1 i64)))
  (check-files files)
  (def usual (and (= heads (: -1 i64)) (= (% channels (: 64 i64)) (: 0 i64))))
  (when (and (= heads (: -1 i64)) (!= (% channels (: 64 i64)) (: 0 i64)))
    (die "%s: has %ld channels, not a multiple of 64, and no config.json beside it tells the number of heads"
         (lispier_checkpoint_path files) channels))
  (def number (check-size w (cstring "heads") (if usual (/ channels (: 64 i64)) heads) (: 65536 i64)))
  (when (!= (% channels number) (: 0 i64))
    (die "%s: has %ld channels, which %ld heads do not divide" (lispier_checkpoint_path files) channels number))
  number)

(defn read-sizes [(: w !llvm.ptr)]
  (def files (Weights/files w))
  (def tokens (find-embedding w (cstring "wte.weight")))
  (def places (find-embedding w (cstring "wpe.weight")))
  (def many (: 16777216 i64))
  (Weights/rows! w (check-size w (cstring "embedding rows") (lispier_checkpoint_size files tokens (: 0 i64)) many))
  (Weights/channels! w (check-size w (cstring "channels") (lispier_checkpoint_size files tokens (: 1 i64))
                                   (: 65536 i64)))
  (Weights/positions! w (check-size w (cstring "positions") (lispier_checkpoint_size files places (: 0 i64)) many))
  (def layers (malloc (: 64 i64)))
  (snprintf layers (: 64 i64) (cstring "%sh.") (Weights/prefix w))
  (Weights/layers! w (check-size w (cstring "layers") (lispier_checkpoint_count files layers) (: 4096 i64)))
  (same-size w (cstring "n_layer") (Weights/layers w))
  (same-size w (cstring "n_embd") (Weights/channels w))
  (same-size w (cstring "n_positions") (Weights/positions w))
  (Weights/heads! w (count-heads w))
  (def vocabulary (lispier_checkpoint_integer files (cstring "vocab_size") (Weights/rows w)))
  (def end (lispier_checkpoint_integer files (cstring "eos_token_id") (: -1 i64)))
  (def epsilon (lispier_checkpoint_number files (cstring "layer_norm_epsilon") (: 1e-5 f64)))
  (check-files files)
  (Weights/vocabulary! w (check-size w (cstring "a vocabulary of") vocabulary many))
  (when (< (Weights/rows w) vocabulary)
    (die "%s: has a vocabulary of %ld tokens, but only %ld rows of token embedding"
         (lispier_checkpoint_path files) vocabulary (Weights/rows w)))
  (def known (and (>= end (: 0 i64)) (< end vocabulary)))
  (Weights/end-of-text! w (cast i32 (if known end (- vocabulary (: 1 i64)))))
  (if (> epsilon (: 0.0 f64))
      (do)
      (die "%s: 'layer_norm_epsilon' is not a positive number" (lispier_checkpoint_config files)))
  (Weights/epsilon! w (cast f32 epsilon)))

;; --- tensors ----------------------------------------------------------------

(defn add-weight [(: w !llvm.ptr) (: kind i64) (: layer i64) (: name !llvm.ptr)
                  (: rows i64) (: columns i64) (: transposed i32)]
  (ptr-store! (lispier_block_add (Weights/block w) name rows columns transposed)
              (ptr-at i64 (Weights/offsets w) (+ (* layer (: 17 i64)) kind))))

(defn add-outside [(: w !llvm.ptr) (: kind i64) (: name !llvm.ptr) (: rows i64)]
  "A tensor that exists once: (rows, C), or with 0 rows (C)."
  (def full (malloc (: 64 i64)))
  (snprintf full (: 64 i64) (cstring "%s%s") (Weights/prefix w) name)
  (add-weight w kind (: 0 i64) full rows (Weights/channels w) (: 0 i32)))

(defn add-inside [(: w !llvm.ptr) (: kind i64) (: layer i64) (: name !llvm.ptr) (: rows i64) (: columns i64)]
  "Adds a tensor of a layer to the block: a projection, or with 0 rows a vector."
  (def full (malloc (: 64 i64)))
  (snprintf full (: 64 i64) (cstring "%sh.%ld.%s") (Weights/prefix w) layer name)
  (add-weight w kind layer full rows columns (if (= rows (: 0 i64)) (: 0 i32) (Weights/transposed w))))

(defn add-layer [(: w !llvm.ptr) (: layer i64)]
  (def c (Weights/channels w))
  (def c3 (* c (: 3 i64)))
  (def c4 (* c (: 4 i64)))
  (def vector (: 0 i64))
  (add-inside w (weight-kind :norm1-weight) layer (cstring "ln_1.weight") vector c)
  (add-inside w (weight-kind :norm1-bias) layer (cstring "ln_1.bias") vector c)
  (add-inside w (weight-kind :qkv-weight) layer (cstring "attn.c_attn.weight") c3 c)
  (add-inside w (weight-kind :qkv-bias) layer (cstring "attn.c_attn.bias") vector c3)
  (add-inside w (weight-kind :attention-weight) layer (cstring "attn.c_proj.weight") c c)
  (add-inside w (weight-kind :attention-bias) layer (cstring "attn.c_proj.bias") vector c)
  (add-inside w (weight-kind :norm2-weight) layer (cstring "ln_2.weight") vector c)
  (add-inside w (weight-kind :norm2-bias) layer (cstring "ln_2.bias") vector c)
  (add-inside w (weight-kind :expand-weight) layer (cstring "mlp.c_fc.weight") c4 c)
  (add-inside w (weight-kind :expand-bias) layer (cstring "mlp.c_fc.bias") vector c4)
  (add-inside w (weight-kind :contract-weight) layer (cstring "mlp.c_proj.weight") c c4)
  (add-inside w (weight-kind :contract-bias) layer (cstring "mlp.c_proj.bias") vector c))

(defn add-output [(: w !llvm.ptr)]
  "The output's weights are the token embedding, unless the file has others."
  (def files (Weights/files w))
  (def own (cstring "lm_head.weight"))
  (def output (lispier_checkpoint_find files own))
  (def tied (or (< output (: 0 i64))
                (!= (lispier_checkpoint_same files output (find-embedding w (cstring "wte.weight"))) (: 0 i32))))
  (if tied
      (ptr-store! (offset-of w (weight-kind :token-embedding) (: 0 i64))
                  (ptr-at i64 (Weights/offsets w) (weight-kind :output-weight)))
      (add-weight w (weight-kind :output-weight) (: 0 i64) own (Weights/rows w) (Weights/channels w) (: 0 i32))))

(defn drop-key-biases [(: w !llvm.ptr)]
  "A bias of the keys adds the same to all scores of a query, which softmax does not see; but it is large in some
channels, and keys without it lose less when they are rounded."
  (for [layer 0 (cast index (Weights/layers w))]
    (def biases (+ (offset-of w (weight-kind :qkv-bias) (cast i64 layer)) (Weights/channels w)))
    (for [i 0 (cast index (Weights/channels w))]
      (ptr-store! (: 0.0 bf16) (ptr-at bf16 (Weights/block w) (+ biases (cast i64 i)))))))

(defn open-weights [(: path !llvm.ptr)] -> !llvm.ptr
  "Reads the sizes and weights of the model at `path` into host memory; exits with a message on an error."
  (def files (lispier_checkpoint_open path (llmc-layout)))
  (check-files files)
  ;; Names are those of GPT2LMHeadModel (transformer.h.0 ...) or of GPT2Model (h.0 ...).
  (def inner (>= (lispier_checkpoint_find files (cstring "transformer.wte.weight")) (: 0 i64)))
  (when (and inner (>= (lispier_checkpoint_find files (cstring "wte.weight")) (: 0 i64)))
    (die "%s: holds tensor 'wte.weight' both with and without the prefix 'transformer.'"
         (lispier_checkpoint_path files)))
  (def none (: 0 i64))
  (def w (new Weights files (if inner (cstring "transformer.") (cstring ""))
              (if (options/same-text (lispier_checkpoint_format files) (cstring "safetensors")) (: 1 i32) (: 0 i32))
              none none none none none none (: 0 i32) (: 0.0 f32) (null-ptr) none (null-ptr)))
  (read-sizes w)
  (check-meaning w)
  (def block (lispier_block_new files (cstring "BF16")))
  (Weights/block! w block)
  (Weights/offsets! w (malloc (* (* (: 8 i64) (: 17 i64)) (Weights/layers w))))
  (add-outside w (weight-kind :token-embedding) (cstring "wte.weight") (Weights/rows w))
  (add-outside w (weight-kind :position-embedding) (cstring "wpe.weight") (Weights/positions w))
  (for [layer 0 (cast index (Weights/layers w))]
    (add-layer w (cast i64 layer)))
  (add-outside w (weight-kind :final-norm-weight) (cstring "ln_f.weight") (: 0 i64))
  (add-outside w (weight-kind :final-norm-bias) (cstring "ln_f.bias") (: 0 i64))
  (add-output w)
  (Weights/elements! w (lispier_block_elements block))
  (Weights/block! w (lispier_block_read block))
  (check-files files)
  (drop-key-biases w)
  w)

;; --- text -------------------------------------------------------------------

(defn token-expression [] -> !llvm.ptr
  "What the tokenizer divides a text by."
  (cstring "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"))

(defn open-tokenizer [(: w !llvm.ptr) (: path !llvm.ptr)] -> !llvm.ptr
  "Opens the tokenizer at `path`, or if null in the directory of the weights; exits if it does not match the model."
  (def files (Weights/files w))
  (def tokenizer
    (lispier_tokenizer_open
      (if (null? path) (lispier_checkpoint_directory files) path)
      (token-expression)
      (cstring "<|endoftext|>")))
  (def wrong (lispier_tokenizer_error tokenizer))
  (if (null? wrong) (do) (die "%s" wrong))
  (def tokens (lispier_tokenizer_size tokenizer))
  (def more (- (Weights/vocabulary w) tokens))
  ;; A vocabulary can be padded to a multiple of 64 or 128 rows; a larger difference means another tokenizer.
  (def padded (and (= (% (Weights/vocabulary w) (: 64 i64)) (: 0 i64)) (>= more (: 0 i64)) (< more (: 128 i64))))
  (if (or (= more (: 0 i64)) padded)
      (do)
      (die "%s: has %ld tokens, but the model %s has a vocabulary of %ld; they do not belong together"
           (lispier_tokenizer_path tokenizer) tokens (lispier_checkpoint_path files) (Weights/vocabulary w)))
  tokenizer)

(defn close-files [(: w !llvm.ptr)]
  "Weights and tokenizers have been read and stay."
  (lispier_checkpoint_close (Weights/files w))
  (Weights/files! w (null-ptr)))
