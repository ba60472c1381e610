;;; model.lisp - GPT-2 (Radford et al. 2019) as formulas, which generation and training share.
;;;
;;; Letters: t tokens of this pass, c channels, v vocabulary, p positions of the model, s positions of the cache,
;;; h heads, d = c / h, l layers. Before t there may be a dimension of texts (:texts true). The compiler decides which
;;; formulas are one kernel, where it puts what lies between them, and which kernel it takes: lispier run --explain.
;;;
;;; Activations between the steps of a layer are of :type. The residual stream and its norms are f32: a few channels of
;;; a normalised row are large, and rounding them would cause most of the error. Training rounds them, too, to :rows, as
;;; well as what products add to the stream: then all factors of products, those of gradients too, have 16 bits.

(require ["./weights.lisp" :as weights])
(require-macros "./weights.lisp")

(defrecord Norm [weight (tensor c bf16)] [bias (tensor c bf16)])
(defrecord Linear [weight (tensor n k bf16)] [bias (tensor n bf16)])
(defrecord Block [norm1 Norm] [qkv Linear] [attention Linear] [norm2 Norm] [expand Linear] [contract Linear])
(defrecord Gpt2 [tokens (tensor r c bf16)] [positions (tensor p c bf16)] [h (list Block)] [norm Norm])
;; With the weights of the output, [v c]: the rows of `tokens`, unless the model's files have others.
(defrecord Generator [model Gpt2] [output (tensor v c bf16)] [epsilon f32])

;; Layer normalisation (Ba, Kiros, Hinton 2016) of each row.
(defn norm [x w epsilon]
  (def centered (- x (mean x :axis -1 :keep true)))
  (def variance (mean (* centered centered) :axis -1 :keep true))
  (+ (* (/ centered (sqrt (+ variance epsilon))) (:weight w)) (:bias w)))

(defn linear [x w] (+ (einsum "...k,nk->...n" x (:weight w) :out f32) (:bias w)))

;; The sum of the embeddings of tokens and of their places.
(defn embedded [m tokens places]
  (+ (cast f32 (embedding (:tokens m) tokens)) (cast f32 (embedding (:positions m) places))))

;; Queries [t h d], and keys and values [h t d], of the rows x.
(defn projected [x b epsilon (: h index) & {:texts false :type f32 :rows f32}]
  (def qkv (cast type (linear (cast rows (norm x (:norm1 b) epsilon)) (:qkv b))))
  (def [n t d] [(dim x 0) (dim x -2) (/ (dim x -1) h)])
  (def [q k v] (split qkv 3 :axis -1))
  (if texts
      [(reshape q [n t h d]) (transpose (reshape k [n t h d]) [0 2 1 3]) (transpose (reshape v [n t h d]) [0 2 1 3])]
      [(reshape q [t h d]) (transpose (reshape k [t h d]) [1 0 2]) (transpose (reshape v [t h d]) [1 0 2])]))

;; Each token attends to itself and all before it (Vaswani et al. 2017). The first of the queries [t h d] is at
;; `position` of the keys and values [h s d].
(defn attention [q keys values position & {:texts false :type f32 :rows f32}]
  (def [t h d s] [(dim q -3) (dim q -2) (dim q -1) (dim keys -2)])
  (def seen (<= (iota i32 [s]) (+ position (iota i32 [t 1] :axis 0))))
  (def scores (/ (einsum "...thd,...hsd->...hts" q keys :out f32) (sqrt (cast f32 d))))
  (def weights (cast rows (softmax (where seen scores -inf))))
  (def mixed (cast type (einsum "...hts,...hsd->...thd" weights values :out f32)))
  (if texts (reshape mixed [(dim q 0) t (* h d)]) (reshape mixed [t (* h d)])))

;; A layer, for rows whose queries, and the keys and values that these see, are known.
(defn layer [x b q keys values position epsilon & {:texts false :type f32 :rows f32}]
  (def mixed (attention q keys values position :texts texts :type type :rows rows))
  (def y (+ x (cast f32 (cast rows (linear mixed (:attention b))))))
  (def hidden (cast type (gelu (cast f32 (cast rows (linear (cast rows (norm y (:norm2 b) epsilon)) (:expand b)))))))
  (+ y (cast f32 (cast rows (linear hidden (:contract b))))))

