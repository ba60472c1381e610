;;; training.lisp - what the programs that train share: options, and the loop over steps.
;;;
;;; (def-training Record load put) defines `train` for a model's record. (load path prefix) is a macro of the program
;;; that reads one with a prefix before its tensors' names, (put saver m about prefix) one that puts those of m into a
;;; file of a checkpoint. The program that expands it has these functions:
;;;   (loss-of w about texts :type type)        the mean loss of texts [b t+1], as a tensor
;;;   (write-sample m about settings tokenizer) prints a text that the model writes
;;;   (describe-model saver m about settings)   takes along what programs read beside the weights
;;;   (operations-of m about t)                 of a token, for the share of the device's peak
;;; `about` is what the formulas need besides the weights. The program is compiled for the --type that it is run with.
;;;
;;; With several ranks (`lispier run --ranks=2`) each has all weights and learns from rows of its own, whose gradients
;;; are added before the weights change: --batch is of a rank. With --optimizer sharded each keeps a part of the moments
;;; and of the f32 weights (sharded.lisp). Rank 0 tells, draws samples and writes checkpoints, which have nothing of the
;;; ranks: a run may go on with another number of them, and with the other --optimizer.

(require-dialect memref arith math llvm func)
(require ["../gpt2/options.lisp" :as options] ["./optimizer.lisp" :as optimizer] ["./loader.lisp" :as loader]
         ["./checkpoint.lisp" :as checkpoint] ["./progress.lisp" :as progress] ["./sharded.lisp" :as sharded])
(require-macros "../gpt2/options.lisp" "./optimizer.lisp" "./sharded.lisp")

;; Along dp the rows of a step are divided. A program that is compiled without options is for one rank.
(defmacro on-ranks [form otherwise] (if (nil? (program-option "--data" "--help")) otherwise form))
(on-ranks (defmesh [dp]) (do))
(defn own-rank [] -> index (on-ranks (rank dp) 0))
(defn count-ranks [] -> index (on-ranks (ranks dp) 1))

(extern-fn lispier_tokenizer_open (-> [!llvm.ptr !llvm.ptr !llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_error (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn strlen (-> [!llvm.ptr] [i64]))
(extern-fn malloc (-> [i64] [!llvm.ptr]))
(extern-fn snprintf (-> [!llvm.ptr i64 !llvm.ptr ...] [i32]))

;; --- options ----------------------------------------------------------------

(defstruct Training
  [data !llvm.ptr] [val !llvm.ptr] [model !llvm.ptr] [size !llvm.ptr] [tokenizer !llvm.ptr] [prompt !llvm.ptr]
  [out !llvm.ptr] [resume !llvm.ptr] [schedule !llvm.ptr] [type !llvm.ptr] [optimizer !llvm.ptr]
  [batch i64] [tokens i64] [accumulate i64] [steps i64] [warmup i64] [eval i64] [save i64] [sample i64] [seed i64]
  [lr f64] [final-lr f64] [decay f64] [clip f64])

(defn usual-settings [] -> !llvm.ptr
  (new Training (null-ptr) (null-ptr) (null-ptr) (cstring "mini") (null-ptr) (cstring "") (null-ptr) (null-ptr)
       (cstring "cosine") (cstring "f32") (cstring "whole")
       (: 4 i64) (: 64 i64) (: 1 i64) (: 100 i64) (: 0 i64) (: 0 i64) (: 0 i64) (: 0 i64) (: 1 i64)
       (: 6e-4 f64) (: 0.0 f64) (: 0.1 f64) (: 1.0 f64)))

;; The rows of options: [field] is a text, [field low high] a number of the type of `low`.
(defmacro read-setting [s option next & rows]
  `(cond {:result i64}
     ~@(apply concat
         (map (fn [row]
                (let [name (nth row 0)
                      read (cond (= (count row) 1) `(options/wanted ~option ~next)
                                 (= (nth row 3) :integer)
                             `(options/read-integer ~option (options/wanted ~option ~next)
                                                    (: ~(nth row 1) i64) (: ~(nth row 2) i64))
                                 :else `(options/read-number ~option (options/wanted ~option ~next)
                                                             (: ~(nth row 1) f64) (: ~(nth row 2) f64)))]
                  [`(options/same-text ~option (cstring ~(str "--" name)))
                   `(do (~(symbol (str "Training/" name "!")) ~s ~read) (: 2 i64))]))
              rows))
     :else (do (die "unknown option '%s'; --help lists the options" ~option) (: 2 i64))))

