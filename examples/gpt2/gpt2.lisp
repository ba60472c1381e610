;;; gpt2.lisp - text generation with GPT-2.
;;;
;;;   build/bin/lispier run examples/gpt2/gpt2.lisp -- --prompt "Once upon a time"
;;;   build/bin/lispier build examples/gpt2/gpt2.lisp -o gpt2 && ./gpt2 --prompt "Once upon a time"
;;;
;;; One pass over the prompt (prefill) stores its keys and values in a cache; after that, each pass consumes one token
;;; and produces the next. model.lisp is the model, weights.lisp reads its files, generation.lisp has what
;;; the program of Llama has, too: options, tokens, sampling. First experiments: the sampling in its `choose`, or the
;;; order of a layer's steps in model.lisp.

(require-dialect nn memref arith math llvm)
(require ["./options.lisp" :as options] ["./generation.lisp" :as generation] ["./weights.lisp" :as weights]
         ["./model.lisp" :as model])
(require-macros "./options.lisp" "./generation.lisp" "./weights.lisp" "./model.lisp")

(extern-fn lispier_write_npy (-> [!llvm.ptr !llvm.ptr i64] [i32]))
(extern-fn strlen (-> [!llvm.ptr] [i64]))

;; --- the command line -------------------------------------------------------

(defn print-usage []
  (def text (cstring "GPT-2 in Lispier: continues a text.

  --model PATH          a directory (model.safetensors, its index, else its only .bin), or one of these files;
                        default: the small model that comes with Lispier
  --tokenizer PATH      vocab.json, gpt2_tokenizer.bin or their directory; default: beside the model
  --prompt TEXT         what to continue; default: nothing, a new text
  --tokens N            new tokens at most (64); fewer when the text ends or the model's context is full
  --temperature X       0: the likeliest token (the default); 1: draw by the model's probabilities; above 1: more random
  --top-k K             draw from the K likeliest tokens; 0 is all (the default)
  --top-p P             draw from the likeliest tokens that together have probability P; 1 is all (the default)
  --seed S              another text for another number (0)
  --no-echo             print the continuation only
  --ids                 prompt and output are token ids with spaces between them; needs no tokenizer
  --logits FILE.npy     write the logits after the prompt as F32 and stop
  --activations TYPE    f32 (the default) or bf16, the type between the steps of a layer
  --repeat N            pass the prompt N times through the model, to measure it: the median is reported (1)
  --help                print this
"))
  (options/write-text text (strlen text)))

(defn read-options [(: count i64) (: words !llvm.ptr)] -> !llvm.ptr
  (def o (generation/new-options))
  (loop [i (: 0 i64)] :while (< i count)
    :do (do
      (when (options/same-text (options/word count words i) (cstring "--help"))
        (print-usage)
        (exit (: 0 i32)))
      (+ i (generation/read-option o (options/word count words i) (options/word count words (+ i (: 1 i64)))))))
  o)

;; --- generation -------------------------------------------------------------

;; Defines generate-E: writes the continuation of `prompt`, or its logits.
(defmacro def-generate [E]
  (let [name (fn [base] (symbol (str base "-" E)))
        cache (str "memref<?x?x?x?x" E ">")]
    `(defn ~(name "generate") [(: o !llvm.ptr) (: host !llvm.ptr) (: prompt !llvm.ptr) (: out !llvm.ptr) (: began f64)]
       (def gpt2 (model/load-gpt2 host))
       (def count (Tokens/count prompt))
       (def v (cast index (Weights/vocabulary host)))
       (def limit (min (Options/tokens o) (+ (- (Weights/positions host) count) (: 1 i64))))
       ;; Keys and values of all layers: [L, H, P, D].
       (def l (cast index (Weights/layers host)))
       (def h (cast index (Weights/heads host)))
       (def d (/ (cast index (Weights/channels host)) h))
       (def p (cast index (+ count limit)))
       (def keys (device-alloc ~cache [l h p d]))
       (def values (device-alloc ~cache [l h p d]))
       (def logits (device-alloc memref<?xf32> [v]))
       (def scratch (device-alloc memref<?xf32> [v]))
       (def position (device-alloc memref<1xi32> []))
       (def host-position (memref.alloc {:result memref<1xi32>}))
       ;; One token, of which `forward` need not know that it is one: the same kernels serve a prompt.
       (def one-token (device-alloc memref<?xi32> [(cast index (min count (: 1 i64)))]))
       (def token (memref.cast {:result memref<1xi32>} one-token))
       (def host-token (memref.alloc {:result memref<1xi32>}))
       (def state (device-alloc memref<1xi64> []))
       (def host-state (memref.alloc {:result memref<1xi64>}))

       ;; Prefill: the whole prompt in one pass.
       (set-cell! position host-position (: 0 i32))
       (def repeat (Options/repeat o))
       (def tokens (device-alloc memref<?xi32> [(cast index count)]))
       (def prefill-times (malloc (* (: 8 i64) repeat)))
       (for [i 0 (cast index repeat)]
         (set-cell! state host-state (Options/seed o))
         (def prefill-began (options/seconds))
         (upload! tokens (ptr->memref memref<?xi32> (Tokens/ids prompt) [(cast index count)]))
         (store (model/forward gpt2 keys values tokens position :type ~E) logits)
         (generation/choose o logits scratch state token)
         (generation/check-choice logits token)
         (download! host-token token)
         (ptr-store! (- (options/seconds) prefill-began) (ptr-at f64 prefill-times i)))
       (if (null? (Options/logits o))
           (do
             (def first-token (options/seconds))
             (def times (malloc (* (: 8 i64) limit)))
             (def end-of-text (Weights/end-of-text host))
             (generation/require-choice host-token)
             ;; The token and its position are in device memory, and each step updates them for the next one. So all
             ;; steps launch the same work, which can be replayed, and the host only reads the token.
             (set-cell! position host-position (cast i32 count))
             (def written
               (loop [n (: 0 i64)] :while (and (< n limit) (!= (memref.load host-token (: 0 index)) end-of-text))
                 :do (do
                   (def token-began (options/seconds))
                   (generation/put-token out (memref.load host-token (: 0 index)))
                   (when (< (+ n (: 1 i64)) limit)
                     (replayable
                       (store (model/forward gpt2 keys values one-token position :type ~E) logits)
                       (generation/choose o logits scratch state token)
                       (generation/advance logits token position))
                     (download! host-token token)
                     (generation/require-choice host-token))
                   (ptr-store! (- (options/seconds) token-began) (ptr-at f64 times n))
                   (+ n (: 1 i64)))))
             (generation/end-output out)
             (generation/report began first-token count (generation/median prefill-times repeat) times written)
             (when (and (= written limit) (< limit (Options/tokens o)))
               (dprintf (: 2 i32) (cstring "note: stopped at the end of the model's context of %ld tokens\n")
                        (Weights/positions host))))
           (do
             (def host-logits (malloc (* (: 4 i64) (Weights/vocabulary host))))
             (download! (ptr->memref memref<?xf32> host-logits [v]) logits)
             (def wrong (lispier_write_npy (Options/logits o) host-logits (Weights/vocabulary host)))
             (when (!= wrong (: 0 i32))
               (die "%s: cannot be written: %s" (Options/logits o) (strerror wrong)))
             (generation/require-choice host-token))))))

(def-generate f32)
(def-generate bf16)

;; --- main -------------------------------------------------------------------

(defn main [(: count i64) (: words !llvm.ptr)]
  (def began (options/seconds))
  (def o (read-options count words))
  (def host (weights/open-weights (if (null? (Options/model o)) (source-path "mini") (Options/model o))))
  ;; Null with --ids.
  (def tokenizer (if (Options/ids o) (null-ptr) (weights/open-tokenizer host (Options/tokenizer o))))
  (weights/close-files host)
  (def given (generation/read-prompt o (Weights/vocabulary host) tokenizer))
  (when (> (Tokens/count given) (Weights/positions host))
    (die "the prompt has %ld tokens, more than the model's context of %ld" (Tokens/count given)
         (Weights/positions host)))
  (def out (new Output tokenizer (: 0 i64)))
  (when (null? (Options/logits o))
    (if (Options/quiet o) (do) (generation/echo-prompt out given)))
  (def prompt (generation/from-end-of-text given (Weights/end-of-text host)))
  (if (Options/bf16 o)
      (generate-bf16 o host prompt out began)
      (generate-f32 o host prompt out began)))