;; The logits of all rows, or of one.
(defn logits [x m output epsilon & {:rows f32}]
  (einsum "...c,vc->...v" (cast rows (norm x (:norm m) epsilon)) output))

;; The logits [v] after the last of `tokens`, of which the first is at `position` of the text. Keys and values [l h s d]
;; have those of all tokens before; those of the new ones are put there.
(defn forward [g (: keys inout) (: values inout) (: tokens (tensor t i32)) (: position (tensor 1 i32))
               & {:type f32}]
  (def [m epsilon] [(:model g) (:epsilon g)])
  (def stream
    (fold [x (embedded m tokens (+ position (iota i32 [t])))] [b (:h m) k keys v values]
      (def [q own-keys own-values] (projected x b epsilon (dim k 0) :type type))
      (update k own-keys [0 position 0])
      (update v own-values [0 position 0])
      (layer x b q k v position epsilon :type type)))
  (logits (at stream (- t 1)) m (:output g) epsilon))

;; The mean loss of texts, each of whose tokens has the next one as its target. The output's weights are the token
;; embedding.
(defn loss [m (: tokens (tensor n t i32)) (: targets (tensor n t i32)) (: heads index) (: epsilon f32) & {:type f32}]
  (def stream
    (fold [x (embedded m tokens (iota i32 [t]))] [b (:h m)]
      (def [q keys values] (projected x b epsilon heads :texts true :type type :rows type))
      (layer x b q keys values (: 0 i32) epsilon :texts true :type type :rows type)))
  (cross-entropy (logits stream m (:tokens m) epsilon :rows type) targets))

;; --- weights ----------------------------------------------------------------

;; A weight as a part of all of them: one that exists once, or that of all layers.
(defmacro whole [kind & sizes]
  `(reshape (slice weights [(cast index (weights/offset-of host (weight-kind ~kind) (: 0 i64)))] [(* ~@sizes)])
            [~@sizes]))
(defmacro each [kind & sizes]
  `(reshape (slice layers [0 (- (cast index (weights/offset-of host (weight-kind ~kind) (: 0 i64))) first)]
                          [l (* ~@sizes)])
            [l ~@sizes]))

(defn load-gpt2 [(: host !llvm.ptr)] -> Generator
  "The model of weights that have been read, which may go to a device."
  (def [l c r p v] [(cast index (Weights/layers host)) (cast index (Weights/channels host))
                    (cast index (Weights/rows host)) (cast index (Weights/positions host))
                    (cast index (Weights/vocabulary host))])
  (def weights (load (to-device (ptr->memref memref<?xbf16> (Weights/block host)
                                  [(cast index (Weights/elements host))]))))
  ;; The layers follow each other, each with the same weights in the same order.
  (def first (cast index (weights/offset-of host (weight-kind :norm1-weight) (: 0 i64))))
  (def end (cast index (weights/offset-of host (weight-kind :final-norm-weight) (: 0 i64))))
  (def layers (reshape (slice weights [first] [(- end first)]) [l (/ (- end first) l)]))
  (def [c3 c4] [(* 3 c) (* 4 c)])
  (Generator
    {:model (Gpt2 {:tokens (whole :token-embedding r c)
                   :positions (whole :position-embedding p c)
                   :h (Block {:norm1 (Norm (each :norm1-weight c) (each :norm1-bias c))
                              :qkv (Linear (each :qkv-weight c3 c) (each :qkv-bias c3))
                              :attention (Linear (each :attention-weight c c) (each :attention-bias c))
                              :norm2 (Norm (each :norm2-weight c) (each :norm2-bias c))
                              :expand (Linear (each :expand-weight c4 c) (each :expand-bias c4))
                              :contract (Linear (each :contract-weight c c4) (each :contract-bias c))})
                   :norm (Norm (whole :final-norm-weight c) (whole :final-norm-bias c))})
     :output (whole :output-weight v c)
     :epsilon (Weights/epsilon host)}))
