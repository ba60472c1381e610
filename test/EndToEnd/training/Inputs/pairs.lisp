; What training.lisp does for a model of two tables: it learns which token follows which.
(require-dialect llvm memref arith math func)
(require ["../../../../examples/training/training.lisp" :as training]
         ["../../../../examples/training/loader.lisp" :as loader]
         ["../../../../examples/training/checkpoint.lisp" :as checkpoint]
         ["../../../../examples/training/optimizer.lisp" :as optimizer]
         ["../../../../examples/training/progress.lisp" :as progress])
(require-macros "../../../../examples/training/training.lisp" "../../../../examples/training/optimizer.lisp"
                "../../../../examples/training/checkpoint.lisp" "../../../../examples/gpt2/options.lisp")


(defrecord Pairs [first (tensor v c bf16)] [second (tensor v c bf16)] [bias (tensor v bf16)])
(defrecord About [scale f32])

(defn loss-of [m (: about About) (: texts (tensor b u i32)) & {:type f32}]
  (def t (- u 1))
  (def rows (embedding (:first m) (slice texts [0 0] [b t])))
  (cross-entropy (+ (* (:scale about) (einsum "btc,vc->btv" rows (:second m))) (:bias m))
                 (slice texts [0 1] [b t])))
(defn write-sample [m (: about About) (: s !llvm.ptr) (: tokenizer !llvm.ptr)] (println "bias %g" (at (:bias m) 1)))
(defn operations-of [(: m (record Pairs f32)) (: about About) (: t index)] -> f64 1.0)
(defmacro put-pairs [saver m about prefix]
  `(put-tensors ~saver ~m :none {:first ~(str prefix "first") :second ~(str prefix "second") :bias ~(str prefix "bias")}))
(defmacro load-pairs [path prefix]
  `(load-checkpoint (record Pairs f32) ~path
     {:first ~(str prefix "first") :second ~(str prefix "second") :bias ~(str prefix "bias")}))
(defn describe-model [(: saver !llvm.ptr) (: m (record Pairs f32)) (: about About) (: s !llvm.ptr)]
  (checkpoint/set-integer saver (cstring "tokens") (cast i64 (dim (:first m) 0))))
(def-training Pairs load-pairs put-pairs)

(defn main [(: count i64) (: words !llvm.ptr)]
  (def s (training/read-settings count words (cstring "Pairs\n")))
  (check-compiled s)
  (def m (Pairs f32 (* 0.02 (normal f32 [128 16] :seed 1)) (* 0.02 (normal f32 [128 16] :seed 2)) (zeros f32 [128])))
  (def data (training/open-data (Training/data s) (null-ptr) (: 128 i64)))
  (def val (training/open-data (Training/data s) (null-ptr) (: 128 i64)))
  (train s m (About {:scale 1.0}) data val (null-ptr)))
