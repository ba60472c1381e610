;;; model.lisp - GPT-2 (Radford et al. 2019) as formulas.
;;;
;;; Letters: t tokens of this pass, c channels, v vocabulary, p positions of the model, s positions of the cache,
;;; h heads, d = c / h, l layers. The compiler decides which formulas are one kernel, where it puts what lies between
;;; them, and which kernel it takes: lispier run --explain.

(require ["./weights.lisp" :as weights])
(require-macros "./weights.lisp")

(defrecord Norm [weight (tensor c bf16)] [bias (tensor c bf16)])
(defrecord Linear [weight (tensor n k bf16)] [bias (tensor n bf16)])
(defrecord Block [norm1 Norm] [qkv Linear] [attention Linear] [norm2 Norm] [expand Linear] [contract Linear])
(defrecord Gpt2 [tokens (tensor r c bf16)] [positions (tensor p c bf16)] [h (list Block)] [norm Norm]
                [output (tensor v c bf16)] [epsilon f32])

;; Layer normalisation (Ba, Kiros, Hinton 2016) of each row.
(defn norm [x w epsilon]
  (def centered (- x (mean x :axis -1 :keep true)))
  (def variance (mean (* centered centered) :axis -1 :keep true))
  (+ (* (/ centered (sqrt (+ variance epsilon))) (:weight w)) (:bias w)))

(defn linear [x w] (+ (einsum "tk,nk->tn" x (:weight w) :out f32) (:bias w)))

;; Each new token attends to itself and all before it (Vaswani et al. 2017); keys and values of the new ones go to the
;; cache [h s d] first. `qkv` [t 3c] is rows of a query, a key and a value.
(defn attention [qkv (: keys inout) (: values inout) position & {:type f32}]
  (def [t h s d] [(dim qkv 0) (dim keys 0) (dim keys 1) (dim keys 2)])
  (def [q k v] (split qkv 3 :axis 1))
  (update keys (transpose (reshape k [t h d]) [1 0 2]) [0 position 0])
  (update values (transpose (reshape v [t h d]) [1 0 2]) [0 position 0])
  (def seen (<= (iota i32 [s]) (+ position (iota i32 [t 1] :axis 0))))
  (def scores (/ (einsum "thd,hsd->hts" (reshape q [t h d]) keys :out f32) (sqrt (cast f32 d))))
  (def mixed (einsum "hts,hsd->thd" (softmax (where seen scores -inf)) values))
  (reshape (cast type mixed) [t (* h d)]))

;; The logits [v] after the last of `tokens`, of which the first is at `position` of the text. Keys and values [l h s d]
;; have those of all tokens before. Activations between the steps of a layer are of `type`. The residual stream and its
;; norms are f32: a few channels of a normalised row are large, and rounding them would cause most of the error.
(defn forward [(: m Gpt2) (: keys inout) (: values inout) (: tokens (tensor t i32)) (: position (tensor 1 i32))
               & {:type f32}]
  (def places (+ position (iota i32 [t])))
  (def embedded (+ (cast f32 (embedding (:tokens m) tokens)) (cast f32 (embedding (:positions m) places))))
  (def stream
    (fold [x embedded] [b (:h m) k keys v values]
      (def qkv (cast type (linear (norm x (:norm1 b) (:epsilon m)) (:qkv b))))
      (def y (+ x (linear (attention qkv k v position :type type) (:attention b))))
      (def hidden (cast type (gelu (linear (norm y (:norm2 b) (:epsilon m)) (:expand b)))))
      (+ y (linear hidden (:contract b)))))
  (einsum "c,vc->v" (norm (at stream (- t 1)) (:norm m) (:epsilon m)) (:output m)))

;; --- weights ----------------------------------------------------------------

;; A weight as a part of all of them: one that exists once, or that of all layers.
(defmacro whole [kind & sizes]
  `(reshape (slice weights [(cast index (weights/offset-of host (weight-kind ~kind) (: 0 i64)))] [(* ~@sizes)])
            [~@sizes]))
(defmacro each [kind & sizes]
  `(reshape (slice layers [0 (- (cast index (weights/offset-of host (weight-kind ~kind) (: 0 i64))) first)]
                          [l (* ~@sizes)])
            [l ~@sizes]))

(defn load-gpt2 [(: host !llvm.ptr)] -> Gpt2
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
  (Gpt2 {:tokens (whole :token-embedding r c)
         :positions (whole :position-embedding p c)
         :h (Block {:norm1 (Norm (each :norm1-weight c) (each :norm1-bias c))
                    :qkv (Linear (each :qkv-weight c3 c) (each :qkv-bias c3))
                    :attention (Linear (each :attention-weight c c) (each :attention-bias c))
                    :norm2 (Norm (each :norm2-weight c) (each :norm2-bias c))
                    :expand (Linear (each :expand-weight c4 c) (each :expand-bias c4))
                    :contract (Linear (each :contract-weight c c4) (each :contract-bias c))})
         :norm (Norm (whole :final-norm-weight c) (whole :final-norm-bias c))
         :output (whole :output-weight v c)
         :epsilon (Weights/epsilon host)}))
