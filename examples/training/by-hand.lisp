;;; by-hand.lisp - a training step of GPT-2 with its gradients written by hand: what differentiation has to reach.
;;;
;;;     lispier run examples/training/by-hand.lisp -- --steps 10
;;;     lispier run --target=cuda examples/training/by-hand.lisp -- --size 124M --batch 32 --tokens 1024 --type bf16
;;;
;;; Letters: b texts of t tokens, n = b t rows, c channels, e = 3 c, f = 4 c, v vocabulary, h heads, d = c / h, l
;;; layers. Weights, their gradients and moments are f32; activations, and the factors of products, of `type`; sums f32.

(require ["../gpt2/options.lisp" :as options])
(require-macros "../gpt2/options.lisp")

(defrecord Block [g1 (tensor c f32)] [b1 (tensor c f32)] [wq (tensor e c f32)] [bq (tensor e f32)]
                 [wo (tensor c c f32)] [bo (tensor c f32)] [g2 (tensor c f32)] [b2 (tensor c f32)]
                 [wu (tensor f c f32)] [bu (tensor f f32)] [wd (tensor c f f32)] [bd (tensor c f32)])
(defrecord Gpt2 [wte (tensor v c f32)] [wpe (tensor p c f32)] [h (list Block)] [gf (tensor c f32)] [bf (tensor c f32)])

;; --- layers, forward and backward ------------------------------------------

;; Layer normalisation (Ba, Kiros, Hinton 2016): the result, and what the backward pass needs of each row.
(defn norm [x g b & {:type f32}]
  (def centered (- (cast f32 x) (mean (cast f32 x) :axis -1 :keep true)))
  (def r (rsqrt (+ (mean (* centered centered) :axis -1 :keep true) 1e-5)))
  (cast type (+ (* centered r g) b)))
(defn norm-backward [dy x g & {:type f32}]
  (def centered (- (cast f32 x) (mean (cast f32 x) :axis -1 :keep true)))
  (def r (rsqrt (+ (mean (* centered centered) :axis -1 :keep true) 1e-5)))
  (def xh (* centered r))
  (def dxh (* dy g))
  (def dx (* r (- dxh (mean dxh :axis -1 :keep true) (* xh (mean (* dxh xh) :axis -1 :keep true)))))
  [(cast type dx) (sum (* dy xh) :axis 0) (sum (cast f32 dy) :axis 0)])

(defn linear [x w b & {:type f32}] (+ (einsum "ni,oi->no" x (cast type w) :out f32) b))
(defn linear-backward [dy x w & {:type f32}]
  [(einsum "no,oi->ni" dy (cast type w) :out f32) (einsum "no,ni->oi" dy x :out f32) (sum (cast f32 dy) :axis 0)])

;; The derivative of x s, where s is the logistic function of 2 sqrt(2 / pi) (x + 0.044715 x^3).
(defn gelu-backward [dy x & {:type f32}]
  (def u (cast f32 x))
  (def s (/ 1.0 (+ 1.0 (exp (* -1.5957691216057308 (+ u (* 0.044715 u u u)))))))
  (cast type (* dy (+ s (* u s (- 1.0 s) 1.5957691216057308 (+ 1.0 (* 0.134145 u u)))))))

;; Causal attention of q, k, v [b t h d], and the logarithm of each row's sum of exponentials.
(defn scores [q k]
  (def t (dim q 1))
  (def seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)))
  (where seen (/ (einsum "bthd,bshd->bhts" q k :out f32) (sqrt (cast f32 (dim q 3)))) -inf))
(defn attention [q k v & {:type f32}]
  (def s (scores q k))
  (def most (max s :axis -1 :keep true))
  [(cast type (einsum "bhts,bshd->bthd" (cast type (softmax s)) v :out f32))
   (+ most (log (sum (exp (- s most)) :axis -1 :keep true)))])
(defn attention-backward [do o q k v lse & {:type f32}]
  (def p (exp (- (scores q k) lse)))
  (def delta (stack (transpose (sum (* (cast f32 do) (cast f32 o)) :axis -1) [0 2 1]) :axis -1))
  (def ds (cast type (/ (* p (- (einsum "bthd,bshd->bhts" do v :out f32) delta)) (sqrt (cast f32 (dim q 3))))))
  [(cast type (einsum "bhts,bshd->bthd" ds k :out f32)) (cast type (einsum "bhts,bthd->bshd" ds q :out f32))
   (cast type (einsum "bhts,bthd->bshd" (cast type p) do :out f32))])

