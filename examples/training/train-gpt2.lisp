;;; train-gpt2.lisp - trains a GPT-2 from a text: from first weights, or from a model that there is.
;;;
;;;     lispier run examples/training/train-gpt2.lisp -- --data book.txt --size tiny --steps 200 --sample 50
;;;     lispier run --target=cuda examples/training/train-gpt2.lisp -- --data 'shards/train_*.bin' --size 124M
;;;         --batch 32 --tokens 1024 --accumulate 16 --steps 18865 --warmup 700 --type bf16 --save 5000 --out run
;;;
;;; The formulas are those of generation (../gpt2/model.lisp), their gradients value-and-grad's. training.lisp has the
;;; loop and the options, optimizer.lisp AdamW, loader.lisp the data, checkpoint.lisp what --save writes.

(require-dialect nn memref arith math llvm func)
(require ["../gpt2/options.lisp" :as options] ["../gpt2/model.lisp" :as model]
         ["../gpt2/generation.lisp" :as generation] ["../gpt2/weights.lisp" :as weights]
         ["./checkpoint.lisp" :as checkpoint] ["./loader.lisp" :as loader]
         ["./optimizer.lisp" :as optimizer] ["./training.lisp" :as training])
(require-macros "../gpt2/options.lisp" "../gpt2/generation.lisp" "../gpt2/weights.lisp" "./checkpoint.lisp"
                "./optimizer.lisp" "./training.lisp")

