;;; llama.lisp - text generation and conversations with Llama and its family.
;;;
;;;   build/bin/lispier run examples/llama/llama.lisp -- --model FOLDER --prompt "Once upon a time"
;;;   build/bin/lispier build examples/llama/llama.lisp -o llama && ./llama --model FOLDER --chat
;;;
;;; On two GPUs, each with half of every layer (model.lisp):
;;;   build/bin/lispier run --target=cuda --ranks=2 examples/llama/llama.lisp -- --tp 2 --model FOLDER
;;;
;;; FOLDER is as Hugging Face has it: config.json, *.safetensors, tokenizer.json. model.lisp is the model; options,
;;; sampling and the report are those of GPT-2's program.

(require-dialect nn memref arith math llvm)
(require ["../gpt2/options.lisp" :as options] ["../gpt2/generation.lisp" :as generation] ["./chat.lisp" :as chat]
         ["./config.lisp" :as config] ["./model.lisp" :as model])
(require-macros "../gpt2/options.lisp" "../gpt2/generation.lisp" "./chat.lisp" "./model.lisp")

(extern-fn lispier_write_npy (-> [!llvm.ptr !llvm.ptr i64] [i32]))
(extern-fn strlen (-> [!llvm.ptr] [i64]))

;; --- the command line -------------------------------------------------------

