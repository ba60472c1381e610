;;; products.lisp - times of formulas with products; products gpu|cpu prints a line for each.
(require-dialect memref gpu)
(require ["./cases.lisp" :as cases] ["../bench_tiles/timing.lisp" :as timing]
         ["../../../examples/gpt2/options.lisp" :as options])
(require-macros "./cases.lisp" "../../../examples/kernels/device-time.lisp")

;; The result has the type of the factors, as that of the peer.
(defmacro product-case [element m n k]
  `(with-tensors [[a ~element ~m ~k 1] [b ~element ~n ~k 2] [c ~element ~m ~n 3]]
     (measure ~(str element " product " m " " n " " k) 20
              (cast ~element (einsum "mk,nk->mn" (load a) (load b) :out f32)) c)
     ~@(if (= (str element) "bf16")
           [`(println "  largest relative error %.1e"
                      (cases/product-error (any-size bf16 a) (any-size bf16 b) (any-size bf16 c)))]
           [])))

;; A product with bias and GELU in its epilogue, rounded to BF16 at its end.
(defmacro expand-case [m n k]
  `(with-tensors [[a bf16 ~m ~k 1] [b bf16 ~n ~k 2] [bias f32 1 ~n 3] [c bf16 ~m ~n 4]]
     (measure ~(str "product with bias and GELU " m " " n " " k) 20
              (cast bf16 (gelu (+ (einsum "mk,nk->mn" (load a) (load b) :out f32) (at (load bias) 0)))) c)))

(defn mlp [x w1 b1 w2] (einsum "th,ch->tc" (gelu (+ (einsum "tc,hc->th" x w1) b1)) w2))

(defmacro mlp-case [element t c h]
  `(with-tensors [[x ~element ~t ~c 1] [w1 ~element ~h ~c 2] [b1 ~element 1 ~h 3] [w2 ~element ~c ~h 4]
                  [b2 ~element 1 ~c 5] [y ~element ~t ~c 6]]
     (measure ~(str element " GELU MLP " t " " c " " h) 20
              (+ (mlp (load x) (load w1) (at (load b1) 0) (load w2)) (at (load b2) 0)) y)))

;; Causal attention over heads, written in plain ops: lib/Prelude/tensor's.
(defmacro attention-case [element h t d]
  `(with-tensors [[q ~element ~(* h t) ~d 1] [k ~element ~(* h t) ~d 2] [v ~element ~(* h t) ~d 3]
                  [y ~element ~(* h t) ~d 4]]
     (measure ~(str element " attention " h " " t " " d) 20
              (cast ~element (reshape (attention (reshape (load q) [~h ~t ~d]) (reshape (load k) [~h ~t ~d])
                                                 (reshape (load v) [~h ~t ~d]))
                                      [~(* h t) ~d])) y)))

;; Attention that no hand-written kernel has: its scores have a bias and a soft cap.
(defn biased-attention [q k v b]
  (def scores (+ b (* 30.0 (tanh (/ (* 0.125 (einsum "htd,hsd->hts" q k :out f32)) 30.0)))))
  (cast bf16 (einsum "hts,hsd->htd" (cast bf16 (softmax scores)) v :out f32)))
(defmacro biased-attention-case [h t d]
  `(with-tensors [[q bf16 ~(* h t) ~d 1] [k bf16 ~(* h t) ~d 2] [v bf16 ~(* h t) ~d 3] [b f32 ~t ~t 4]
                  [y bf16 ~(* h t) ~d 5]]
     (measure ~(str "attention with bias and soft cap " h " " t " " d) 20
              (reshape (biased-attention (reshape (load q) [~h ~t ~d]) (reshape (load k) [~h ~t ~d])
                                         (reshape (load v) [~h ~t ~d]) (load b))
                       [~(* h t) ~d]) y)))

;; The same with a causal mask: half of the positions are not seen.
(defn causal-biased-attention [q k v b]
  (def scores (+ b (* 30.0 (tanh (/ (* 0.125 (einsum "htd,hsd->hts" q k :out f32)) 30.0)))))
  (def seen (<= (iota i32 [(dim k 1)]) (iota i32 [(dim q 1) 1] :axis 0)))
  (cast bf16 (einsum "hts,hsd->htd" (cast bf16 (softmax (where seen scores -inf))) v :out f32)))