;; The mean of -log softmax(logits)[target], and its gradient.
(defn cross-entropy-both [logits targets & {:type f32}]
  (def x (cast f32 logits))
  (def most (max x :axis -1 :keep true))
  (def e (exp (- x most)))
  (def z (sum e :axis -1 :keep true))
  (def hit (= (iota i32 [(dim logits -1)]) (stack targets :axis -1)))
  (def chosen (sum (where hit x 0.0) :axis -1 :keep true))
  [(mean (- (+ most (log z)) chosen))
   (cast type (/ (- (/ e z) (where hit 1.0 0.0)) (cast f32 (dim logits 0))))])

;; --- the step ---------------------------------------------------------------

(defn heads [x (: b index) (: h index)] (reshape x [b (/ (dim x 0) b) h (/ (dim x 1) h)]))
(defn joined [x] (reshape x [(* (dim x 0) (dim x 1)) (* (dim x 2) (dim x 3))]))

(defn gradients [(: m Gpt2) (: d (inout Gpt2)) (: tokens (tensor b t i32)) (: targets (tensor b t i32)) (: nh index)
                 & {:type f32}]
  "The loss of the model; its gradient is written to `d`, which has the model's sizes."
  (def w (:h m))
  (def [l c f n] [(dim (:g1 w) 0) (dim (:wte m) 1) (dim (:wu w) 1) (* b t)])
  (def x0 (cast type (reshape (+ (embedding (:wte m) tokens) (slice (:wpe m) [0 0] [t _])) [n c])))
  ;; What each layer begins with, and what the last one ends with.
  (def [xs qkvs os lses ys us]
    (fold [xs (update (empty type [(+ l 1) n c]) x0 [0 0 0]) qkvs (empty type [l n (* 3 c)]) os (empty type [l n c])
           lses (empty f32 [l b nh t 1]) ys (empty type [l n c]) us (empty type [l n f])]
          [i 0 l]
      (def x (at xs i))
      (def n1 (norm x (at (:g1 w) i) (at (:b1 w) i) :type type))
      (def qkv (cast type (linear n1 (at (:wq w) i) (at (:bq w) i) :type type)))
      (def [q k v] (split qkv 3 :axis 1))
      (def [mixed lse] (attention (heads q b nh) (heads k b nh) (heads v b nh) :type type))
      (def o (joined mixed))
      (def y (cast type (+ x (linear o (at (:wo w) i) (at (:bo w) i) :type type))))
      (def n2 (norm y (at (:g2 w) i) (at (:b2 w) i) :type type))
      (def u (cast type (linear n2 (at (:wu w) i) (at (:bu w) i) :type type)))
      (def next (cast type (+ y (linear (gelu u) (at (:wd w) i) (at (:bd w) i) :type type))))
      [(update xs next [(+ i 1) 0 0]) (update qkvs qkv [i 0 0]) (update os o [i 0 0]) (update lses lse [i 0 0 0 0])
       (update ys y [i 0 0]) (update us u [i 0 0])]))
  (def x (at xs l))
  (def xf (norm x (:gf m) (:bf m) :type type))
  (def logits (cast type (einsum "nc,vc->nv" xf (cast type (:wte m)) :out f32)))
  (def [loss dlogits] (cross-entropy-both logits (reshape targets [n]) :type type))
  (def [dx dgf dbf]
    (norm-backward (einsum "nv,vc->nc" dlogits (cast type (:wte m)) :out f32) x (:gf m) :type type))
  (update (:gf d) dgf [0])
  (update (:bf d) dbf [0])
  (def dx0
    (fold [dx dx] [j 0 l]
      (def i (- (- l 1) j))
      (def [x qkv o y u] [(at xs i) (at qkvs i) (at os i) (at ys i) (at us i)])
      (def [da dwd dbd] (linear-backward dx (gelu u) (at (:wd w) i) :type type))
      (def du (gelu-backward da u :type type))
      (def [dn2 dwu dbu]
        (linear-backward du (norm y (at (:g2 w) i) (at (:b2 w) i) :type type) (at (:wu w) i) :type type))
      (def [dy2 dg2 db2] (norm-backward dn2 y (at (:g2 w) i)))
      (def dy (cast type (+ dx dy2)))
      (def [do dwo dbo] (linear-backward dy o (at (:wo w) i) :type type))
      (def [q k v] (split qkv 3 :axis 1))
      (def [dq dk dv] (attention-backward (heads (cast type do) b nh) (heads o b nh) (heads q b nh) (heads k b nh)
                                          (heads v b nh) (at lses i) :type type))
      (def dqkv (concat (joined dq) (joined dk) (joined dv) :axis 1))
      (def [dn1 dwq dbq]
        (linear-backward dqkv (norm x (at (:g1 w) i) (at (:b1 w) i) :type type) (at (:wq w) i) :type type))
      (def [dx1 dg1 db1] (norm-backward dn1 x (at (:g1 w) i)))
      (update (at (:g1 (:h d)) i) dg1 [0]) (update (at (:b1 (:h d)) i) db1 [0])
      (update (at (:wq (:h d)) i) dwq [0 0]) (update (at (:bq (:h d)) i) dbq [0])
      (update (at (:wo (:h d)) i) dwo [0 0]) (update (at (:bo (:h d)) i) dbo [0])
      (update (at (:g2 (:h d)) i) dg2 [0]) (update (at (:b2 (:h d)) i) db2 [0])
      (update (at (:wu (:h d)) i) dwu [0 0]) (update (at (:bu (:h d)) i) dbu [0])
      (update (at (:wd (:h d)) i) dwd [0 0]) (update (at (:bd (:h d)) i) dbd [0])
      (cast type (+ dy dx1))))
  ;; The classifier's weights are the embedding's: both gradients add up.
  (update (:wte d) (add-at (einsum "nv,nc->vc" dlogits xf :out f32) (reshape tokens [n]) dx0) [0 0])
  (update (:wpe d) (sum (cast f32 (reshape dx0 [b t c])) :axis 0) [0 0])
  loss)