(defn read-one [(: s !llvm.ptr) (: option !llvm.ptr) (: next !llvm.ptr)] -> i64
  (read-setting s option next [data] [val] [model] [size] [tokenizer] [prompt] [out] [resume] [schedule] [type]
    [optimizer]
    [batch 1 65536 :integer] [tokens 1 1048576 :integer] [accumulate 1 65536 :integer] [steps 0 1000000000 :integer]
    [warmup 0 1000000000 :integer] [eval 0 1000000000 :integer] [save 0 1000000000 :integer]
    [sample 0 1000000000 :integer] [seed 0 9223372036854775806 :integer]
    [lr 0.0 1e3 :number] [final-lr 0.0 1e3 :number] [decay 0.0 1e3 :number] [clip 0.0 1e9 :number]))

(defn usage [(: first !llvm.ptr)]
  (def text (cstring "
  --data FILES          what it learns: llm.c's shards, 'shards/train_*.bin', or a text, which the tokenizer encodes
  --val FILES           what it is tried on with --eval
  --model PATH          the folder of a model, of Hugging Face's files, to begin with; default: a new one of --size
  --size NAME           tiny, mini (the default) or 124M
  --tokenizer PATH      default: the bundled small model's
  --batch N --tokens N  texts of a step (4), of each rank if there are several; tokens of a text (64)
  --accumulate N        so many batches make a step (1)
  --steps N             (100)
  --lr X --final-lr X   the learning rate (6e-4), and that of the last step (0)
  --warmup N            steps in which it rises (0)
  --schedule NAME       constant, linear, cosine (the default) or wsd
  --decay X --clip X    AdamW's decay of matrices (0.1); the largest norm of the gradients (1), 0: any
  --type TYPE           of activations and factors of products: f32 (the default) or bf16
  --optimizer NAME      whole (the default); sharded: each rank keeps a part of the moments and of the f32 weights
  --eval N              validation loss every N steps
  --sample N            a text every N steps, which continues --prompt TEXT
  --out PATH            the folder of log.tsv, loss.svg and the checkpoints; default: nothing is written
  --save N              a checkpoint every N steps, besides that at the end
  --resume PATH         go on from the last checkpoint in this folder
  --seed N              of the first weights (1)
"))
  (options/write-text first (strlen first))
  (options/write-text text (strlen text))
  (exit (: 0 i32)))

(defn read-settings [(: count i64) (: words !llvm.ptr) (: about !llvm.ptr)] -> !llvm.ptr
  (def s (usual-settings))
  (loop [i (: 0 i64)] :while (< i count)
    :do (do
          (when (options/same-text (options/word count words i) (cstring "--help")) (usage about))
          (+ i (read-one s (options/word count words i) (options/word count words (+ i (: 1 i64)))))))
  (when (null? (Training/data s)) (die "--data wants the text or the shards to learn; --help lists the options"))
  (when (and (> (Training/save s) (: 0 i64)) (null? (Training/out s))) (die "--save goes with --out"))
  (when (and (> (Training/eval s) (: 0 i64)) (null? (Training/val s))) (die "--eval goes with --val"))
  (def optimizer (Training/optimizer s))
  (when (not (or (options/same-text optimizer (cstring "whole")) (options/same-text optimizer (cstring "sharded"))))
    (die "--optimizer wants whole or sharded, not '%s'" optimizer))
  s)

(defn schedule-of [(: s !llvm.ptr)] -> i64
  (def name (Training/schedule s))
  (cond {:result i64}
    (options/same-text name (cstring "constant")) (: 0 i64)
    (options/same-text name (cstring "linear")) (: 1 i64)
    (options/same-text name (cstring "cosine")) (: 2 i64)
    (options/same-text name (cstring "wsd")) (: 3 i64)
    :else (do (die "--schedule wants constant, linear, cosine or wsd, not '%s'" name) (: 0 i64))))

;; A program that is compiled for its options (`lispier run`, `build ... -- --data book.txt --size 124M`) has its sizes
;; as numbers, and kernels are made for these. At macro time (compiled-option "--size" "mini") is that option's text,
;; and nil in a program that is compiled without any. (known c 768) is 768 where there is a number, and c is that in
;; the run.
(defmacro compiled-option [name usual]
  (if (nil? (program-option "--data" "--help")) nil (or (program-option name "--help") usual)))
(defmacro compiled-number [name usual]
  (if (nil? (program-option "--data" "--help")) nil (read-number (or (program-option name "--help") usual))))
(defmacro known [value number]
  (if (nil? number)
      value
      `(do
         (when (!= ~value ~number)
           (die "this program is compiled for other sizes: compile it for these options, or without any"))
         ~number)))

;; The type of activations that the program is compiled for.
(defmacro compiled-type [] (if (= (program-option "--type" "--help") "bf16") "bf16" "f32"))
(defmacro compiled-optimizer [] (if (= (compiled-option "--optimizer" "whole") "sharded") "sharded" "whole"))
(defmacro check-compiled [s]
  `(do
     (when (not (options/same-text (Training/type ~s) (cstring ~(compiled-type))))
       (die "this program is compiled for --type %s, not '%s'" (cstring ~(compiled-type)) (Training/type ~s)))
     (when (not (options/same-text (Training/optimizer ~s) (cstring ~(compiled-optimizer))))
       (die "this program is compiled for --optimizer %s, not '%s'" (cstring ~(compiled-optimizer))
            (Training/optimizer ~s)))))

(defn is-shard [(: path !llvm.ptr)] -> i1
  (def n (strlen path))
  (and (>= n (: 4 i64)) (options/same-text (ptr-at i8 path (- n (: 4 i64))) (cstring ".bin"))))

(defn open-data [(: path !llvm.ptr) (: tokenizer !llvm.ptr) (: vocabulary i64)] -> !llvm.ptr
  (if (is-shard path) (loader/open path vocabulary) (loader/open-text path tokenizer vocabulary)))

;; --- steps --------------------------------------------------------------------

(defn replace [(: x inout) y] (update x y))

;; Names the first tensor that has a number which is not finite, and stops the program with status 3.
(defn stop-if-infinite [x (: step i64) (: name !llvm.ptr)]
  (when (> (at (sum (where (< (abs x) inf) 0.0 1.0))) 0.0)
    (dprintf (: 2 i32) (cstring "error: step %ld: the gradient of %s is not finite; the last checkpoint is as it was\n")
             step name)
    (exit (: 3 i32))))

;; What the host reads of a step: the loss, the norm, and whether a rank was asked to stop.
(defn told-numbers [(: total (tensor 1 f32)) (: norm (tensor 1 f32)) (: asked (tensor 1 f32)) (: parts f32)]
  (def place (iota i32 [3]))
  (where (= place (: 0 i32)) (/ total parts) (where (= place (: 1 i32)) norm asked)))

;; x of all ranks.
(on-ranks (defn add-ranks [(: x inout)] (update x (all-reduce x :over dp))) (do))

;; Whether ranks end after this step, of which so many have been asked to.
(defn stops? [(: asked f32)] -> i1 (or (> asked 0.0) (and (= (count-ranks) 1) (progress/stop-asked?))))

;; One rank tells and writes.
(defn tells? [] -> i1 (= (own-rank) 0))

(defn is-due [(: step i64) (: every i64)] -> i1
  (and (> every (: 0 i64)) (= (% step (max (: 1 i64) every)) (: 0 i64))))

(defn moments-of [(: folder !llvm.ptr)] -> !llvm.ptr
  "The file of a checkpoint's moments."
  (def path (malloc (: 4096 i64)))
  (snprintf path (: 4096 i64) (cstring "%s/optimizer.safetensors") folder)
  path)

;; Zeros for the weights that formulas read.
(defn zeros-f32 [x] (zeros-like x))
(defn zeros-bf16 [x] (zeros-like (cast bf16 x)))

;; The texts [b t+1] of one of the batches [n b t+1] of a step, as memory.
(defmacro part-of [batches k]
  `(memref.subview {:drop-unit-dims true} ~batches [~k 0 0] [1 (memref.dim ~batches 1) (memref.dim ~batches 2)]
                   [1 1 1]))

(defmacro def-training [Record load put]
  (let [model `(record ~Record f32)
        type (symbol (compiled-type))
        sharded (= (compiled-optimizer) "sharded")
        ;; What is computed with, and what memory the gradients have: sharded, that of the first weights.
        [w d kept] (if sharded (quote [own-weights m own-parts]) (quote [m own-gradients m]))
        kept-type (if sharded (symbol (str Record "Parts")) model)
        put-all (fn [x prefix]
                  (if sharded
                      `(let [all# (joined d ~x)] (when (tells?) (~put saver all# about ~prefix)))
                      `(when (tells?) (~put saver ~x about ~prefix))))
        [batch tokens] [(compiled-number "--batch" "4") (compiled-number "--tokens" "64")]]
    `(do
       ~@(if sharded [`(def-sharded ~Record ~type)] [])
       ;; Adds the gradients of a batch to d, and its loss to total; of this rank's texts.
       (defn learn [m (: d (inout ~model)) (: total (inout (tensor 1 f32))) about (: texts (tensor b u i32))
                    & {:type f32}]
         (def own (on-ranks (assume texts :split 0 :over dp) texts))
         (def loss (value-and-grad loss-of (cast type m) about own :into d :type type))
         (update total (+ total loss)))

       (on-ranks
         (defn add-all-ranks [(: d (inout ~model)) (: total inout) (: asked inout)]
           ~@(if sharded [] [`(each-field ~Record add-ranks [d])])
           (add-ranks total)
           (add-ranks asked))
         (do))

       ~@(if sharded
             []
             [`(defn change [(: m (inout ~model)) (: mean (inout ~model)) (: square (inout ~model))
                             (: d (inout ~model)) (: norm inout) (: rates (tensor 3 f32)) (: adam Adam) (: parts f32)
                             (: clip f32)]
                 (adamw-step ~Record m mean square d norm rates adam parts clip))])

       (defn clear-all [(: d (inout ~model)) (: total inout)]
         (each-field ~Record optimizer/clear [d])
         (optimizer/clear total))

       (defn evaluate [m about (: val !llvm.ptr) (: texts memref<?x?x?xi32>) & {:type f32}]
         (def [b t] [(memref.dim texts 1) (- (memref.dim texts 2) 1)])
         (def batches (min (: 20 i64) (/ (loader/count-steps val b t) (cast i64 (count-ranks)))))
         (loader/seek! val (: 0 i64))
         (def w (cast type m))
         (def all
           (fold [all (: 0.0 f64)] [i 0 (cast index batches)]
             (upload! (part-of texts 0) (loader/next-of val b t (cast i64 (own-rank)) (cast i64 (count-ranks))))
             (def rows (at (load texts) 0))
             (def own (on-ranks (assume rows :split 0 :over dp) rows))
             (def loss (loss-of w about own :type type))
             (def sum-of-all (on-ranks (all-reduce loss :over dp) loss))
             (+ all (cast f64 (at sum-of-all)))))
         (/ all (cast f64 (* batches (cast i64 (count-ranks))))))

       ;; All ranks come here, since they join what is sharded.
       (defn save [(: s !llvm.ptr) (: step i64) (: data !llvm.ptr) (: kept ~kept-type) (: mean ~kept-type)
                   (: square ~kept-type) (: d ~model) about]
         (def saver (if (tells?) (checkpoint/begin-step (Training/out s) step) (null-ptr)))
         ~(put-all (quote kept) "")
         (when (tells?) (checkpoint/write-file saver (cstring "model.safetensors")))
         ~(put-all (quote mean) "m.")
         ~(put-all (quote square) "v.")
         (when (tells?)
           (checkpoint/write-file saver (cstring "optimizer.safetensors"))
           (describe-model saver d about s)
           (checkpoint/set-integer saver (cstring "place") (loader/position data))
           (checkpoint/set-integer saver (cstring "seed") (Training/seed s))
           (def wrong (checkpoint/commit saver (: 3 i64)))
           (if (null? wrong) (do) (do (dprintf (: 2 i32) (cstring "not saved: %s\n") wrong) (do)))))

       (defn load-state [(: folder !llvm.ptr) (: kept (inout ~kept-type)) (: mean (inout ~kept-type))
                         (: square (inout ~kept-type))]
         (def moments (moments-of folder))
         (def [weights first second] [(~load folder "") (~load moments "m.") (~load moments "v.")])
         ~@(map (fn [pair] (if sharded `(take-parts ~@pair) `(each-field ~Record replace [~@pair])))
                (quote [[kept weights] [mean first] [square second]])))

       (defn train [(: s !llvm.ptr) (: m (inout ~model)) about (: data !llvm.ptr) (: val !llvm.ptr)
                    (: tokenizer !llvm.ptr)]
         ~@(if sharded
               [`(def own-weights (map-fields (record ~Record ~type) ~(symbol (str "zeros-" type)) m))
                `(def own-parts (parts-of m))
                `(def mean (map-fields ~kept-type zeros-like own-parts))
                `(def square (map-fields ~kept-type zeros-like own-parts))]
               [`(def mean (map-fields ~model zeros-like m))
                `(def square (map-fields ~model zeros-like m))
                `(def own-gradients (map-fields ~model zeros-like m))])
         (def first
           (if (null? (Training/resume s))
               (: 0 i64)
               (do
                 (def state (checkpoint/open-state (Training/resume s)))
                 (load-state (checkpoint/state-folder state) ~kept mean square)
                 (loader/seek! data (checkpoint/state-integer state (cstring "place")))
                 (checkpoint/state-integer state (cstring "step")))))
         ~@(if sharded
               [`(join-weights own-weights own-parts)
                `(when (tells?)
                   (dprintf (: 1 i32)
                            (cstring "%ld ranks, each with %.2f bytes of weights, gradients and moments a parameter\n")
                            (cast i64 (count-ranks)) (state-bytes m own-parts)))]
               [])
         (def adam (optimizer/usual-adam (cast f32 (Training/decay s))))
         (def kind (schedule-of s))
         (def [b t]
           [(known (cast index (Training/batch s)) ~batch) (known (cast index (Training/tokens s)) ~tokens)])
         ;; The batches of a step, of this rank and of all.
         (def batches (cast index (Training/accumulate s)))
         (def parts (cast i64 (* batches (count-ranks))))
         (def clip (cast f32 (Training/clip s)))
         ;; What differs from step to step is in the device's memory, so that each step is the same work: one graph.
         (def host-texts (malloc (* (: 4 i64) (cast i64 (* batches b (+ t 1))))))
         (def texts (device-alloc memref<?x?x?xi32> [batches b (+ t 1)]))
         (def [norm total rates numbers] [(device-alloc memref<1xf32> []) (device-alloc memref<1xf32> [])
                                          (device-alloc memref<3xf32> []) (device-alloc memref<3xf32> [])])
         (def [host-rates host-numbers]
           [(memref.alloc {:result memref<3xf32>}) (memref.alloc {:result memref<3xf32>})])
         ;; Ranks stop after the same step: all hear of it when one is asked.
         (def [asked host-asked] [(device-alloc memref<1xf32> []) (memref.alloc {:result memref<1xf32>})])
         (memref.store (: 0.0 f32) host-asked 0)
         (upload! asked host-asked)
         (def told (progress/start-progress (if (tells?) (Training/out s) (null-ptr)) first (Training/steps s)
                                            (* parts (Training/batch s) (Training/tokens s))
                                            (* (operations-of m about t) (cast f64 (cast i64 (* batches b t))))))
         (memref.store (: 0.0 f32) host-numbers 2)
         (loop [i first] :while (and (< i (Training/steps s)) (not (stops? (memref.load host-numbers 2)))) :do (do
           (def step (+ i (: 1 i64)))
           (def rate (optimizer/rate-of kind i (Training/steps s) (Training/warmup s) (Training/lr s)
                                        (Training/final-lr s)))
           (loader/next-into! host-texts data batches b t (cast i64 (own-rank)) (cast i64 (count-ranks)))
           (optimizer/set-rates! rates host-rates rate step adam)
           (when (> (count-ranks) 1)
             (memref.store (cast f32 (* (cast i64 (progress/stop-asked?)) (cast i64 (+ 1 (own-rank))))) host-asked 0)
             (upload! asked host-asked))
           (upload! texts (ptr->memref memref<?x?x?xi32> host-texts [batches b (+ t 1)]))
           (replayable
             (clear-all ~d total)
             (for [k 0 batches] (learn ~w ~d total about (at (load texts) k) :type ~type))
             (on-ranks (add-all-ranks ~d total asked) (do))
             ~(if sharded
                  `(sharded-step own-weights own-parts mean square m norm rates adam (cast f32 parts) clip)
                  `(change m mean square own-gradients norm rates adam (cast f32 parts) clip))
             (store (told-numbers (load total) (load norm) (load asked) (cast f32 parts)) numbers))
           (download! host-numbers numbers)
           (def [loss size] [(memref.load host-numbers 0) (memref.load host-numbers 1)])
           (if (and (< (math.absf loss) (: inf f32)) (< size (: inf f32)))
               (do)
               (do
                 ~@(if sharded [`(each-field ~Record add-ranks [m])] []) ; Whose part is not finite is on one rank.
                 (each-field ~Record stop-if-infinite [~d] step :path "")
                 (dprintf (: 2 i32) (cstring "error: step %ld: the loss is not finite\n") step)
                 (exit (: 3 i32))))
           (when (tells?) (progress/tell-step told step (cast f64 loss) (cast f64 size) rate))
           (when (is-due step (Training/eval s))
             (def validation (evaluate ~w about val texts :type ~type))
             (when (tells?) (progress/tell-validation told step validation)))
           (when (and (tells?) (is-due step (Training/sample s))) (write-sample (cast f32 ~w) about s tokenizer))
           (when (and (not (null? (Training/out s)))
                      (or (is-due step (Training/save s)) (= step (Training/steps s))
                          (stops? (memref.load host-numbers 2))))
             (save s step data ~kept mean square ~d about))
           (progress/skip-time told)
           step))
         (progress/draw-loss told)
         (when (and (tells?) (progress/stop-asked?) (not (null? (Training/out s))))
           (dprintf (: 2 i32) (cstring "stopped; --resume %s goes on\n") (Training/out s)))))))
