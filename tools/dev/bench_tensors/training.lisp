;;; training.lisp - times of what a training step consists of, at the sizes of GPT-2 124M with 32 texts of 1,024 tokens;
;;; training gpu|small prints a line for each, and the largest error of its results.
(require-dialect memref gpu)
(require ["./cases.lisp" :as cases] ["../bench_tiles/timing.lisp" :as timing]
         ["../../../examples/gpt2/options.lisp" :as options]
         ["../../../examples/kernels/device-time.lisp" :as device-time])
(require-macros "./cases.lisp" "../../../examples/kernels/device-time.lisp")

;; --- gradients of rows -------------------------------------------------------

(defn norm-backward [dy x g]
  (def centered (- (cast f32 x) (mean (cast f32 x) :axis -1 :keep true)))
  (def r (rsqrt (+ (mean (* centered centered) :axis -1 :keep true) 1e-5)))
  (def xh (* centered r))
  (def dxh (* dy g))
  [(* r (- dxh (mean dxh :axis -1 :keep true) (* xh (mean (* dxh xh) :axis -1 :keep true))))
   (sum (* dy xh) :axis 0 :keep true) (sum dy :axis 0 :keep true)])

;; Of each row: mean, 1 / deviation, and the two means of the gradient.
(defn norm-numbers [(: dy memref<?x?xf32>) (: x memref<?x?xbf16>) (: g memref<?x?xf32>) (: rows memref<?x?xf32>)]
  (def c (memref.dim x 1))
  (parallel [i (memref.dim x 0)]
    (def n (cast f32 c))
    (def mean (/ (fold [s (: 0.0 f32)] [j 0 c] (+ s (cast f32 (memref.load x i j)))) n))
    (def square (/ (fold [s (: 0.0 f32)] [j 0 c] (let [v (- (cast f32 (memref.load x i j)) mean)] (+ s (* v v)))) n))
    (def r (/ 1.0 (sqrt (+ square 1e-5))))
    (def [a b] (fold [a (: 0.0 f32) b (: 0.0 f32)] [j 0 c]
      (def d (* (memref.load dy i j) (memref.load g 0 j)))
      [(+ a d) (+ b (* d r (- (cast f32 (memref.load x i j)) mean)))]))
    (memref.store mean rows i 0)
    (memref.store r rows i 1)
    (memref.store (/ a n) rows i 2)
    (memref.store (/ b n) rows i 3)))

(defmacro norm-backward-case [n c]
  `(with-tensors [[dy f32 ~n ~c 1] [x bf16 ~n ~c 2] [g f32 1 ~c 3] [dx f32 ~n ~c 4] [dg f32 1 ~c 5] [db f32 1 ~c 6]
                  [rows f32 ~n 4 7]]
     (measure-do ~(str "norm backward " n "x" c) 20
       (let [[a b c] (norm-backward (load dy) (load x) (at (load g) 0))]
         (store a dx)
         (store b dg)
         (store c db)))
     (norm-numbers (any-size f32 dy) (any-size bf16 x) (any-size f32 g) (any-size f32 rows))
     (largest-error [e i ~n j ~c]
       (def xh (* (memref.load rows i 1) (- (cast f32 (memref.load x i j)) (memref.load rows i 0))))
       (def d (* (memref.load dy i j) (memref.load g 0 j)))
       (cases/difference (* (memref.load rows i 1) (- d (memref.load rows i 2) (* xh (memref.load rows i 3))))
                         (memref.load dx i j)))
     (largest-error [e i 1 j ~c]
       (def [a b] (fold [a (: 0.0 f32) b (: 0.0 f32)] [k 0 ~n]
         (def d (memref.load dy k j))
         [(+ a (* d (memref.load rows k 1) (- (cast f32 (memref.load x k j)) (memref.load rows k 0)))) (+ b d)]))
       (max (cases/difference a (memref.load dg i j)) (cases/difference b (memref.load db i j))))))

(defmacro column-sums-case [n c]
  `(with-tensors [[x bf16 ~n ~c 1] [y f32 1 ~c 2]]
     (measure ~(str "column sums " n "x" c) 20 (sum (cast f32 (load x)) :axis 0 :keep true) y)
     (largest-error [e i 1 j ~c]
       (cases/difference (fold [s (: 0.0 f32)] [k 0 ~n] (+ s (cast f32 (memref.load x k j)))) (memref.load y i j)))))

;; The loss of each row, and the gradient of the mean of all times the number of rows.
(defn classifier [logits targets]
  (def x (cast f32 logits))
  (def most (max x :axis -1 :keep true))
  (def e (exp (- x most)))
  (def z (sum e :axis -1 :keep true))
  (def hit (= (iota i32 [(dim logits -1)]) (cast i32 (reshape targets [(dim logits 0) 1]))))
  (def chosen (sum (where hit x 0.0) :axis -1 :keep true))
  [(- (+ most (log z)) chosen) (cast bf16 (- (/ e z) (where hit 1.0 0.0)))])