;; AdamW (Loshchilov, Hutter 2019) of one tensor, in place; c1, c2: 1 / (1 - beta^step).
(defmacro adamw [field rank decay]
  (let [at (vec (map (fn [_] 0) (range rank)))]
    `(let [g# (~field d)
           mean# (+ (* 0.9 (~field first)) (* 0.1 g#))
           square# (+ (* 0.95 (~field second)) (* 0.05 g# g#))]
       (update (~field m) (- (~field m) (* rate (+ (/ (* c1 mean#) (+ (sqrt (* c2 square#)) 1e-8))
                                                   (* ~decay (~field m))))) ~at)
       (update (~field first) mean# ~at)
       (update (~field second) square# ~at))))

(defn optimize-blocks [(: m (inout (list Block))) (: first (inout (list Block))) (: second (inout (list Block)))
                       (: d (list Block)) (: rate f32) (: c1 f32) (: c2 f32)]
  (adamw :g1 2 0.0) (adamw :b1 2 0.0) (adamw :wq 3 0.1) (adamw :bq 2 0.0) (adamw :wo 3 0.1) (adamw :bo 2 0.0)
  (adamw :g2 2 0.0) (adamw :b2 2 0.0) (adamw :wu 3 0.1) (adamw :bu 2 0.0) (adamw :wd 3 0.1) (adamw :bd 2 0.0))
(defn optimize-rest [(: m (inout Gpt2)) (: first (inout Gpt2)) (: second (inout Gpt2)) (: d Gpt2)
                     (: rate f32) (: c1 f32) (: c2 f32)]
  (adamw :wte 2 0.1) (adamw :wpe 2 0.1) (adamw :gf 1 0.0) (adamw :bf 1 0.0))

;; --- a model of any size ----------------------------------------------------

;; Numbers that look random and that any other program can make, too: of a number, in -0.5 .. 0.5.
(defmacro noise [salt & sizes]
  `(reshape (- (/ (cast f32 (% (+ ~salt (* 7919 (iota i64 [(* ~@sizes)]))) 10007)) 10007.0) 0.5) [~@sizes]))

(defmacro model [weight one]
  `(Gpt2 {:wte (~weight 0.1 1 v c) :wpe (~weight 0.05 2 p c)
          :h (Block {:g1 (+ ~one (~weight 0.1 3 l c)) :b1 (~weight 0.1 4 l c)
                     :wq (~weight 0.1 5 l (* 3 c) c) :bq (~weight 0.1 6 l (* 3 c))
                     :wo (~weight 0.1 7 l c c) :bo (~weight 0.1 8 l c)
                     :g2 (+ ~one (~weight 0.1 9 l c)) :b2 (~weight 0.1 10 l c)
                     :wu (~weight 0.1 11 l (* 4 c) c) :bu (~weight 0.1 12 l (* 4 c))
                     :wd (~weight 0.1 13 l c (* 4 c)) :bd (~weight 0.1 14 l c)})
          :gf (+ ~one (~weight 0.1 15 c)) :bf (~weight 0.1 16 c)}))
(defmacro scaled-noise [scale salt & sizes] `(* ~scale (noise ~salt ~@sizes)))
(defmacro no-numbers [scale salt & sizes] `(zeros f32 [~@sizes]))

;; Channels, layers, words and heads of the models 124M, tiny, and without --size; texts and tokens without options.
(defmacro models [] [[768 12 50304 12] [32 2 80 2] [256 8 8192 4]])
(defmacro usual-batch [] 4)
(defmacro usual-tokens [] 64)

;; A program that is compiled for options (`lispier run`, `build ... -- --size 124M`) has their sizes as numbers, and
;; kernels are made for these; nil without such options.
(defmacro given-sizes []
  (let [size (program-option "--size")
        [c l v nh] (nth (models) (cond (= size "124M") 0 (= size "tiny") 1 :else 2))
        number (fn [text otherwise] (if text (read-number text) otherwise))
        [b t] [(number (program-option "--batch") (usual-batch)) (number (program-option "--tokens") (usual-tokens))]]
    (if (or size (program-option "--batch") (program-option "--tokens")) [c l v (if (> t 512) t 512) nh b t] nil)))
(defmacro check-sizes [& names]
  (let [sizes (given-sizes)]
    (if (nil? sizes)
        `(do)
        `(when (or ~@(map (fn [i] `(!= ~(nth names i) ~(nth sizes i))) (range 7)))
           (die "this program is compiled for other sizes: compile it for these options, or without any")))))
