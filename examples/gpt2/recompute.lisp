;;; recompute.lisp - GPT-2 with explicit kernels and no cache: each token recomputes a window of 64 tokens.
;;;
;;;   build/bin/lispier run examples/gpt2/recompute.lisp -- "Once upon a time"
;;;   build/bin/lispier run --target=cuda examples/gpt2/recompute.lisp -- "Once upon a time" models/gpt2
;;;
;;; Arguments: a prompt, a model (default, or "": the bundled one), the number of tokens to generate (default 20).
;;; Read this first, then gpt2.lisp, which generates the same tokens many times faster with a cache of keys and values.
;;; This program uses no nn ops. A step is a kernel (gpu.launch with shuffles between lanes), a product (linalg.matmul)
;;; or a parallel loop, on memory that the host allocates and registers with the device, so that it can read the logits.
;;;
;;; Letters: T = 64 tokens of the window, L layers, C channels, H heads, D = C / H = 64 of a head, V vocabulary.
;;; First experiments: another activation instead of gelu; another window size (64 in every type and loop).

(require-dialect gpu linalg memref math arith llvm)
(require ["./options.lisp" :as options] ["./weights.lisp" :as weights])
(require-macros "./options.lisp" "./weights.lisp")

(extern-fn lispier_tokenizer_encode (-> [!llvm.ptr !llvm.ptr i64] [i64]))
(extern-fn lispier_tokenizer_ids (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn lispier_tokenizer_push (-> [!llvm.ptr i32] [i64]))
(extern-fn lispier_tokenizer_text (-> [!llvm.ptr] [!llvm.ptr]))
(extern-fn strlen (-> [!llvm.ptr] [i64]))

;; --- warps ------------------------------------------------------------------

;; A kernel with one warp of 32 lanes per row, in which `row` and `lane` name the indices. The other ten of the twelve
;; values that gpu.launch gives a thread (indices and sizes in three dimensions) are unused.
(defmacro with-warps [row rows lane & body]
  `(gpu.launch ~rows (: 1 index) (: 1 index) (: 32 index) (: 1 index) (: 1 index)
     (region (block [~row _by _bz ~lane _ty _tz _gx _gy _gz _bdx _bdy _bdz]
       ~@body))))

;; Combines the values of all 32 lanes; every lane gets the result. Butterfly with lane distances 16, 8, 4, 2 and 1.
(defmacro across-lanes [combine value]
  (reduce (fn [v distance] `(let [v# ~v] (~combine v# (gpu.shuffle {:mode xor} v# (: ~distance i32) (: 32 i32)))))
          value (list 16 8 4 2 1)))

;; --- the steps of a layer ---------------------------------------------------

(defn embed [(: ids memref<64xi32>) (: wte "memref<?x?xbf16, strided<[?, 1], offset: ?>>")
             (: wpe "memref<?x?xbf16, strided<[?, 1], offset: ?>>") (: x memref<64x?xf32>)]
  "x[t,c] = wte[ids[t],c] + wpe[t,c]: x is (T,C), wte (V,C), wpe (positions,C)."
  (def C (memref.dim x 1))
  (with-warps t (: 64 index) lane
    (def id (cast index (memref.load ids t)))
    (for [c lane C 32]
      (memref.store (+ (cast f32 (memref.load wte id c)) (cast f32 (memref.load wpe t c))) x t c))))

(defn layernorm [(: x memref<64x?xf32>) (: weight "memref<?xbf16, strided<[1], offset: ?>>")
                 (: bias "memref<?xbf16, strided<[1], offset: ?>>") (: y memref<64x?xf32>) (: epsilon f32)]
  "y[t,:] = (x[t,:] - mean) / sqrt(variance + epsilon) * weight + bias: x and y are (T,C), weight and bias (C)."
  (def C (memref.dim x 1))
  (with-warps t (: 64 index) lane
    (def each (/ (: 1.0 f32) (cast f32 C)))
    (def mean (* each (across-lanes arith.addf
      (fold [sum (: 0.0 f32)] [c lane C 32] (+ sum (memref.load x t c))))))
    (def variance (* each (across-lanes arith.addf
      (fold [sum (: 0.0 f32)] [c lane C 32]
        (def d (- (memref.load x t c) mean))
        (+ sum (* d d))))))
    (def scale (math.rsqrt (+ variance epsilon)))
    (for [c lane C 32]
      (def normal (* (- (memref.load x t c) mean) scale))
      (memref.store (+ (* normal (cast f32 (memref.load weight c))) (cast f32 (memref.load bias c))) y t c))))

(defn matmul [(: x memref<64x?xf32>) (: w "memref<?x?xbf16, strided<[?, 1], offset: ?>>")
              (: bias "memref<?xbf16, strided<[1], offset: ?>>") (: y memref<64x?xf32>)]
  "y[t,n] = bias[n] + sum over k of x[t,k] w[n,k]: x is (T,K), w (N,K), y (T,N)."
  (linalg.generic {:ins 1 :outs 1
                   :indexing_maps [affine_map<(t, n) -> (n)> affine_map<(t, n) -> (t, n)>]
                   :iterator_types ["parallel" "parallel"]}
    bias y
    (region (block [(: b bf16) (: _y f32)] (linalg.yield (cast f32 b)))))
  (linalg.matmul {:indexing_maps [affine_map<(t, n, k) -> (t, k)> affine_map<(t, n, k) -> (n, k)>
                                  affine_map<(t, n, k) -> (t, n)>]}
    x w y))

(defn split-heads [(: qkv memref<64x?xf32>)
                   (: q memref<?x64x64xf32>) (: k memref<?x64x64xf32>) (: v memref<?x64x64xf32>)]
  "A row of qkv is q, k and v one after the other, each (C) = (H,D). q and v become (H,T,D), k (H,D,T)."
  (def H (memref.dim q 0))
  (def C (* H 64))
  (parallel [h H t 64 d 64]
    (def c (+ (* h 64) d))
    (memref.store (memref.load qkv t c) q h t d)
    (memref.store (memref.load qkv t (+ C c)) k h d t)
    (memref.store (memref.load qkv t (+ (* C 2) c)) v h t d)))

(defn softmax [(: scores memref<?x64x64xf32>)]
  "Each scores[h,t,:] becomes weights that sum up to 1. A token sees itself and what is before it: 0 behind t."
  (def H (memref.dim scores 0))
  (with-warps row (* H 64) lane
    (def h (/ row 64))
    (def t (% row 64))
    (def end (+ t 1))
    (def scale (: 0.125 f32)) ; 1 / sqrt(D)
    (def highest (across-lanes arith.maximumf
      (fold [m (: -1e30 f32)] [i lane end 32] (max m (* scale (memref.load scores h t i))))))
    (def sum (across-lanes arith.addf
      (fold [sum (: 0.0 f32)] [i lane end 32]
        (def e (math.exp (- (* scale (memref.load scores h t i)) highest)))
        (memref.store e scores h t i)
        (+ sum e))))
    (for [i lane 64 32]
      (memref.store (if (< i end) (/ (memref.load scores h t i) sum) (: 0.0 f32)) scores h t i))))

(defn attention [(: q memref<?x64x64xf32>) (: k memref<?x64x64xf32>) (: v memref<?x64x64xf32>)
                 (: scores memref<?x64x64xf32>) (: mixed memref<?x64x64xf32>) (: y memref<64x?xf32>)]
  "Per head: scores = q k, (T,D) x (D,T); mixed = softmax(scores) v, (T,T) x (T,D). y is (T,C) again."
  (linalg.fill (: 0.0 f32) scores)
  (linalg.batch_matmul q k scores)
  (softmax scores)
  (linalg.fill (: 0.0 f32) mixed)
  (linalg.batch_matmul scores v mixed)
  (parallel [t 64 h (memref.dim q 0) d 64]
    (memref.store (memref.load mixed h t d) y t (+ (* h 64) d))))

(defn gelu [(: x memref<64x?xf32>)]
  "x = x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), in place: x is (T,4C)."
  (def columns (memref.dim x 1))
  (with-warps t (: 64 index) lane
    (for [c lane columns 32]
      (def v (memref.load x t c))
      (def inner (* (: 0.7978845608 f32) (+ v (* (: 0.044715 f32) (* v (* v v))))))
      (memref.store (* (* (: 0.5 f32) v) (+ (: 1.0 f32) (math.tanh inner))) x t c))))

(defn likeliest [(: logits memref<?xf32>)] -> i32
  "The host's part: which of the (V) logits is the largest."
  (def [_ best]
    (fold [highest (: -1e30 f32) best (: 0 index)] [i 0 (memref.dim logits 0)]
      (def v (memref.load logits i))
      (def higher (> v highest))
      [(arith.select higher v highest) (arith.select higher i best)]))
  (cast i32 best))

;; --- weights ----------------------------------------------------------------

;; All weights are in one block of BF16 numbers. A weight is a view of it, a vector (N) or a matrix (N,K).
(defmacro vector-of [kind layer n]
  `(memref.subview weights [(cast index (weights/offset-of host (weight-kind ~kind) ~layer))] [~n] [1]))
(defmacro matrix-of [kind layer n k]
  `(memref.reinterpret_cast {:result "memref<?x?xbf16, strided<[?, 1], offset: ?>>"}
     weights [(cast index (weights/offset-of host (weight-kind ~kind) ~layer))] [~n ~k] [~k 1]))

;; Memory that both the host and the device access.
(defmacro registered [element shape sizes]
  `(let [m (memref.alloc {:result ~(symbol (str "memref<" shape element ">"))} ~@sizes)]
     (gpu.host_register (memref.cast {:result ~(symbol (str "memref<*x" element ">"))} m))
     m))

;; --- the program ------------------------------------------------------------

(defn generate [(: host !llvm.ptr) (: tokenizer !llvm.ptr) (: ids memref<64xi32>) (: prompt index) (: end index)]
  "Continues the first `prompt` of `ids` up to `end`, or up to the end of the text."
  (def L (cast index (Weights/layers host)))
  (def H (cast index (Weights/heads host)))
  (def C (cast index (Weights/channels host)))
  (def V (cast index (Weights/vocabulary host)))
  (def epsilon (Weights/epsilon host))
  (def none (: 0 i64)) ; the layer index of weights that belong to no layer
  (def elements (cast index (Weights/elements host)))
  (def weights (ptr->memref memref<?xbf16> (Weights/block host) [elements]))
  (gpu.host_register (memref.cast {:result memref<*xbf16>} weights))
  (gpu.host_register (memref.cast {:result memref<*xi32>} ids))

  (def x (registered f32 "64x?x" [C]))              ; (T,C), the residual stream
  (def normed (registered f32 "64x?x" [C]))         ; (T,C)
  (def qkv (registered f32 "64x?x" [(* C 3)]))      ; (T,3C)
  (def q (registered f32 "?x64x64x" [H]))           ; (H,T,D)
  (def k (registered f32 "?x64x64x" [H]))           ; (H,D,T)
  (def v (registered f32 "?x64x64x" [H]))           ; (H,T,D)
  (def scores (registered f32 "?x64x64x" [H]))      ; (H,T,T)
  (def mixed (registered f32 "?x64x64x" [H]))       ; (H,T,D)
  (def added (registered f32 "64x?x" [C]))          ; (T,C), the output of attention or MLP, added to x
  (def hidden (registered f32 "64x?x" [(* C 4)]))   ; (T,4C)
  (def logits (registered f32 "?x" [V]))            ; (V)

  (def start (options/seconds))
  (def [stop _]
    (loop [n prompt going (: 1 i1)] :while (and going (< n end))
      :do (do
        (embed ids (matrix-of :token-embedding none V C)
               (matrix-of :position-embedding none (cast index (Weights/positions host)) C) x)
        (for [i 0 L]
          (def layer (cast i64 i))
          ;; x = x + project(attention(norm(x)))
          (layernorm x (vector-of :norm1-weight layer C) (vector-of :norm1-bias layer C) normed epsilon)
          (matmul normed (matrix-of :qkv-weight layer (* C 3) C) (vector-of :qkv-bias layer (* C 3)) qkv)
          (split-heads qkv q k v)
          (attention q k v scores mixed normed)
          (matmul normed (matrix-of :attention-weight layer C C) (vector-of :attention-bias layer C) added)
          (linalg.add x added x)
          ;; x = x + contract(gelu(expand(norm(x))))
          (layernorm x (vector-of :norm2-weight layer C) (vector-of :norm2-bias layer C) normed epsilon)
          (matmul normed (matrix-of :expand-weight layer (* C 4) C) (vector-of :expand-bias layer (* C 4)) hidden)
          (gelu hidden)
          (matmul hidden (matrix-of :contract-weight layer C (* C 4)) (vector-of :contract-bias layer C) added)
          (linalg.add x added x))
        (layernorm x (vector-of :final-norm-weight none C) (vector-of :final-norm-bias none C) normed epsilon)
        ;; The next token's logits: the row of the last token (C) times the output weights (V,C).
        (linalg.fill (: 0.0 f32) logits)
        (linalg.matvec (matrix-of :output-weight none V C)
                       (memref.subview {:drop-unit-dims true} normed [(- n 1) 0] [1 C] [1 1]) logits)
        (def id (likeliest logits))
        (if (< (math.absf (memref.load logits (cast index id))) (: inf f32))
            (do)
            (die "the logits are not finite: there are NaNs or infinities in the model's weights"))
        (memref.store id ids n)
        (def bytes (lispier_tokenizer_push tokenizer id))
        (options/write-text (lispier_tokenizer_text tokenizer) bytes)
        [(+ n 1) (!= id (Weights/end-of-text host))])))
  (options/write-text (cstring "\n") (: 1 i64))
  (def made (- stop prompt))
  (dprintf (: 2 i32) (cstring "%ld tokens, %.1f ms each\n") (cast i64 made)
           (/ (* (- (options/seconds) start) (: 1000.0 f64)) (cast f64 made))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def text (if (< count (: 1 i64)) (cstring "Once upon a time") (options/word count words (: 0 i64))))
  (def new
    (if (< count (: 3 i64))
        (: 20 i64)
        (options/read-integer (cstring "the number of tokens") (options/word count words (: 2 i64))
                              (: 1 i64) (: 63 i64))))
  (def named (if (< count (: 2 i64)) (cstring "") (options/word count words (: 1 i64))))
  (def host (weights/open-weights (if (= (strlen named) (: 0 i64)) (source-path "mini") named)))
  (when (!= (Weights/channels host) (* (Weights/heads host) (: 64 i64)))
    (die "the kernels here are for heads of 64 channels, but this model has %ld heads in %ld channels"
         (Weights/heads host) (Weights/channels host)))
  (def tokenizer (weights/open-tokenizer host (null-ptr)))
  (weights/close-files host)

  (def ids (memref.alloc {:result memref<64xi32>}))
  (linalg.fill (: 0 i32) ids) ; positions after the last token are computed too, but causal attention ignores them
  (def prompt (lispier_tokenizer_encode tokenizer text (strlen text)))
  (when (or (< prompt (: 1 i64)) (> (+ prompt new) (: 64 i64)))
    (die "the prompt has %ld tokens; it wants at least one, and with %ld new ones at most the 64 of the window"
         prompt new))
  (def given (lispier_tokenizer_ids tokenizer))
  (for [t 0 (cast index prompt)]
    (memref.store (ptr-load i32 (ptr-at i32 given t)) ids t))
  (options/write-text text (strlen text))
  (generate host tokenizer ids (cast index prompt) (cast index (+ prompt new))))
