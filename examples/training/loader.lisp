;;; loader.lisp - the tokens of a data set, step by step: llm.c's shards, or a text.
;;;
;;;     (def data (loader/open (cstring "shards/train_*.bin") (: 50257 i64)))
;;;     (upload! tokens (loader/next data 32 1024))         ; 32 rows of 1025 tokens: those, and the last one's target
;;;     (loader/next-into! rows data 16 32 1024 rank ranks) ; this rank's of 16 steps, into the host's memory
;;;
;;; Rows follow each other as in llm.c, shard after shard, epoch after epoch; `shuffle!` takes shards and rows in an
;;; order that follows from a seed. All of it is a function of the place, a number that a checkpoint keeps.

(require-dialect func memref arith llvm)
(require ["../gpt2/options.lisp" :as options])
(require-macros "../gpt2/options.lisp")

(extern-fn lispier_tokens_open (-> [!llvm.ptr i64] [!llvm.ptr]))
(extern-fn lispier_tokens_open_text (-> [!llvm.ptr !llvm.ptr !llvm.ptr i64] [!llvm.ptr]))
(extern-fn lispier_tokens_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokens_shuffle (-> [!llvm.ptr i64] []))
(extern-fn lispier_tokens_count (-> [!llvm.ptr] [i64]))
(extern-fn lispier_tokens_steps (-> [!llvm.ptr i64 i64 i64] [i64]))
(extern-fn lispier_tokens_place (-> [!llvm.ptr] [i64]))
(extern-fn lispier_tokens_seek (-> [!llvm.ptr i64] []))
(extern-fn lispier_tokens_next (-> [!llvm.ptr i64 i64 i64 i64] [!llvm.ptr]))
(extern-fn getenv (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn snprintf (-> [!llvm.ptr i64 !llvm.ptr ...] [i32]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))
(extern-fn memcpy (-> [!llvm.ptr !llvm.ptr i64] [!llvm.ptr]))

(defn checked-loader [(: loader !llvm.ptr)] -> !llvm.ptr
  (def wrong (lispier_tokens_error loader))
  (if (null? wrong) (do) (die "%s" wrong))
  loader)

(defn open [(: pattern !llvm.ptr) (: vocabulary i64)] -> !llvm.ptr
  "A loader of the shards that a path names, or several by the shell's wildcards. Exits with a message on an error, as
all functions here."
  (checked-loader (lispier_tokens_open pattern vocabulary)))

(defn cache-folder [] -> !llvm.ptr
  "Where compiled programs are kept, too; empty without a home."
  (def folder (malloc (: 4096 i64)))
  (def own (getenv (cstring "LISPIER_CACHE_DIR")))
  (def home (getenv (cstring "HOME")))
  (if (null? own)
      (if (null? home)
          (ptr-store! (: 0 i8) folder)
          (do (snprintf folder (: 4096 i64) (cstring "%s/.cache/lispier/tokens") home) (do)))
      (do (snprintf folder (: 4096 i64) (cstring "%s/tokens") own) (do)))
  folder)

(defn open-text [(: path !llvm.ptr) (: tokenizer !llvm.ptr) (: vocabulary i64)] -> !llvm.ptr
  "A loader of a text, which the tokenizer encodes once, into a shard beside it or in the cache's folder."
  (checked-loader (lispier_tokens_open_text path tokenizer (cache-folder) vocabulary)))

(defn shuffle! [(: loader !llvm.ptr) (: seed i64)] (lispier_tokens_shuffle loader seed))

(defn count-tokens [(: loader !llvm.ptr)] -> i64
  "The number of tokens of an epoch."
  (lispier_tokens_count loader))

(defn count-steps [(: loader !llvm.ptr) (: b index) (: t index)] -> i64
  "The steps of an epoch."
  (lispier_tokens_steps loader (cast i64 b) (cast i64 t) (: 1 i64)))

(defn rows-of [(: loader !llvm.ptr) (: b index) (: t index) (: rank i64) (: ranks i64)] -> !llvm.ptr
  (def rows (lispier_tokens_next loader (cast i64 b) (cast i64 t) rank ranks))
  (checked-loader loader)
  rows)

(defn next-of [(: loader !llvm.ptr) (: b index) (: t index) (: rank i64) (: ranks i64)] -> memref<?x?xi32>
  "The next step's part of process `rank` of `ranks`: b rows of t + 1 tokens in host memory, valid until the call after
the next one."
  (ptr->memref memref<?x?xi32> (rows-of loader b t rank ranks) [b (+ t 1)]))

(defn next [(: loader !llvm.ptr) (: b index) (: t index)] -> memref<?x?xi32>
  (next-of loader b t (: 0 i64) (: 1 i64)))

(defn next-into! [(: into !llvm.ptr) (: loader !llvm.ptr) (: steps index) (: b index) (: t index) (: rank i64)
                  (: ranks i64)]
  "Puts a process's rows of several steps, one after the other, into host memory."
  (def count (* b (+ t 1)))
  (for [i 0 steps]
    (memcpy (ptr-at i32 into (cast i64 (* i count))) (rows-of loader b t rank ranks)
            (cast i64 (* 4 count)))
    (do)))

(defn position [(: loader !llvm.ptr)] -> i64
  "The place in the data: the tokens of all steps so far, of all processes."
  (lispier_tokens_place loader))

(defn seek! [(: loader !llvm.ptr) (: place i64)]
  (lispier_tokens_seek loader place)
  (checked-loader loader)
  (func.return))