(defmacro classifier-case [n v]
  `(with-tensors [[x bf16 ~n ~v 1] [t f32 ~n 1 2] [loss f32 ~n 1 3] [dx bf16 ~n ~v 4]]
     (parallel [i ~n] (memref.store (cast f32 (cast i32 (% (* 31 (* i i)) ~v))) t i 0))
     (measure-do ~(str "classifier " n "x" v) 20
       (let [[a b] (classifier (load x) (load t))]
         (store a loss)
         (store b dx)))
     (largest-error [e i ~n j ~v]
       (def z (fold [s (: 0.0 f32)] [k 0 ~v] (+ s (exp (cast f32 (memref.load x i k))))))
       (def target (% (* 31 (* i i)) ~v))
       (def number (- (/ (exp (cast f32 (memref.load x i j))) z) (if (= j target) 1.0 0.0)))
       ;; A probability is about 1 / v.
       (def scale (cast f32 (: ~v index)))
       (max (cases/difference (* scale number) (* scale (cast f32 (memref.load dx i j))))
            (cases/difference (- (log z) (cast f32 (memref.load x i target))) (memref.load loss i 0))))))

;; --- weights ------------------------------------------------------------------

;; Functions of known sizes that overwrite tensors: a step of AdamW, and the sum of the rows of each word.
(defmacro def-updates [n c v]
  `(do
     (defn ~(symbol (str "adamw-" v "x" c)) [(: w (inout (tensor ~v ~c f32))) (: first (inout (tensor ~v ~c f32)))
                                             (: second (inout (tensor ~v ~c f32))) (: g (tensor ~v ~c f32))]
       (def mean (+ (* 0.9 first) (* 0.1 g)))
       (def square (+ (* 0.95 second) (* 0.05 g g)))
       (update w (- w (* 1e-3 (+ (/ (* 2.0 mean) (+ (sqrt (* 3.0 square)) 1e-8)) (* 0.1 w)))) [0 0])
       (update first mean [0 0])
       (update second square [0 0]))
     (defn ~(symbol (str "embed-" n "x" c)) [(: table (inout (tensor ~v ~c f32))) (: words (tensor ~n i32))
                                             (: rows (tensor ~n ~c bf16))]
       (update table (add-at table words rows) [0 0]))))
(def-updates 32768 768 50304)
(def-updates 128 64 160)

