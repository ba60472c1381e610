;;; checkpoint.lisp - checkpoints of a training run, which other programs read: safetensors and state.json.
;;;
;;;     (def saver (checkpoint/begin-step (cstring "run1") step))
;;;     (checkpoint/put-f32 saver (cstring "transformer.wte.weight") (:wte m))
;;;     (checkpoint/put-layers-f32 saver (cstring "transformer.h.%ld.ln_1.weight") (:g1 (:h m)))
;;;     (checkpoint/write-file saver (cstring "model.safetensors"))
;;;     (checkpoint/set-integer saver (cstring "place") (loader/position data))
;;;     (checkpoint/commit saver (: 3 i64))                 ; run1/step-N, run1/latest; the last three are kept
;;;
;;; A checkpoint is there whole or not at all, whenever the program or the machine stops. `load-checkpoint` reads the
;;; tensors back, `open-state` and `state-integer` the rest.

(require-dialect func memref arith llvm)
(require ["../gpt2/options.lisp" :as options])
(require-macros "../gpt2/options.lisp")

(extern-fn lispier_saver_open (-> [!llvm.ptr i64] [!llvm.ptr]))
(extern-fn lispier_saver_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_saver_path (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_saver_tensor (-> [!llvm.ptr !llvm.ptr !llvm.ptr i64 !llvm.ptr !llvm.ptr] []))
(extern-fn lispier_saver_write (-> [!llvm.ptr !llvm.ptr] [i32]))
(extern-fn lispier_saver_copy (-> [!llvm.ptr !llvm.ptr] []))
(extern-fn lispier_saver_text (-> [!llvm.ptr !llvm.ptr !llvm.ptr] []))
(extern-fn lispier_saver_set_integer (-> [!llvm.ptr !llvm.ptr i64] []))
(extern-fn lispier_saver_set_number (-> [!llvm.ptr !llvm.ptr f64] []))
(extern-fn lispier_saver_set_text (-> [!llvm.ptr !llvm.ptr !llvm.ptr] []))
(extern-fn lispier_saver_commit (-> [!llvm.ptr i64] [i32]))
(extern-fn lispier_saver_close (-> [!llvm.ptr] []))
(extern-fn lispier_state_open (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_state_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_state_path (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_state_integer (-> [!llvm.ptr !llvm.ptr] [i64]))
(extern-fn lispier_state_number (-> [!llvm.ptr !llvm.ptr] [f64]))
(extern-fn lispier_state_text (-> [!llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn snprintf (-> [!llvm.ptr i64 !llvm.ptr ...] [i32]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))
(extern-fn strdup (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn free (-> [!llvm.ptr] []))

;; Copies of tensors in host memory, which are freed when their file has been written.
(defstruct Copy [memory !llvm.ptr] [next !llvm.ptr])
(defstruct Saver [handle !llvm.ptr] [copies !llvm.ptr])

;; --- writing ----------------------------------------------------------------

(defn begin-step [(: run !llvm.ptr) (: step i64)] -> !llvm.ptr
  "Begins the checkpoint of a step. `commit` tells what went wrong on the way."
  (new Saver (lispier_saver_open run step) (null-ptr)))

(defn keep-copy [(: s !llvm.ptr) (: memory !llvm.ptr)]
  (Saver/copies! s (new Copy memory (Saver/copies s))))

;; Defines put-E and put-layers-E: a tensor by its name, and along its first dimension one for each number of a format.
(defmacro def-put [E type bytes]
  (let [name (fn [base] (symbol (str base "-" E)))]
    `(do
       (defn ~(name "put") [(: s !llvm.ptr) (: name !llvm.ptr) x]
         (def flat (to-memref (reshape x [_])))
         (def n (memref.dim flat 0))
         (def memory (malloc (+ (: 1 i64) (* (: ~bytes i64) (cast i64 n)))))
         (download! (ptr->memref ~(symbol (str "memref<?x" E ">")) memory [n]) flat)
         (device-free! flat)
         (Saver/copies! s (new Copy memory (Saver/copies s)))
         ;; A memref without a rank is one of any rank: of this one only the sizes are read.
         (def shaped (to-memref x))
         (def any (memref.cast {:result ~(symbol (str "memref<*x" E ">"))} shaped))
         (def rank (memref.rank any))
         (def sizes (malloc (* (: 8 i64) (+ (: 1 i64) (cast i64 rank)))))
         (for [i 0 rank] (ptr-store! (cast i64 (memref.dim any i)) (ptr-at i64 sizes (cast i64 i))))
         (lispier_saver_tensor (Saver/handle s) name (cstring ~type) (cast i64 rank) sizes memory)
         (free sizes)
         (device-free! shaped)
         (func.return))
       (defn ~(name "put-layers") [(: s !llvm.ptr) (: format !llvm.ptr) x]
         (def name (malloc (: 1024 i64)))
         (for [i 0 (dim x 0)]
           (snprintf name (: 1024 i64) format (cast i64 i))
           (~(name "put") s name (at x i)))
         (free name)
         (func.return)))))

(def-put f32 "F32" 4)
(def-put bf16 "BF16" 2)
(def-put i64 "I64" 8)

(defn free-copies [(: s !llvm.ptr)]
  (loop [copy (Saver/copies s)] :while (not (null? copy))
    :do (do
      (def next (Copy/next copy))
      (free (Copy/memory copy))
      (free copy)
      next))
  (Saver/copies! s (null-ptr)))

(defn write-file [(: s !llvm.ptr) (: name !llvm.ptr)]
  "Writes what was put since the last file."
  (lispier_saver_write (Saver/handle s) name)
  (free-copies s))

(defn copy-file [(: s !llvm.ptr) (: folder !llvm.ptr) (: name !llvm.ptr)]
  "Takes a file of the model along, such as config.json or a tokenizer's; nothing if the folder has none."
  (def path (malloc (: 4096 i64)))
  (snprintf path (: 4096 i64) (cstring "%s/%s") folder name)
  (lispier_saver_copy (Saver/handle s) path)
  (free path))

(defn copy-description [(: s !llvm.ptr) (: folder !llvm.ptr)]
  "Takes along what transformers and the programs here read beside the weights."
  (copy-file s folder (cstring "config.json"))
  (copy-file s folder (cstring "generation_config.json"))
  (copy-file s folder (cstring "tokenizer.json"))
  (copy-file s folder (cstring "tokenizer_config.json"))
  (copy-file s folder (cstring "special_tokens_map.json"))
  (copy-file s folder (cstring "vocab.json"))
  (copy-file s folder (cstring "merges.txt")))

(defn put-text [(: s !llvm.ptr) (: name !llvm.ptr) (: text !llvm.ptr)]
  (lispier_saver_text (Saver/handle s) name text))

(defn set-integer [(: s !llvm.ptr) (: key !llvm.ptr) (: value i64)]
  "A value of state.json; the step is there already."
  (lispier_saver_set_integer (Saver/handle s) key value))
(defn set-number [(: s !llvm.ptr) (: key !llvm.ptr) (: value f64)]
  (lispier_saver_set_number (Saver/handle s) key value))
(defn set-text [(: s !llvm.ptr) (: key !llvm.ptr) (: value !llvm.ptr)]
  (lispier_saver_set_text (Saver/handle s) key value))

(defn commit [(: s !llvm.ptr) (: keep i64)] -> !llvm.ptr
  "Makes this the run's last checkpoint and removes all earlier ones but keep - 1. Returns null, or what went wrong
since `begin-step`: the earlier checkpoints are still there then, and the program can go on."
  (lispier_saver_commit (Saver/handle s) keep)
  (def wrong (lispier_saver_error (Saver/handle s)))
  (def kept (if (null? wrong) (null-ptr) (strdup wrong)))
  (lispier_saver_close (Saver/handle s))
  (free-copies s)
  (free s)
  kept)

;; (put-tensors saver m :list {:field "name" :list {:field ["layer %ld" :transposed]}}): the tensors of a record of f32
;; by a table of their names, as that of load-checkpoint; those of the list one by one.
(defmacro put-tensors [saver value layers table]
  `(do
     ~@(map (fn [key]
              (let [field `(~key ~value)
                    given (get table key)
                    layered (or (= layers :all) (= layers key))
                    name (if (vector? given) (first given) given)
                    x (if (vector? given) `(transpose ~field) field)]
                (cond (map? given) `(put-tensors ~saver ~field ~(if layered :all layers) ~given)
                      layered `(put-layers-f32 ~saver (cstring ~name) ~x)
                      :else `(put-f32 ~saver (cstring ~name) ~x))))
            (keys table))))

;; --- reading ----------------------------------------------------------------

(defn open-state [(: path !llvm.ptr)] -> !llvm.ptr
  "state.json of a checkpoint, or of the last one of a run's folder; exits with a message if there is none."
  (def state (lispier_state_open path))
  (def wrong (lispier_state_error state))
  (if (null? wrong) (do) (die "%s" wrong))
  state)

(defn state-folder [(: state !llvm.ptr)] -> !llvm.ptr
  "The folder of the checkpoint, for load-checkpoint."
  (lispier_state_path state))

(defn check-state [(: state !llvm.ptr)]
  (def wrong (lispier_state_error state))
  (if (null? wrong) (do) (die "%s" wrong)))

(defn state-integer [(: state !llvm.ptr) (: key !llvm.ptr)] -> i64
  (def value (lispier_state_integer state key))
  (check-state state)
  value)
(defn state-number [(: state !llvm.ptr) (: key !llvm.ptr)] -> f64
  (def value (lispier_state_number state key))
  (check-state state)
  value)
(defn state-text [(: state !llvm.ptr) (: key !llvm.ptr)] -> !llvm.ptr
  (def value (lispier_state_text state key))
  (check-state state)
  value)