(defmacro causal-biased-attention-case [h t d]
  `(with-tensors [[q bf16 ~(* h t) ~d 1] [k bf16 ~(* h t) ~d 2] [v bf16 ~(* h t) ~d 3] [b f32 ~t ~t 4]
                  [y bf16 ~(* h t) ~d 5]]
     (measure ~(str "causal attention with bias and soft cap " h " " t " " d) 20
              (reshape (causal-biased-attention (reshape (load q) [~h ~t ~d]) (reshape (load k) [~h ~t ~d])
                                                (reshape (load v) [~h ~t ~d]) (load b))
                       [~(* h t) ~d]) y)))

;; The first half of a gated MLP: a pair of products.
(defmacro pair-case [element m n k]
  `(with-tensors [[x ~element ~m ~k 1] [gate ~element ~n ~k 2] [up ~element ~n ~k 3] [y f32 ~m ~n 4]]
     (measure ~(str element " gated units " m " " n " " k) 20
              (* (silu (einsum "tk,nk->tn" (load x) (load gate) :out f32))
                 (einsum "tk,nk->tn" (load x) (load up) :out f32)) y)
     (println "  largest relative error %.1e"
              (~(symbol (str "cases/gated-error-" element))
               (any-size ~element x) (any-size ~element gate) (any-size ~element up) (any-size f32 y)))))

;; The first half of a gated MLP, for one token: two matrices are read.
(defmacro gated-case [c n]
  `(with-tensors [[x bf16 1 ~c 1] [gate bf16 ~n ~c 2] [up bf16 ~n ~c 3] [y bf16 1 ~n 4]]
     (def tokens (min 1 (cast index count))) ; As decoding: only the call knows that it is one.
     (def some (memref.subview x [0 0] [tokens ~c] [1 1]))
     (def result (memref.subview y [0 0] [tokens ~n] [1 1]))
     (measure ~(str "gated units of one token " n "x" c) 100
              (cast bf16 (* (silu (einsum "tk,nk->tn" (load some) (load gate) :out f32))
                            (einsum "tk,nk->tn" (load some) (load up) :out f32)))
              result)))

;; Queries, keys and values of one token from its normalised input, by weights that are apart, and by joined ones.
(defn normed [x g] (* x (rsqrt (+ (mean (* x x) :axis -1 :keep true) 1e-5)) (cast f32 g)))
(defmacro heads-case [c q kv]
  (let [all (+ q kv kv)]
    `(with-tensors [[x f32 1 ~c 1] [g bf16 1 ~c 2] [wq bf16 ~q ~c 3] [wk bf16 ~kv ~c 4] [wv bf16 ~kv ~c 5]
                    [joined bf16 ~all ~c 6] [yq f32 1 ~q 7] [yk f32 1 ~kv 8] [yv f32 1 ~kv 9] [y f32 1 ~all 10]]
       (def tokens (min 1 (cast index count))) ; As decoding: only the call knows that it is one.
       (def some (memref.subview x [0 0] [tokens ~c] [1 1]))
       ~@(map (fn [m] (let [[name whole n] m] `(def ~name (memref.subview ~whole [0 0] [tokens ~n] [1 1]))))
              [[`rows-q `yq q] [`rows-k `yk kv] [`rows-v `yv kv] [`rows `y all]])
       (measure-do ~(str "queries, keys, values of one token " all "x" c ", weights apart") 100
         (let [h (normed (load some) (at (load g) 0))]
           (store (einsum "tk,nk->tn" h (load wq) :out f32) rows-q)
           (store (einsum "tk,nk->tn" h (load wk) :out f32) rows-k)
           (store (einsum "tk,nk->tn" h (load wv) :out f32) rows-v)))
       (measure ~(str "queries, keys, values of one token " all "x" c ", joined") 100
                (einsum "tk,nk->tn" (normed (load some) (at (load g) 0)) (load joined) :out f32) rows))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def wanted (options/wanted (cstring "gpu or cpu") (options/word count words (: 0 i64))))
  (on "gpu"
    (product-case bf16 4096 4096 4096)
    (product-case bf16 8192 8192 8192)
    (product-case f32 4096 4096 4096)
    (product-case bf16 64 64 65536)
    (product-case f32 64 64 65536)
    (expand-case 1024 3072 768)
    (pair-case bf16 1024 5632 2048)
    (pair-case bf16 4096 14336 4096)
    (pair-case f32 1024 5632 2048)
    (mlp-case bf16 1024 768 3072)
    (attention-case bf16 96 1024 64)
    (biased-attention-case 96 1024 64)
    (causal-biased-attention-case 96 1024 64)
    (gated-case 2048 8192)
    (gated-case 8192 16384)
    (heads-case 2048 2048 512)
    (heads-case 576 576 192))
  (on "cpu"
    (product-case f32 1024 1024 1024)
    (product-case bf16 1024 1024 1024)
    (mlp-case f32 512 768 3072)
    (attention-case f32 12 512 64)))
