;;; chat.lisp - the text that the model continues: a prompt, or a conversation whose history stays in the cache.

(require-dialect arith llvm)
(require ["../gpt2/options.lisp" :as options] ["../gpt2/generation.lisp" :as generation])
(require-macros "../gpt2/options.lisp" "../gpt2/generation.lisp")

(extern-fn lispier_tokenizer_open (-> [!llvm.ptr !llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_path (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_size (-> [!llvm.ptr] [i64]))
(extern-fn lispier_tokenizer_special (-> [!llvm.ptr i32] [i32]))
(extern-fn lispier_tokenizer_encode_rendered (-> [!llvm.ptr !llvm.ptr i64] [i64]))
(extern-fn lispier_chat_open (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_chat_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_chat_add (-> [!llvm.ptr !llvm.ptr !llvm.ptr i64] []))
(extern-fn lispier_chat_drop (-> [!llvm.ptr] [i64]))
(extern-fn lispier_chat_render (-> [!llvm.ptr i32] [i64]))
(extern-fn lispier_chat_text (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn strlen (-> [!llvm.ptr] [i64]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))
(extern-fn realloc (-> [!llvm.ptr i64] [!llvm.ptr]))
(extern-fn memcpy (-> [!llvm.ptr !llvm.ptr i64] [!llvm.ptr]))
(extern-fn read (-> [i32 !llvm.ptr i64] [i64]))
(extern-fn isatty (-> [i32] [i32]))

(defn open-tokenizer [(: path !llvm.ptr) (: vocabulary i64)] -> !llvm.ptr
  (def tokenizer (lispier_tokenizer_open path (null-ptr) (null-ptr)))
  (def wrong (lispier_tokenizer_error tokenizer))
  (if (null? wrong) (do) (die "%s" wrong))
  (when (> (lispier_tokenizer_size tokenizer) vocabulary)
    (die "%s: has %ld tokens, but the model has a vocabulary of %ld; they do not belong together"
         (lispier_tokenizer_path tokenizer) (lispier_tokenizer_size tokenizer) vocabulary))
  tokenizer)

;; Bytes that grow.
(defstruct Bytes [data !llvm.ptr] [count i64] [capacity i64])

(defn append-bytes [(: b !llvm.ptr) (: data !llvm.ptr) (: count i64)]
  (def wanted (+ (Bytes/count b) count))
  (when (> wanted (Bytes/capacity b))
    (Bytes/capacity! b (* (: 2 i64) wanted))
    (Bytes/data! b (realloc (Bytes/data b) (Bytes/capacity b)))
    (when (null? (Bytes/data b)) (die "no memory is left for a text of %ld bytes" wanted)))
  (memcpy (ptr-at i8 (Bytes/data b) (Bytes/count b)) data count)
  (Bytes/count! b wanted))

;; The tokens of the text, of which the cache has the first `cached`.
(defstruct Text [ids !llvm.ptr] [count i64] [cached i64] [capacity i64])

(defstruct Talk
  [text !llvm.ptr] [tokenizer !llvm.ptr]
  [chat !llvm.ptr]    ; The conversation; null if there is only a prompt.
  [out !llvm.ptr]     ; generation/Output
  [answer !llvm.ptr]  ; Bytes
  [echoed i64]        ; How many tokens are written before the model's own.
  [reserve i64])      ; How many tokens an answer should have left in the context.

(defn check-chat [(: chat !llvm.ptr)]
  (def wrong (lispier_chat_error chat))
  (if (null? wrong) (do) (die "%s" wrong)))

;; --- a prompt ---------------------------------------------------------------

(defn put [(: talk !llvm.ptr) (: id i32)]
  "Writes a token; marks are no text."
  (def tokenizer (Talk/tokenizer talk))
  (if (null? tokenizer)
      (generation/put-token (Talk/out talk) id)
      (when (= (lispier_tokenizer_special tokenizer id) (: 0 i32))
        (def bytes (lispier_tokenizer_push tokenizer id))
        (options/write-text (lispier_tokenizer_text tokenizer) bytes)
        (append-bytes (Talk/answer talk) (lispier_tokenizer_text tokenizer) bytes))))

(defn prompt-talk [(: o !llvm.ptr) (: tokenizer !llvm.ptr) (: vocabulary i64) (: positions i64) (: first i32)]
      -> !llvm.ptr
  "The text of --prompt, with capacity for its continuation."
  (def given (generation/read-prompt o vocabulary tokenizer))
  (when (> (Tokens/count given) positions)
    (die "the prompt has %ld tokens, more than the model's context of %ld" (Tokens/count given) positions))
  (def prompt (generation/from-end-of-text given first))
  (def count (Tokens/count prompt))
  (def capacity (min positions (+ count (if (null? (Options/logits o)) (Options/tokens o) (: 0 i64)))))
  (def ids (malloc (* (: 4 i64) (+ capacity (: 1 i64)))))
  (memcpy ids (Tokens/ids prompt) (* (: 4 i64) count))
  (new Talk (new Text ids count (: 0 i64) capacity) tokenizer (null-ptr) (new Output tokenizer (: 0 i64))
       (new Bytes (null-ptr) (: 0 i64) (: 0 i64))
       (if (and (null? (Options/logits o)) (not (Options/quiet o))) (Tokens/count given) (: 0 i64)) (: 0 i64)))

(defn first-prompt [(: talk !llvm.ptr)] -> i1
  (for [i 0 (cast index (Talk/echoed talk))]
    (put talk (ptr-load i32 (ptr-at i32 (Text/ids (Talk/text talk)) i))))
  (: true i1))

;; --- a conversation ---------------------------------------------------------

(defn new-talk [(: folder !llvm.ptr) (: system !llvm.ptr) (: tokenizer !llvm.ptr) (: capacity i64) (: tokens i64)]
      -> !llvm.ptr
  (def chat (lispier_chat_open folder))
  (check-chat chat)
  (when (not (null? system))
    (lispier_chat_add chat (cstring "system") system (strlen system)))
  (new Talk (new Text (malloc (* (: 4 i64) (+ capacity (: 1 i64)))) (: 0 i64) (: 0 i64) capacity) tokenizer chat
       (new Output tokenizer (: 0 i64)) (new Bytes (null-ptr) (: 0 i64) (: 0 i64)) (: 0 i64)
       (min tokens (arith.divsi capacity (: 4 i64)))))

(defn read-line [(: line !llvm.ptr)] -> i1
  "Reads a line that is not empty from standard input; false at its end."
  (def byte (llvm.alloca {:elem_type i8 :result !llvm.ptr} (: 1 i64)))
  (Bytes/count! line (: 0 i64))
  (def last
    (loop [got (: 1 i64)]
      :while (and (= got (: 1 i64)) (or (= (Bytes/count line) (: 0 i64)) (!= (ptr-load i8 byte) (: 10 i8))))
      :do (do
        (def count (read (: 0 i32) byte (: 1 i64)))
        (when (and (= count (: 1 i64)) (!= (ptr-load i8 byte) (: 10 i8)))
          (append-bytes line byte (: 1 i64)))
        count)))
  (when (< last (: 0 i64)) (die "cannot read standard input: %s" (options/reason)))
  (> (Bytes/count line) (: 0 i64)))

(defn take-tokens [(: text !llvm.ptr) (: ids !llvm.ptr) (: count i64)]
  "Makes these the text. The cache keeps what is the same from the beginning, but not all: the last token is passed
through the model for what follows it."
  (when (>= count (Text/capacity text))
    (die "the conversation has %ld tokens, but the context holds %ld (--context)" count (Text/capacity text)))
  (def most (min (Text/cached text) (- count (: 1 i64))))
  (def same
    (loop [i (: 0 i64)]
      :while (and (< i most) (= (ptr-load i32 (ptr-at i32 ids i)) (ptr-load i32 (ptr-at i32 (Text/ids text) i))))
      :do (+ i (: 1 i64))))
  (memcpy (Text/ids text) ids (* (: 4 i64) count))
  (Text/count! text count)
  (Text/cached! text same))

(defn render-tokens [(: talk !llvm.ptr)] -> i64
  "Encodes the conversation up to where the model answers, and returns the number of tokens."
  (def chat (Talk/chat talk))
  (def bytes (lispier_chat_render chat (: 1 i32)))
  (check-chat chat)
  (lispier_tokenizer_encode_rendered (Talk/tokenizer talk) (lispier_chat_text chat) bytes))

(defn fit-tokens [(: talk !llvm.ptr)] -> i64
  "The same, without the oldest turns where the context does not hold them and an answer."
  (def capacity (Text/capacity (Talk/text talk)))
  (def [count dropped]
    (loop [count (render-tokens talk) dropped (: 0 i64)]
      :while (and (> (+ count (Talk/reserve talk)) capacity) (> (lispier_chat_drop (Talk/chat talk)) (: 0 i64)))
      :do [(render-tokens talk) (+ dropped (: 1 i64))]))
  (when (> dropped (: 0 i64))
    (dprintf (: 2 i32) (cstring "note: the context of %ld tokens is full; turns left out, the oldest first: %ld\n")
             capacity dropped))
  count)

(defn next-message [(: talk !llvm.ptr)] -> i1
  (def chat (Talk/chat talk))
  (def line (Talk/answer talk))
  (when (= (isatty (: 0 i32)) (: 1 i32)) (options/write-text (cstring "> ") (: 2 i64)))
  (def found (read-line line))
  (when found
    (lispier_chat_add chat (cstring "user") (Bytes/data line) (Bytes/count line))
    (def count (fit-tokens talk))
    (take-tokens (Talk/text talk) (lispier_tokenizer_ids (Talk/tokenizer talk)) count)
    (Bytes/count! line (: 0 i64)))
  found)

(defn next-prompt [(: talk !llvm.ptr) (: turn i64)] -> i1
  "Whether there is something to continue: the prompt, once, or the next message."
  (cond {:result i1}
    (not (null? (Talk/chat talk))) (next-message talk)
    (= turn (: 0 i64)) (first-prompt talk)
    :else (: false i1)))

(defn keep [(: text !llvm.ptr) (: id i32)]
  "The cache has all of the text, and this token."
  (ptr-store! id (ptr-at i32 (Text/ids text) (Text/count text)))
  (Text/count! text (+ (Text/count text) (: 1 i64)))
  (Text/cached! text (Text/count text)))

(defn end-answer [(: talk !llvm.ptr)]
  (generation/end-output (Talk/out talk))
  (when (not (null? (Talk/chat talk)))
    (def answer (Talk/answer talk))
    (lispier_chat_add (Talk/chat talk) (cstring "assistant") (Bytes/data answer) (Bytes/count answer))))