(extern-fn lispier_checkpoint_open (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_ids (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn strlen (-> [!llvm.ptr] [i64]))
(extern-fn snprintf (-> [!llvm.ptr i64 !llvm.ptr ...] [i32]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))

;; What the formulas need besides the weights; the tokenizer's tokens may be fewer than the rows of the embedding.
(defrecord About [heads index] [epsilon f32])

(defn loss-of [m (: about About) (: texts (tensor b u i32)) & {:type f32}]
  (def t (- u 1))
  (model/loss m (slice texts [0 0] [b t]) (slice texts [0 1] [b t]) (:heads about) (:epsilon about) :type type))

;; As llm.c counts: 6 of each weight, and attention.
(defn operations-of [(: m (record Gpt2 f32)) (: about About) (: t index)] -> f64
  (def [p c l] [(dim (:positions m) 0) (dim (:tokens m) 1) (dim (:bias (:qkv (:h m))) 0)])
  (* 6.0 (cast f64 (cast i64 (+ (* c (+ (dim (:tokens m) 0) p 2)) (* l c (+ (* 12 c) 13)) (* l c t))))))

;; --- names in files -----------------------------------------------------------

;; (with-names prefix "{}" form ...) is (form ... table): the names of the tensors in Hugging Face's GPT2LMHeadModel.
(defmacro with-names [prefix layer & call]
  (let [outer (fn [name] (str prefix "transformer." name))
        inner (fn [name] (str prefix "transformer.h." layer "." name))
        norm (fn [name] {:weight (inner (str name ".weight")) :bias (inner (str name ".bias"))})
        linear (fn [name] {:weight [(inner (str name ".weight")) :transposed] :bias (inner (str name ".bias"))})]
    `(~@call
       {:tokens ~(outer "wte.weight") :positions ~(outer "wpe.weight")
        :h {:norm1 ~(norm "ln_1") :qkv ~(linear "attn.c_attn") :attention ~(linear "attn.c_proj")
            :norm2 ~(norm "ln_2") :expand ~(linear "mlp.c_fc") :contract ~(linear "mlp.c_proj")}
        :norm {:weight ~(outer "ln_f.weight") :bias ~(outer "ln_f.bias")}})))
(defmacro load-gpt2 [path prefix] `(with-names ~prefix "{}" load-checkpoint (record Gpt2 f32) ~path))
(defmacro put-gpt2 [saver m about prefix] `(with-names ~prefix "%ld" put-tensors ~saver ~m :h))

(defn describe-model [(: saver !llvm.ptr) (: m (record Gpt2 f32)) (: about About) (: s !llvm.ptr)]
  (def config (malloc (: 1024 i64)))
  (snprintf config (: 1024 i64)
            (cstring "{\"architectures\": [\"GPT2LMHeadModel\"], \"model_type\": \"gpt2\", \"n_positions\": %ld,
 \"activation_function\": \"gelu_new\", \"n_embd\": %ld, \"n_head\": %ld, \"n_layer\": %ld, \"vocab_size\": %ld,
 \"layer_norm_epsilon\": %g, \"tie_word_embeddings\": true}
")
            (dim (:positions m) 0) (dim (:tokens m) 1) (:heads about) (dim (:bias (:qkv (:h m))) 0) (dim (:tokens m) 0)
            (cast f64 (:epsilon about)))
  (checkpoint/put-text saver (cstring "config.json") config)
  (checkpoint/copy-file saver (tokenizer-folder s) (cstring "vocab.json"))
  (checkpoint/copy-file saver (tokenizer-folder s) (cstring "merges.txt")))

;; --- first weights ------------------------------------------------------------

;; As GPT-2's: N(0, 0.02), those of projections into the stream by 1 / sqrt(2 l); gains 1, biases 0.
(defmacro drawn [stream scale & sizes] `(* ~scale (normal f32 [~@sizes] :seed seed :stream ~stream)))
(defn first-gpt2 [(: c index) (: l index) (: v index) (: p index) (: seed i64)] -> (record Gpt2 f32)
  (def into (/ 0.02 (sqrt (cast f32 (* 2 l)))))
  (Gpt2 f32
    {:tokens (drawn 0 0.02 v c) :positions (drawn 1 0.02 p c)
     :h (Block f32 {:norm1 (Norm f32 (full f32 [l c] 1.0) (zeros f32 [l c]))
                    :qkv (Linear f32 (drawn 2 0.02 l (* 3 c) c) (zeros f32 [l (* 3 c)]))
                    :attention (Linear f32 (drawn 3 into l c c) (zeros f32 [l c]))
                    :norm2 (Norm f32 (full f32 [l c] 1.0) (zeros f32 [l c]))
                    :expand (Linear f32 (drawn 4 0.02 l (* 4 c) c) (zeros f32 [l (* 4 c)]))
                    :contract (Linear f32 (drawn 5 into l c (* 4 c)) (zeros f32 [l c]))})
     :norm (Norm f32 (full f32 [c] 1.0) (zeros f32 [c]))}))

;; --- a text -------------------------------------------------------------------

(defn write-sample [m (: about About) (: s !llvm.ptr) (: tokenizer !llvm.ptr)]
  "64 tokens after --prompt, drawn by the model's probabilities."
  (def o (generation/new-options))
  (Options/temperature! o (: 0.8 f32))
  (Options/top-k! o (: 40 i32))
  (Options/prompt! o (Training/prompt s))
  (def [v c l h] [(dim (:tokens m) 0) (dim (:tokens m) 1) (dim (:bias (:qkv (:h m))) 0) (:heads about)])
  (def given (generation/read-prompt o (cast i64 v) tokenizer))
  (def prompt (generation/from-end-of-text given (cast i32 (- (lispier_tokenizer_size tokenizer) (: 1 i64)))))
  (def count (cast index (Tokens/count prompt)))
  (def p (min (dim (:positions m) 0) (+ count 64)))
  (def [keys values] [(zeros f32 [l h p (/ c h)]) (zeros f32 [l h p (/ c h)])])
  (def g (Generator f32 {:model m :output (:tokens m) :epsilon (:epsilon about)}))
  (def [logits scratch] [(device-alloc memref<?xf32> [v]) (device-alloc memref<?xf32> [v])])
  (def [position token] [(device-alloc memref<1xi32> []) (device-alloc memref<1xi32> [])])
  (def [host-position host-token]
    [(memref.alloc {:result memref<1xi32>}) (memref.alloc {:result memref<1xi32>})])
  (def [state host-state] [(device-alloc memref<1xi64> []) (memref.alloc {:result memref<1xi64>})])
  (set-cell! state host-state (Training/seed s))
  (def out (new Output tokenizer (: 0 i64)))
  (for [i 0 p]
    (when (< i count)
      (set-cell! token host-token (ptr-load i32 (ptr-at i32 (Tokens/ids prompt) (cast i64 i)))))
    (generation/put-token out (memref.load host-token 0))
    (set-cell! position host-position (cast i32 (cast i64 i)))
    (store (model/forward g keys values (memref.cast {:result memref<?xi32>} token) position) logits)
    (generation/choose o logits scratch state token)
    (download! host-token token))
  (generation/end-output out))

(def-training Gpt2 load-gpt2 put-gpt2)

;; --- main ---------------------------------------------------------------------

(defn tokenizer-folder [(: s !llvm.ptr)] -> !llvm.ptr
  (def given (Training/tokenizer s))
  (def model (Training/model s))
  (if (null? given) (if (null? model) (source-path "../gpt2/mini") model) given))

(defn learn-and-write [(: s !llvm.ptr) (: m inout) (: about About) (: tokenizer !llvm.ptr)]
  (def vocabulary (cast i64 (dim (:tokens m) 0)))
  (def data (training/open-data (Training/data s) tokenizer vocabulary))
  (def val
    (if (null? (Training/val s)) (null-ptr) (training/open-data (Training/val s) tokenizer vocabulary)))
  (when (and (training/tells?) (> (Training/sample s) (: 0 i64))) (write-sample m about s tokenizer))
  (train s m about data val tokenizer))

;; A size of the model: of --model's config.json, or of what --size names.
(defn size-of [(: s !llvm.ptr) (: config !llvm.ptr) (: key !llvm.ptr) (: large i64) (: mini i64) (: tiny i64)] -> index
  (def name (Training/size s))
  (def [is-large is-mini is-tiny]
    [(options/same-text name (cstring "124M")) (options/same-text name (cstring "mini"))
     (options/same-text name (cstring "tiny"))])
  (when (not (or is-large is-mini is-tiny)) (die "--size wants tiny, mini or 124M, not '%s'" name))
  (def usual (if is-large large (if is-tiny tiny mini)))
  (cast index (if (null? config) usual (lispier_checkpoint_integer config key usual))))

;; The same [c l h v p] at macro time; nil in a program that is compiled for any.
(defmacro compiled-sizes []
  (let [model (compiled-option "--model" nil)
        tokenizer (compiled-option "--tokenizer" nil)
        config (read-json (str (or model tokenizer "") "/config.json"))
        rows (if (nil? tokenizer) 8192 (get (or config {}) :vocab_size))
        size (compiled-option "--size" "mini")
        [c l h p] (cond (= size "124M") [768 12 12 1024] (= size "mini") [256 8 4 512] (= size "tiny") [64 2 2 512]
                        :else [nil nil nil nil])
        t (compiled-number "--tokens" "64")]
    (cond model (let [[c l h v p] (map (fn [key] (get (or config {}) key))
                                       [:n_embd :n_layer :n_head :vocab_size :n_positions])]
                  [c l h v p])
          (or (nil? c) (nil? t) (nil? rows)) [nil nil nil nil nil]
          :else [c l h (* 128 (quotient (+ rows 127) 128)) (if (> t p) t p)])))
(defmacro known-sizes [& sizes] `[~@(map (fn [size number] `(known ~size ~number)) sizes (compiled-sizes))])

