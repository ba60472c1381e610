;;; generation.lisp - what programs that continue texts share: options, tokens in and out, the choice of a token.
;;;
;;; It knows no model; the logits come from gpt2.lisp or from ../llama/llama.lisp.

(require-dialect nn memref arith math llvm)
(require ["./options.lisp" :as options])
(require-macros "./options.lisp")

(extern-fn lispier_tokenizer_encode (-> [!llvm.ptr !llvm.ptr i64] [i64]))
(extern-fn lispier_tokenizer_ids (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_push (-> [!llvm.ptr i32] [i64]))
(extern-fn lispier_tokenizer_finish (-> [!llvm.ptr] [i64]))
(extern-fn lispier_tokenizer_text (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn strlen (-> [!llvm.ptr] [i64]))
(extern-fn strspn (-> [!llvm.ptr !llvm.ptr] [i64]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))

;; --- the command line -------------------------------------------------------

(defstruct Options
  [model !llvm.ptr] [tokenizer !llvm.ptr] [prompt !llvm.ptr] [logits !llvm.ptr]
  [tokens i64] [temperature f32] [top-k i32] [top-p f32] [seed i64] [repeat i64]
  [quiet i1] [ids i1] [bf16 i1])

(defn read-activations [(: text !llvm.ptr)] -> i1
  (def bf16 (options/same-text text (cstring "bf16")))
  (if (or bf16 (options/same-text text (cstring "f32")))
      (do)
      (die "--activations wants f32 or bf16, not '%s'" text))
  bf16)

(defn read-valued-option [(: o !llvm.ptr) (: name !llvm.ptr) (: next !llvm.ptr)] -> i64
  "Takes an option and the word after it."
  (def known
    (cond {:result i1}
      (options/same-text name (cstring "--model")) (do (Options/model! o (options/wanted name next)) (: true i1))
      (options/same-text name (cstring "--tokenizer")) (do (Options/tokenizer! o (options/wanted name next))
                                                           (: true i1))
      (options/same-text name (cstring "--prompt")) (do (Options/prompt! o (options/wanted name next)) (: true i1))
      (options/same-text name (cstring "--logits")) (do (Options/logits! o (options/wanted name next)) (: true i1))
      (options/same-text name (cstring "--tokens"))
        (do (Options/tokens! o (options/read-integer name (options/wanted name next) (: 1 i64) (: 1000000000 i64)))
            (: true i1))
      (options/same-text name (cstring "--temperature"))
        (do (Options/temperature! o (cast f32 (options/read-number name (options/wanted name next)
                                                                   (: 0.0 f64) (: 1000.0 f64))))
            (: true i1))
      (options/same-text name (cstring "--top-k"))
        (do (Options/top-k! o (cast i32 (options/read-integer name (options/wanted name next)
                                                              (: 0 i64) (: 1000000000 i64))))
            (: true i1))
      (options/same-text name (cstring "--top-p"))
        (do (Options/top-p! o (cast f32 (options/read-number name (options/wanted name next) (: 0.0 f64) (: 1.0 f64))))
            (: true i1))
      (options/same-text name (cstring "--seed"))
        (do (Options/seed! o (options/read-integer name (options/wanted name next) (: 0 i64)
                                                   (: 9223372036854775806 i64)))
            (: true i1))
      (options/same-text name (cstring "--repeat"))
        (do (Options/repeat! o (options/read-integer name (options/wanted name next) (: 1 i64) (: 10000 i64)))
            (: true i1))
      (options/same-text name (cstring "--activations"))
        (do (Options/bf16! o (read-activations (options/wanted name next))) (: true i1))
      :else (: false i1)))
  (if known (do) (die "unknown option '%s'; --help lists the options" name))
  (: 2 i64))

(defn new-options [] -> !llvm.ptr
  "What holds where the command line says nothing."
  (new Options (null-ptr) (null-ptr) (cstring "") (null-ptr)
       (: 64 i64) (: 0.0 f32) (: 0 i32) (: 1.0 f32) (: 0 i64) (: 1 i64)
       (: false i1) (: false i1) (: false i1)))

(defn read-option [(: o !llvm.ptr) (: name !llvm.ptr) (: next !llvm.ptr)] -> i64
  "Takes one option and returns the number of words it has."
  (cond {:result i64}
    (options/same-text name (cstring "--no-echo")) (do (Options/quiet! o (: true i1)) (: 1 i64))
    (options/same-text name (cstring "--ids")) (do (Options/ids! o (: true i1)) (: 1 i64))
    :else (read-valued-option o name next)))

;; --- tokens in and out ------------------------------------------------------

;; Prints tokens: decoded by the tokenizer, or as numbers if it is null.
(defstruct Output [tokenizer !llvm.ptr] [count i64])

(defn put-token [(: out !llvm.ptr) (: id i32)]
  (def tokenizer (Output/tokenizer out))
  (if (null? tokenizer)
      (do (options/written (cast i64 (if (= (Output/count out) (: 0 i64))
                                         (dprintf (: 1 i32) (cstring "%d") id)
                                         (dprintf (: 1 i32) (cstring " %d") id))))
          (Output/count! out (+ (Output/count out) (: 1 i64))))
      (do (def bytes (lispier_tokenizer_push tokenizer id))
          (options/write-text (lispier_tokenizer_text tokenizer) bytes))))

(defn end-output [(: out !llvm.ptr)]
  (def tokenizer (Output/tokenizer out))
  (if (null? tokenizer)
      (do)
      (do (def bytes (lispier_tokenizer_finish tokenizer))
          (options/write-text (lispier_tokenizer_text tokenizer) bytes)))
  (options/write-text (cstring "\n") (: 1 i64)))

;; Encodes a text as token ids.
(defstruct Tokens [ids !llvm.ptr] [count i64])

(defn read-ids [(: text !llvm.ptr) (: vocabulary i64)] -> !llvm.ptr
  "The numbers of a text such as \"852 318 258\"."
  (def ids (malloc (* (: 4 i64) (+ (strlen text) (: 1 i64)))))
  (def blanks (cstring " \t\n"))
  (def at (llvm.alloca {:elem_type !llvm.ptr :result !llvm.ptr} (: 1 i64)))
  (ptr-store! (ptr-at i8 text (strspn text blanks)) at)
  (def count
    (loop [n (: 0 i64)] :while (!= (ptr-load i8 (ptr-load !llvm.ptr at)) (: 0 i8))
      :do (do
        (def start (ptr-load !llvm.ptr at))
        (def id (strtol start at (: 10 i32)))
        (def stop (ptr-load !llvm.ptr at))
        (def skipped (strspn stop blanks))
        (def next (ptr-at i8 stop skipped))
        ;; A number ends at a blank or at the end of the text.
        (when (or (= stop start)
                  (and (= skipped (: 0 i64)) (!= (ptr-load i8 next) (: 0 i8))))
          (die "--prompt with --ids wants numbers with spaces between them, not '%s'" text))
        (when (or (< id (: 0 i64)) (>= id vocabulary))
          (die "token id %ld is not one of this model's, 0 to %ld" id (- vocabulary (: 1 i64))))
        (ptr-store! (cast i32 id) (ptr-at i32 ids n))
        (ptr-store! next at)
        (+ n (: 1 i64)))))
  (new Tokens ids count))

(defn read-prompt [(: o !llvm.ptr) (: vocabulary i64) (: tokenizer !llvm.ptr)] -> !llvm.ptr
  (def text (Options/prompt o))
  (if (null? tokenizer)
      (read-ids text vocabulary)
      (do (def count (lispier_tokenizer_encode tokenizer text (strlen text)))
          (new Tokens (lispier_tokenizer_ids tokenizer) count))))

(defn echo-prompt [(: out !llvm.ptr) (: prompt !llvm.ptr)]
  (for [i 0 (cast index (Tokens/count prompt))]
    (put-token out (ptr-load i32 (ptr-at i32 (Tokens/ids prompt) i)))))

(defn from-end-of-text [(: prompt !llvm.ptr) (: end-of-text i32)] -> !llvm.ptr
  "A prompt without tokens begins a new text."
  (if (= (Tokens/count prompt) (: 0 i64))
      (do (def id (malloc (: 4 i64)))
          (ptr-store! end-of-text id)
          (new Tokens id (: 1 i64)))
      prompt))

;; --- the next token ---------------------------------------------------------

;; A number in memory on the host and on the device.
(defmacro set-cell! [device host value]
  `(do (memref.store ~value ~host (: 0 index))
       (upload! ~device ~host)))

;; Damaged weights give NaNs and infinities, which spread to the logits. The device checks one logit and replaces the
;; token by -1 if it is not finite, so that the host need not read anything but the token.
(defmacro drop-choice [logits index token]
  `(if (< (math.absf (memref.load ~logits ~index)) (: inf f32))
       (do)
       (memref.store (: -1 i32) ~token 0)))

(defn check-choice [(: logits memref<?xf32>) (: token memref<1xi32>)]
  (launch {:name check_choice :block [1]}
    (drop-choice logits (cast index (memref.load token 0)) token)))

(defn advance [(: logits memref<?xf32>) (: token memref<1xi32>) (: position memref<1xi32>)]
  "The end of a step: checks a logit, and the next step has the next position."
  ;; The first logit, and not the chosen one: what comes up after the prompt passes the last normalisation, which
  ;; spreads it to every logit, and to load the token first would add 3 us to the step on an H200.
  (launch {:name advance :block [1]}
    (memref.store (+ (memref.load position 0) (: 1 i32)) position 0)
    (drop-choice logits (: 0 index) token)))

(defn require-choice [(: token memref<1xi32>)]
  (when (< (memref.load token 0) (: 0 i32))
    (die "the logits are not finite: there are NaNs or infinities in the model's weights, or in what it computed")))

(defn choose [(: o !llvm.ptr) (: logits memref<?xf32>) (: scratch memref<?xf32>) (: state memref<1xi64>)
              (: token memref<1xi32>)]
  "The next token: the likeliest, or a draw."
  (def temperature (Options/temperature o))
  (if (= temperature (: 0.0 f32))
      (nn.argmax logits token)
      (nn.sample logits scratch state temperature (Options/top-k o) (Options/top-p o) token)))

(defn median [(: times !llvm.ptr) (: n i64)] -> f64
  "The one of `n` times that half of the others are below."
  (fold [found (: 0.0 f64)] [i 0 (cast index n)]
    (def time (ptr-load f64 (ptr-at f64 times i)))
    (def below (fold [count (: 0 i64)] [j 0 (cast index n)]
      (def other (ptr-load f64 (ptr-at f64 times j)))
      (if (or (< other time) (and (= other time) (< j i))) (+ count (: 1 i64)) count)))
    (if (= below (/ n (: 2 i64))) time found)))

(defn report [(: began f64) (: first-token f64) (: prompt i64) (: prefill f64) (: times !llvm.ptr) (: written i64)]
  "What it took, on standard error."
  (def decode (- (options/seconds) first-token))
  (dprintf (: 2 i32) (cstring "prompt: %ld tokens in %.3f s (%.1f tokens/s); first token %.3f s after the start\n")
           prompt prefill (/ (cast f64 prompt) prefill) (- first-token began))
  (def more (- written (: 1 i64)))
  (when (> more (: 0 i64))
    (dprintf (: 2 i32) (cstring "%ld more tokens in %.3f s (%.1f tokens/s), median %.1f us a token\n") more decode
             (/ (cast f64 more) decode) (* (: 1.0e6 f64) (median times more)))))