(defn print-usage []
  (def text (cstring "Llama and its family in Lispier: continues a text, or talks.

  --model FOLDER        config.json, *.safetensors, tokenizer.json; of llama, mistral, qwen2, qwen3, gemma2,
                        gemma3_text, olmo2, olmo3, phi3, smollm3
  --tokenizer PATH      tokenizer.json or its directory; default: beside the model
  --prompt TEXT         what to continue; default: nothing, a new text
  --chat                a conversation: each line of the input is a message, and the model answers it
  --system TEXT         what the conversation begins with, for models that know it
  --context N           tokens that a conversation may have (4096); when it is full, the oldest turns are left out
  --tokens N            new tokens at most (64), in each answer; fewer when the text ends or the context is full
  --temperature X       0: the likeliest token (the default); 1: draw by the model's probabilities; above 1: more random
  --top-k K             draw from the K likeliest tokens; 0 is all (the default)
  --top-p P             draw from the likeliest tokens that together have probability P; 1 is all (the default)
  --seed S              another text for another number (0)
  --no-echo             print the continuation only
  --ids                 prompt and output are token ids with spaces between them; needs no tokenizer
  --logits FILE.npy     write the logits after the prompt as F32 and stop
  --activations TYPE    f32 (the default) or bf16, the type between the steps of a layer and in the cache
  --tp N                divide the layers among the N ranks of --ranks=N; the program is compiled for it
  --repeat N            pass the prompt N times through the model, to measure it: the median is reported (1)
  --help                print this
"))
  (options/write-text text (strlen text)))

(defstruct Request [options !llvm.ptr] [chat i1] [system !llvm.ptr] [context i64])

;; Ranks among which layers are divided, and the place of this one.
(defn count-ranks [] -> index (on-ranks (ranks tp) 1))
(defn own-rank [] -> index (on-ranks (rank tp) 0))

(defn check-ranks [(: wanted i64)]
  (when (!= wanted (cast i64 (count-ranks)))
    (die "%s" (on-ranks (cstring "--tp is the number of ranks: --ranks=N is started with the same N")
                        (cstring "this program is compiled for one rank: compile it with --tp, too")))))

(defn read-word [(: r !llvm.ptr) (: name !llvm.ptr) (: next !llvm.ptr)] -> i64
  "Takes one option and returns the number of words it has."
  (cond {:result i64}
    (options/same-text name (cstring "--help")) (do (print-usage) (exit (: 0 i32)) (: 1 i64))
    (options/same-text name (cstring "--chat")) (do (Request/chat! r (: true i1)) (: 1 i64))
    (options/same-text name (cstring "--system")) (do (Request/system! r (options/wanted name next)) (: 2 i64))
    (options/same-text name (cstring "--context"))
      (do (Request/context! r (options/read-integer name (options/wanted name next) (: 2 i64) (: 1000000000 i64)))
          (: 2 i64))
    (options/same-text name (cstring "--tp"))
      (do (check-ranks (options/read-integer name (options/wanted name next) (: 1 i64) (: 256 i64))) (: 2 i64))
    :else (generation/read-option (Request/options r) name next)))

(defn read-request [(: count i64) (: words !llvm.ptr)] -> !llvm.ptr
  (def r (new Request (generation/new-options) (: false i1) (null-ptr) (: 4096 i64)))
  (loop [i (: 0 i64)] :while (< i count)
    :do (+ i (read-word r (options/word count words i) (options/word count words (+ i (: 1 i64))))))
  (def o (Request/options r))
  (when (null? (Options/model o)) (die "--model wants the folder of a model; --help lists the options"))
  (when (and (Request/chat r) (or (Options/ids o) (not (null? (Options/logits o)))))
    (die "--chat goes with neither --ids nor --logits"))
  (when (and (Request/chat r) (> (count-ranks) 1)) (die "--chat is for one rank"))
  (if (or (Request/chat r) (null? (Request/system r))) (do) (die "--system goes with --chat"))
  r)

;; --- generation -------------------------------------------------------------

;; A memref's memory.
(defmacro address [m]
  `(llvm.inttoptr {:result !llvm.ptr}
     (arith.index_cast {:result i64} (memref.extract_aligned_pointer_as_index ~m))))

(defn write-logits [(: o !llvm.ptr) (: logits memref<?xf32>) (: v i64)]
  (def host-logits (memref.alloc {:result memref<?xf32>} (cast index v)))
  (download! host-logits logits)
  (def wrong (lispier_write_npy (Options/logits o) (address host-logits) v))
  (when (!= wrong (: 0 i32))
    (die "%s: cannot be written: %s" (Options/logits o) (strerror wrong))))

;; Writes the logits after these tokens. A function of its own, as the compiler inlines `forward` here only: where it is
;; called, its result would be copied, and a step with a copy cannot be replayed.
(defn compute-logits [(: m Generator) (: s Settings) (: keys inout) (: values inout) (: tokens (tensor t i32))
                      (: position (tensor 1 i32)) (: logits memref<1x?xf32>)
                      & {:type f32 :head-norms false :windows false :gemma false :capped false :olmo false
                         :partial false}]
  (store (model/forward m s keys values tokens position :type type :head-norms head-norms :windows windows
                        :gemma gemma :capped capped :olmo olmo :partial partial)
         logits))

;; Answers the prompts of a conversation, or continues the one of --prompt.
(defn run [(: r !llvm.ptr) (: settings !llvm.ptr) (: talk !llvm.ptr) (: began f64)
           & {:type f32 :head-norms false :windows false :gemma false :capped false :olmo false :partial false}]
  (def o (Request/options r))
  (def groups (config/own-heads settings (count-ranks)))
  (def queries (/ (config/size settings (cstring "num_attention_heads"))
                  (config/size settings (cstring "num_key_value_heads"))))
  (def m (model/load-model (Options/model o)))
  (def v (* (:v m) (count-ranks)))
  (config/check-size settings (cstring "vocab_size") v)
  (config/check-size settings (cstring "hidden_size") (:c m))
  (config/check-size settings (cstring "num_hidden_layers") (dim (:norm (:layers (:model m))) 0))
  (config/check-size settings (cstring "intermediate_size")
                     (* (dim (:weight (:down (:layers (:model m)))) 2) (count-ranks)))
  (def head-size (config/size settings (cstring "head_dim")))
  (config/check-rows (dim (:weight (:qkv (:layers (:model m)))) 1) (* groups (+ queries 2)) head-size)
  (def pairs (/ (config/size settings (cstring "rotary_dim")) 2))
  (def capacity (Text/capacity (Talk/text talk)))
  (def embedding-scale (cast f32 (config/number settings (cstring "embedding_scale"))))
  (def s
    (Settings {:groups groups :queries queries :head-size head-size
               :epsilon (cast f32 (config/number settings (cstring "rms_norm_eps")))
               :scale (cast f32 (config/number settings (cstring "attention_scale")))
               :embedding-scale (if gemma embedding-scale (first-number embedding-scale))
               :frequencies (config/rotation settings (cstring "rope_") pairs capacity)
               :local-frequencies (config/rotation settings (cstring "rope_local_") pairs capacity)
               :windows (config/layer-windows settings)
               :local (config/local-layers settings)
               :magnitudes (config/layer-magnitudes settings)
               :score-cap (cast f32 (config/number settings (cstring "score_cap")))
               :logit-cap (cast f32 (config/number settings (cstring "logit_cap")))}))
  (def l (dim (:norm (:layers (:model m))) 0))
  (def keys (zeros type [l groups (cast index capacity) head-size]))
  (def values (zeros type [l groups (cast index capacity) head-size]))
  (def logits (device-alloc memref<1x?xf32> [v]))
  (def logits-row (memref.collapse_shape {:reassociation [[0 1]] :result memref<?xf32>} logits))
  (def scratch (device-alloc memref<?xf32> [v]))
  (def position (device-alloc memref<1xi32> []))
  (def host-position (memref.alloc {:result memref<1xi32>}))
  (def token (device-alloc memref<1xi32> []))
  (def host-token (memref.alloc {:result memref<1xi32>}))
  ;; As many tokens as a prompt may have: one function computes both.
  (def one-token (memref.cast {:result memref<?xi32>} token))
  (def state (device-alloc memref<1xi64> []))
  (def host-state (memref.alloc {:result memref<1xi64>}))
  (set-cell! state host-state (Options/seed o))
  (loop [turn (: 0 i64)] :while (chat/next-prompt talk turn)
    :do (do
      (def text (Talk/text talk))
      (def start (Text/cached text))
      (def count (- (Text/count text) start))
      (def tokens (device-alloc memref<?xi32> [(cast index count)]))
      (upload! tokens (ptr->memref memref<?xi32> (ptr-at i32 (Text/ids text) start) [(cast index count)]))
      (def times (malloc (* (: 8 i64) (max (Options/repeat o) (Options/tokens o)))))
      ;; Prefill: what is new of the text in one pass.
      (for [i 0 (cast index (Options/repeat o))]
        (set-cell! position host-position (cast i32 start))
        (def prefill-began (options/seconds))
        (compute-logits m s keys values tokens position logits
                        :type type :head-norms head-norms :windows windows :gemma gemma :capped capped :olmo olmo
                        :partial partial)
        (generation/choose o logits-row scratch state token)
        (generation/check-choice logits-row token)
        (download! host-token token)
        (ptr-store! (- (options/seconds) prefill-began) (ptr-at f64 times i)))
      (generation/require-choice host-token)
      (if (null? (Options/logits o))
          (do
            (def first-token (options/seconds))
            (def prefill (generation/median times (Options/repeat o)))
            (def limit (min (Options/tokens o) (+ (- capacity (Text/count text)) (: 1 i64))))
            (set-cell! position host-position (cast i32 (Text/count text)))
            ;; Each step updates the token and its position on the device: all steps launch the same work.
            (def written
              (loop [n (: 0 i64)]
                :while (and (< n limit) (not (config/ends-text settings (memref.load host-token (: 0 index)))))
                :do (do
                  (def token-began (options/seconds))
                  (def id (memref.load host-token (: 0 index)))
                  (chat/put talk id)
                  (when (< (+ n (: 1 i64)) limit)
                    (replayable
                      (compute-logits m s keys values one-token position logits
                                      :type type :head-norms head-norms :windows windows :gemma gemma
                                      :capped capped :olmo olmo :partial partial)
                      (generation/choose o logits-row scratch state token)
                      (generation/advance logits-row token position))
                    (chat/keep text id)
                    (download! host-token token)
                    (generation/require-choice host-token))
                  (ptr-store! (- (options/seconds) token-began) (ptr-at f64 times n))
                  (+ n (: 1 i64)))))
            (chat/end-answer talk)
            (when (and (null? (Talk/chat talk)) (= (own-rank) 0))
              (generation/report began first-token count prefill times written))
            (when (and (= written limit) (< limit (Options/tokens o)) (= (own-rank) 0))
              (dprintf (: 2 i32) (cstring "note: stopped at the end of the context of %ld tokens\n") capacity)))
          (when (= (own-rank) 0) (write-logits o logits-row (cast i64 v))))
      (+ turn (: 1 i64)))))

;; --- main -------------------------------------------------------------------

;; The models differ in what exists (model.lisp): the number of each kind, and its constants.
(defmacro kinds []
  {:capped [0 :windows true :gemma true :capped true]
   :partial [1 :windows true :partial true]
   :olmo [2 :head-norms true :windows true :olmo true]
   :gemma [3 :head-norms true :windows true :gemma true]
   :normed-windows [4 :head-norms true :windows true]
   :windows [5 :windows true]
   :normed [6 :head-norms true]
   :plain [7]})
(defmacro number-of [kind] (first (get (kinds) kind)))

(defn kind-of [(: settings !llvm.ptr)] -> i64
  (def windows (config/flag settings (cstring "layers_differ")))
  (def head-norms (config/flag settings (cstring "head_norms")))
  (cond {:result i64}
    (> (config/number settings (cstring "score_cap")) (: 0.0 f64)) (number-of :capped)
    (!= (config/integer settings (cstring "rotary_dim")) (config/integer settings (cstring "head_dim")))
      (number-of :partial)
    (config/flag settings (cstring "wide_head_norms")) (number-of :olmo)
    (config/flag settings (cstring "post_norms")) (number-of :gemma)
    head-norms (if windows (number-of :normed-windows) (number-of :normed))
    :else (if windows (number-of :windows) (number-of :plain))))

;; The kind of a model, by its config.json, while the program is compiled; one with windows where it may have some.
(defmacro kind-in [config]
  `(let [type# (get ~config :model_type)
         rope# (or (get ~config :rope_scaling) (get ~config :rope_parameters) {})
         scaling# (or (get rope# :rope_type) (get rope# :type))
         windows# (or (= scaling# "yarn") (= scaling# "longrope") (= type# "smollm3")
                      (cond (= type# "llama") false
                            (or (= type# "qwen2") (= type# "qwen3")) (get ~config :use_sliding_window)
                            :else (get ~config :sliding_window true)))]
     (cond (= type# "gemma2") :capped
           (= type# "gemma3_text") :gemma
           (or (= type# "olmo2") (= type# "olmo3")) :olmo
           (or (get ~config :partial_rotary_factor) (get rope# :partial_rotary_factor)) :partial
           (= type# "qwen3") (if windows# :normed-windows :normed)
           :else (if windows# :windows :plain))))

(defmacro option [name] (program-option name "--chat" "--ids" "--no-echo" "--help"))

;; A norm of all heads would be a sum over the ranks.
(defmacro run-kind [type k]
  (if (or (nil? (ranks-option)) (not (= (first k) (number-of :olmo))))
      `(run r settings talk began :type ~type ~@(rest k))
      `(die "models that normalise all heads together, as OLMo does, are for one rank")))
(defmacro run-kinds [type]
  `(cond ~@(apply concat (map (fn [k] [`(= kind ~(first k)) `(run-kind ~type ~k)]) (vals (kinds)))) :else (do)))

;; A program that is compiled for a model (`lispier run`, `build ... -- --model FOLDER`) has only what that takes.
(defmacro run-model []
  (let [model (option "--model")]
    (if (nil? model)
        `(if (Options/bf16 o) (run-kinds bf16) (run-kinds f32))
        (let [bf16 (= (option "--activations") "bf16")
              config (or (read-json (str model "/config.json")) {})
              k (get (kinds) (kind-in config))
              also (if (= (first k) 4) 6 (if (= (first k) 5) 7 (first k)))]
          `(do
             (when (or (!= (Options/bf16 o) (: ~bf16 i1)) (and (!= kind ~(first k)) (!= kind ~also)))
               (die "this program is compiled for %s and activations in %s only" (cstring ~model)
                    (cstring ~(if bf16 "bf16" "f32"))))
             (run-kind ~(if bf16 (quote bf16) (quote f32)) ~k))))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def began (options/seconds))
  (def r (read-request count words))
  (def o (Request/options r))
  (def folder (Options/model o))
  (def settings (config/open-config folder))
  (config/check-files settings folder)
  (def vocabulary (config/integer settings (cstring "vocab_size")))
  (def positions (config/integer settings (cstring "max_position_embeddings")))
  ;; Null with --ids.
  (def tokenizer
    (if (Options/ids o)
        (null-ptr)
        (chat/open-tokenizer (if (null? (Options/tokenizer o)) folder (Options/tokenizer o)) vocabulary)))
  (def talk
    (if (Request/chat r)
        (chat/new-talk folder (Request/system r) tokenizer (min positions (Request/context r)) (Options/tokens o))
        (chat/prompt-talk o tokenizer vocabulary positions (config/first-token settings))))
  (def kind (kind-of settings))
  (run-model))