(defmacro adamw-case [v c]
  (let [step (symbol (str "adamw-" v "x" c))]
    `(with-tensors [[new-w f32 ~v ~c 1] [new-first f32 ~v ~c 2] [new-second f32 ~v ~c 3] [g f32 ~v ~c 4]]
       (def w (* 0.5 (load new-w)))
       (def first (* 0.5 (load new-first)))
       (def second (abs (load new-second)))
       (measure-do ~(str "AdamW " v "x" c) 20 (~step w first second (load g)))
       (def w-once (* 0.5 (load new-w)))
       (def first-once (* 0.5 (load new-first)))
       (def second-once (abs (load new-second)))
       (~step w-once first-once second-once (load g))
       (store w-once new-w)
       (store first-once new-first)
       (store second-once new-second)
       (largest-error [e i ~v j ~c]
         (def old (* 0.5 (device-time/noise i j 1)))
         (def mean (+ (* 0.45 (device-time/noise i j 2)) (* 0.1 (memref.load g i j))))
         (def square (+ (* 0.95 (abs (device-time/noise i j 3))) (* 0.05 (memref.load g i j) (memref.load g i j))))
         (def new (- old (* 1e-3 (+ (/ (* 2.0 mean) (+ (sqrt (* 3.0 square)) 1e-8)) (* 0.1 old)))))
         (max (cases/difference new (memref.load new-w i j)) (cases/difference mean (memref.load new-first i j))
              (cases/difference square (memref.load new-second i j)))))))

;; The gradient of an embedding of v words, of n words of a text; `apart`: all are different, else there are few.
(defmacro embedding-case [n c v apart]
  (let [word (fn [i] (if apart `(% (* 7919 ~i) ~v) `(% (* 31 (% (* ~i ~i) 977)) ~v)))
        embed (symbol (str "embed-" n "x" c))]
    `(with-tensors [[rows bf16 ~n ~c 1] [table f32 ~v ~c 2]]
       (let [words (device-alloc ~(symbol (str "memref<" n "xi32>")) [])]
         (parallel [i ~n] (memref.store (cast i32 ~(word `i)) words i))
         (measure-do ~(str "embedding's gradient, " (if apart "words apart " "few words ") n "x" c) 20
                     (~embed table (load words) (load rows)))
         (parallel [i ~v j ~c] (memref.store 0.0 table i j))
         (~embed table (load words) (load rows))
         (largest-error [e i ~n j ~c]
           (def word (cast index (memref.load words i)))
           (def total (fold [s (: 0.0 f32)] [k 0 ~n]
             (+ s (if (= (cast index (memref.load words k)) word) (cast f32 (memref.load rows k j)) 0.0))))
           (cases/difference total (memref.load table word j)))
         (device-free! words)))))

;; --- products -----------------------------------------------------------------

(defmacro weight-gradient-case [o i n]
  `(with-tensors [[dy bf16 ~n ~o 1] [x bf16 ~n ~i 2] [dw f32 ~o ~i 3]]
     (measure ~(str "weight gradient " o " " i " " n) 20 (einsum "no,ni->oi" (load dy) (load x) :out f32) dw)
     (largest-error [e a ~o b ~i]
       (cases/difference (fold [s (: 0.0 f32)] [k 0 ~n]
                           (+ s (* (cast f32 (memref.load dy k a)) (cast f32 (memref.load x k b)))))
                         (memref.load dw a b)))))

(defn gelu-backward [dy x]
  (def u (cast f32 x))
  (def s (/ 1.0 (+ 1.0 (exp (* -1.5957691216057308 (+ u (* 0.044715 u u u)))))))
  (* dy (+ s (* u s (- 1.0 s) 1.5957691216057308 (+ 1.0 (* 0.134145 u u))))))

;; The gradient of a product's input, alone and with the derivative of GELU at another tensor's elements.
(defmacro input-gradient-case [n i o]
  `(with-tensors [[dy bf16 ~n ~o 1] [w bf16 ~o ~i 2] [u bf16 ~n ~i 3] [dx bf16 ~n ~i 4]]
     (measure ~(str "input gradient " n " " i " " o) 20
              (cast bf16 (einsum "no,oi->ni" (load dy) (load w) :out f32)) dx)
     (measure ~(str "input gradient with GELU's derivative " n " " i " " o) 20
              (cast bf16 (gelu-backward (einsum "no,oi->ni" (load dy) (load w) :out f32) (load u))) dx)
     (largest-error [e a ~n b ~i]
       (def total (fold [s (: 0.0 f32)] [k 0 ~o]
         (+ s (* (cast f32 (memref.load dy a k)) (cast f32 (memref.load w k b))))))
       (cases/difference (gelu-backward total (memref.load u a b)) (cast f32 (memref.load dx a b))))))

;; Products of a batch of matrices, as they are and transposed; both are stored as matrices below each other.
(defmacro batch-case [h m]
  `(with-tensors [[a bf16 ~(* h m) ~m 1] [b bf16 ~(* h m) ~m 2] [y bf16 ~(* h m) ~m 3]]
     ~@(map (fn [transposed]
              `(do
                 (measure ~(str "bmm " (if transposed "with [0 2 1] " "") h " " m " " m) 20
                   (let [p (cast bf16 (einsum "hmk,hkn->hmn" (reshape (load a) [~h ~m ~m]) (reshape (load b) [~h ~m ~m])
                                              :out f32))]
                     (reshape ~(if transposed `(transpose p [0 2 1]) `p) [~(* h m) ~m]))
                   y)
                 (largest-error [e i ~(* h m) j ~m]
                   (def first (* ~m (/ i ~m)))
                   (def [row column] ~(if transposed `[(+ first j) (% i ~m)] `[i j]))
                   (cases/difference
                     (fold [s (: 0.0 f32)] [k 0 ~m]
                       (+ s (* (cast f32 (memref.load a row k)) (cast f32 (memref.load b (+ first k) column)))))
                     (cast f32 (memref.load y i j))))))
            [false true])
     (measure ~(str "transposition [0 2 1] " h " " m " " m) 20
              (reshape (transpose (reshape (load a) [~h ~m ~m]) [0 2 1]) [~(* h m) ~m]) y)))

;; Scores of attention, of heads of k: products of one step, which are bound by storing their results.
(defmacro scores-case [h m k]
  `(with-tensors [[a bf16 ~(* h m) ~k 1] [b bf16 ~(* h m) ~k 2] [y bf16 ~(* h m) ~m 3]]
     (measure ~(str "scores " h " " m " " m " " k) 20
       (reshape (cast bf16 (einsum "hmk,hnk->hmn" (reshape (load a) [~h ~m ~k]) (reshape (load b) [~h ~m ~k]) :out f32))
                [~(* h m) ~m])
       y)
     (largest-error [e i ~(* h m) j ~m]
       (def other (+ j (* ~m (/ i ~m))))
       (cases/difference
         (fold [s (: 0.0 f32)] [n 0 ~k] (+ s (* (cast f32 (memref.load a i n)) (cast f32 (memref.load b other n)))))
         (cast f32 (memref.load y i j))))))

;; --- attention ----------------------------------------------------------------

(defn causal [x (: b index) (: t index) (: h index) (: d index)]
  (def [q k v] (split x 3 :axis 1))
  (def seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)))
  (def s (where seen (/ (einsum "bthd,bshd->bhts" (reshape q [b t h d]) (reshape k [b t h d]) :out f32)
                        (sqrt (cast f32 d))) -inf))
  (reshape (cast bf16 (einsum "bhts,bshd->bthd" (cast bf16 (softmax s)) (reshape v [b t h d]) :out f32))
           [(* b t) (* h d)]))

(defmacro packed-attention-case [b t h d]
  (let [[n c] [(* b t) (* h d)]]
    `(with-tensors [[x bf16 ~n ~(* 3 c) 1] [y bf16 ~n ~c 2]]
       (measure ~(str "causal attention of packed heads " b " " t " " h " " d) 20 (causal (load x) ~b ~t ~h ~d) y)
       (largest-error [e i ~n j ~c]
         (def first (* ~t (/ i ~t)))
         (def head (* ~d (/ j ~d)))
         (def [z total] (fold [z (: 0.0 f32) total (: 0.0 f32)] [s first (+ i 1)]
           (def score (fold [a (: 0.0 f32)] [k head (+ head ~d)]
             (+ a (* (cast f32 (memref.load x i k)) (cast f32 (memref.load x s (+ ~c k)))))))
           (def p (exp (/ score (sqrt (cast f32 (: ~d index))))))
           [(+ z p) (+ total (* p (cast f32 (memref.load x s (+ ~(* 2 c) j)))))]))
         (cases/difference (/ total z) (cast f32 (memref.load y i j)))))))

(defn attended [q k v (: h index) (: t index) (: d index)]
  (def s (/ (einsum "htd,hsd->hts" (reshape q [h t d]) (reshape k [h t d]) :out f32) (sqrt (cast f32 d))))
  (reshape (cast bf16 (einsum "hts,hsd->htd" (cast bf16 (softmax s)) (reshape v [h t d]) :out f32)) [(* h t) d]))

(defmacro attention-case [h t d]
  `(with-tensors [[q bf16 ~(* h t) ~d 1] [k bf16 ~(* h t) ~d 2] [v bf16 ~(* h t) ~d 3] [y bf16 ~(* h t) ~d 4]]
     (measure ~(str "attention without mask " h " " t " " d) 20 (attended (load q) (load k) (load v) ~h ~t ~d) y)
     (largest-error [e i ~(* h t) j ~d]
       (def first (* ~t (/ i ~t)))
       (def [z total] (fold [z (: 0.0 f32) total (: 0.0 f32)] [s first (+ first ~t)]
         (def score (fold [a (: 0.0 f32)] [l 0 ~d]
           (+ a (* (cast f32 (memref.load q i l)) (cast f32 (memref.load k s l))))))
         (def p (exp (/ score (sqrt (cast f32 (: ~d index))))))
         [(+ z p) (+ total (* p (cast f32 (memref.load v s j))))]))
       (cases/difference (/ total z) (cast f32 (memref.load y i j))))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def wanted (options/wanted (cstring "gpu or small") (options/word count words (: 0 i64))))
  (on "gpu"
    (copy-case 65536 768)
    (norm-backward-case 32768 768)
    (column-sums-case 32768 768)
    (column-sums-case 32768 2304)
    (column-sums-case 32768 3072)
    (classifier-case 32768 50304)
    (adamw-case 50304 768)
    (embedding-case 32768 768 50304 true)
    (embedding-case 32768 768 50304 false)
    (weight-gradient-case 768 768 32768)
    (weight-gradient-case 2304 768 32768)
    (weight-gradient-case 3072 768 32768)
    (weight-gradient-case 768 3072 32768)
    (input-gradient-case 32768 3072 768)
    (batch-case 64 512)
    (scores-case 192 1024 64)
    (packed-attention-case 32 1024 12 64)
    (packed-attention-case 2 4096 16 128)
    (attention-case 192 1024 64)
    (attention-case 16 4096 128))
  (on "small"
    (norm-backward-case 96 64)
    (column-sums-case 320 96)
    (classifier-case 32 160)
    (adamw-case 160 64)
    (embedding-case 128 64 160 true)
    (embedding-case 128 64 160 false)
    (weight-gradient-case 64 96 128)
    (input-gradient-case 128 96 64)
    (batch-case 3 64)
    (scores-case 3 64 32)
    (packed-attention-case 2 64 2 32)
    (attention-case 3 64 32)))