(defmacro take-sizes [& names]
  (let [sizes (given-sizes)] (if (nil? sizes) `(do) `(def ~(vec names) ~sizes))))

(defn train [(: c index) (: l index) (: v index) (: p index) (: nh index) (: b index) (: t index) (: steps i64)
             & {:type f32}]
  (check-sizes c l v p nh b t)
  (take-sizes c l v p nh b t)
  (def m (model scaled-noise 1.0))
  (def first (model no-numbers 0.0))
  (def second (model no-numbers 0.0))
  (def d (model no-numbers 0.0))
  (def places (iota i64 [(* b t)]))
  (def tokens (cast i32 (reshape (% (* 31 (% (* places places) 977)) (cast i64 v)) [b t])))
  (def targets (cast i32 (reshape (% (* 31 (% (* (+ 1 places) (+ 1 places)) 977)) (cast i64 v)) [b t])))
  (for [step 1 (+ (cast index steps) 1)]
    (def began (options/seconds))
    (def loss (gradients m d tokens targets nh :type type))
    (def power (cast f64 (cast i64 step)))
    (def [c1 c2] [(/ 1.0 (- 1.0 (pow 0.9 power))) (/ 1.0 (- 1.0 (pow 0.95 power)))])
    (optimize-blocks (:h m) (:h first) (:h second) (:h d) (: 1e-3 f32) (cast f32 c1) (cast f32 c2))
    (optimize-rest m first second d (: 1e-3 f32) (cast f32 c1) (cast f32 c2))
    (def number (at loss))
    (println "step %ld | loss %.6f | %.2f ms" step number (* 1000.0 (- (options/seconds) began)))))

;; --- options -----------------------------------------------------------------

(defn value-of [(: count i64) (: words !llvm.ptr) (: option !llvm.ptr)] -> !llvm.ptr
  "The word after an option; null without it."
  (def place (fold [place (: -1 i64)] [i (: 0 i64) count]
    (if (options/same-text (options/word count words (cast i64 i)) option) (+ (cast i64 i) 1) place)))
  (if (< place 0) (null-ptr) (options/wanted option (options/word count words place))))

(defn number-of [(: count i64) (: words !llvm.ptr) (: option !llvm.ptr) (: otherwise i64)] -> i64
  (def text (value-of count words option))
  (if (null? text) otherwise (options/read-integer option text (: 1 i64) (: 1000000 i64))))

(defn is-option [(: count i64) (: words !llvm.ptr) (: option !llvm.ptr) (: text !llvm.ptr)] -> i1
  (def given (value-of count words option))
  (if (null? given) false (options/same-text given text)))

;; In the type that the program is compiled for; in either without options.
(defmacro train-in [is-bf16 & sizes]
  (let [as (fn [type] `(train ~@sizes :type ~type))]
    (if (nil? (given-sizes))
        `(if ~is-bf16 ~(as (quote bf16)) ~(as (quote f32)))
        `(do
           (when (!= ~is-bf16 (: ~(= (program-option "--type") "bf16") i1))
             (die "this program is compiled for another --type"))
           ~(as (if (= (program-option "--type") "bf16") (quote bf16) (quote f32)))))))

;; The sizes of a model that only the run knows.
(defmacro model-sizes [is-large is-tiny]
  (let [[large tiny other] (models)]
    `[~@(map (fn [i] `(if ~is-large ~(nth large i) (if ~is-tiny ~(nth tiny i) ~(nth other i)))) (range 4))]))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def b (cast index (number-of count words (cstring "--batch") (cast i64 (usual-batch)))))
  (def t (cast index (number-of count words (cstring "--tokens") (cast i64 (usual-tokens)))))
  (def steps (number-of count words (cstring "--steps") (: 10 i64)))
  (def is-large (is-option count words (cstring "--size") (cstring "124M")))
  (def is-tiny (is-option count words (cstring "--size") (cstring "tiny")))
  (def [c l v nh] (model-sizes is-large is-tiny))
  (def p (max t 512))
  (train-in (is-option count words (cstring "--type") (cstring "bf16")) c l v p nh b t steps))