(defn main [(: count i64) (: words !llvm.ptr)]
  (def s (training/read-settings count words (cstring "GPT-2 in Lispier: learns a text.\n")))
  (check-compiled s)
  (def tokenizer (lispier_tokenizer_open (tokenizer-folder s) (weights/token-expression) (cstring "<|endoftext|>")))
  (def wrong (lispier_tokenizer_error tokenizer))
  (if (null? wrong) (do) (die "%s" wrong))
  (def model (Training/model s))
  (def config (if (null? model) (null-ptr) (lispier_checkpoint_open model (null-ptr))))
  (def words-of-text (lispier_tokenizer_size tokenizer))
  ;; The rows of a new embedding are a multiple of 128.
  (def rows (* 128 (/ (+ words-of-text 127) 128)))
  (def positions (max (Training/tokens s) (: 512 i64)))
  (def [c l h v p]
    (known-sizes (size-of s config (cstring "n_embd") 768 256 64) (size-of s config (cstring "n_layer") 12 8 2)
                 (size-of s config (cstring "n_head") 12 4 2) (size-of s config (cstring "vocab_size") rows rows rows)
                 (size-of s config (cstring "n_positions") (max positions (: 1024 i64)) positions positions)))
  (def m (first-gpt2 c l v p (Training/seed s)))
  (when (not (null? model))
    (def read (load-gpt2 model ""))
    (each-field Gpt2 training/replace [m read]))
  (learn-and-write s m (About {:heads h :epsilon 1e-5}) tokenizer))
