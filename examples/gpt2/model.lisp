;;; model.lisp - GPT-2's forward pass, over the weights of a checkpoint.
;;;
;;; Letters: T tokens of this pass, C channels, V vocabulary, P positions of the cache, H heads, D = C / H.
;;; Every tensor is a pointer, viewed as a memref of the shape that the model's files give (weights.lisp), so one
;;; program supports all sizes. On a GPU the pointers are to device memory.

(require-dialect nn linalg memref arith llvm)
(require ["./weights.lisp" :as weights])
(require-macros "./weights.lisp")

;; The address of a memref's first element.
(defmacro address [m]
  `(llvm.inttoptr {:result !llvm.ptr}
     (arith.index_cast {:result i64} (memref.extract_aligned_pointer_as_index ~m))))

;; Allocates `count` elements in the memory of the kernels' device.
(defmacro allocate [element count]
  `(address (device-alloc ~(str "memref<?x" element ">") [(cast index ~count)])))

(defstruct Gpt2
  [host !llvm.ptr]         ; Weights, as read from the files
  [weights !llvm.ptr]      ; the block of weights in the memory of the kernels' device
  [layers i64] [heads i64] [channels i64] [positions i64] [vocabulary i64]
  [epsilon f32])

;; --- weights ----------------------------------------------------------------

(defn weight-pointer [(: gpt2 !llvm.ptr) (: kind i64) (: layer i64)] -> !llvm.ptr
  (ptr-at bf16 (Gpt2/weights gpt2) (weights/offset-of (Gpt2/host gpt2) kind layer)))

;; A weight as a vector or matrix of the given (index) sizes.
(defmacro weight-vector [gpt2 kind layer n]
  `(ptr->memref memref<?xbf16> (weight-pointer ~gpt2 (weight-kind ~kind) ~layer) [~n]))
(defmacro weight-matrix [gpt2 kind layer n k]
  `(ptr->memref memref<?x?xbf16> (weight-pointer ~gpt2 (weight-kind ~kind) ~layer) [~n ~k]))

;; --- loading ----------------------------------------------------------------

(defn drop-key-biases [(: gpt2 !llvm.ptr)]
  "A bias of the keys adds the same to all scores of a query, which softmax does not see; but it is large in some
channels, and keys without it lose less when they are rounded."
  (for [layer 0 (cast index (Gpt2/layers gpt2))]
    (def biases (weight-pointer gpt2 (weight-kind :qkv-bias) (cast i64 layer)))
    (linalg.fill (: 0.0 bf16)
                 (ptr->memref memref<?xbf16> (ptr-at bf16 biases (Gpt2/channels gpt2))
                   [(cast index (Gpt2/channels gpt2))]))))

(defn load-gpt2 [(: host !llvm.ptr)] -> !llvm.ptr
  "The model of weights that have been read, which may go to a device."
  (def block (ptr->memref memref<?xbf16> (Weights/block host) [(cast index (Weights/elements host))]))
  (def gpt2
    (new Gpt2 host (address (to-device block))
         (Weights/layers host) (Weights/heads host) (Weights/channels host)
         (Weights/positions host) (Weights/vocabulary host) (Weights/epsilon host)))
  (drop-key-biases gpt2)
  gpt2)

;; --- the pass ---------------------------------------------------------------

;; The activations of a pass over `rows` tokens. The residual stream and its layer norm are f32 whatever the element
;; type of the others: a few channels of a normalised row are large, and rounding them would cause most of the error.
(defstruct Work
  [rows i64]
  [stream !llvm.ptr]    ; [T,C] f32
  [normed !llvm.ptr]    ; [T,C] f32
  [qkv !llvm.ptr]       ; [T,3C]
  [mixed !llvm.ptr]     ; [T,C]
  [hidden !llvm.ptr])   ; [T,4C]

;; Keys and values of all layers, each layer [H,P,D].
(defstruct Cache [keys !llvm.ptr] [values !llvm.ptr] [positions i64])

;; One third of each row of [T,3,H,D], as [T,H,D].
(defmacro third-of [thirds i t h d]
  `(memref.subview {:drop-unit-dims true} ~thirds [0 ~i 0 0] [~t 1 ~h ~d] [1 1 1 1]))

;; Defines new-work-E, new-cache-E and forward-E for the activation type E.
(defmacro def-gpt2 [E]
  (let [name (fn [base] (symbol (str base "-" E)))
        matrix (str "memref<?x?x" E ">")
        cube (str "memref<?x?x?x" E ">")]
    `(do
       (defn ~(name "new-work") [(: gpt2 !llvm.ptr) (: rows i64)] -> !llvm.ptr
         (def n (* rows (Gpt2/channels gpt2)))
         (new Work rows (allocate f32 n) (allocate f32 n) (allocate ~E (* n (: 3 i64))) (allocate ~E n)
              (allocate ~E (* n (: 4 i64)))))

       (defn ~(name "new-cache") [(: gpt2 !llvm.ptr) (: positions i64)] -> !llvm.ptr
         (def n (* (Gpt2/layers gpt2) (* positions (Gpt2/channels gpt2))))
         (new Cache (allocate ~E n) (allocate ~E n) positions))

       ;; Computes the logits after `tokens` (V f32 numbers at `logits`); the first token is at `position` of the text.
       (defn ~(name "forward") [(: gpt2 !llvm.ptr) (: work !llvm.ptr) (: cache !llvm.ptr)
                                (: tokens memref<?xi32>) (: position memref<1xi32>) (: logits !llvm.ptr)]
         (def t (cast index (Work/rows work)))
         (def c (cast index (Gpt2/channels gpt2)))
         (def c3 (* c 3))
         (def c4 (* c 4))
         (def v (cast index (Gpt2/vocabulary gpt2)))
         (def h (cast index (Gpt2/heads gpt2)))
         (def d (/ c h))
         (def p (cast index (Cache/positions cache)))
         (def none (: 0 i64))
         (def epsilon (Gpt2/epsilon gpt2))
         (def stream (ptr->memref memref<?x?xf32> (Work/stream work) [t c]))
         (def normed (ptr->memref memref<?x?xf32> (Work/normed work) [t c]))
         (def qkv (ptr->memref ~matrix (Work/qkv work) [t c3]))
         ;; The same as heads: a row of qkv is q, k and v one after the other, each C = H * D.
         (def thirds (ptr->memref ~(str "memref<?x3x?x?x" E ">") (Work/qkv work) [t h d]))
         (def queries (third-of thirds 0 t h d))
         (def new-keys (third-of thirds 1 t h d))
         (def new-values (third-of thirds 2 t h d))
         (def mixed (ptr->memref ~matrix (Work/mixed work) [t c]))
         (def mixed-heads (ptr->memref ~cube (Work/mixed work) [t h d]))
         (def hidden (ptr->memref ~matrix (Work/hidden work) [t c4]))

         (nn.embedding tokens (weight-matrix gpt2 :token-embedding none v c)
                       (weight-matrix gpt2 :position-embedding none (cast index (Gpt2/positions gpt2)) c)
                       position stream)
         (for [i 0 (cast index (Gpt2/layers gpt2))]
           (def layer (cast i64 i))
           (def past (* layer (* (Cache/positions cache) (Gpt2/channels gpt2))))
           (def keys (ptr->memref ~cube (ptr-at ~E (Cache/keys cache) past) [h p d]))
           (def values (ptr->memref ~cube (ptr-at ~E (Cache/values cache) past) [h p d]))
           ;; stream = stream + attention(norm(stream))
           (nn.norm_linear {:constant_weights true}
                           stream (weight-vector gpt2 :norm1-weight layer c) (weight-vector gpt2 :norm1-bias layer c)
                           epsilon normed
                           (weight-matrix gpt2 :qkv-weight layer c3 c) [(weight-vector gpt2 :qkv-bias layer c3)] []
                           qkv)
           (nn.attention queries new-keys new-values keys values position mixed-heads)
           (nn.linear {:constant_weights true}
                      mixed (weight-matrix gpt2 :attention-weight layer c c)
                      [(weight-vector gpt2 :attention-bias layer c)] [stream] stream)
           ;; stream = stream + contract(gelu(expand(norm(stream))))
           (nn.norm_linear {:activation "gelu_tanh" :constant_weights true}
                           stream (weight-vector gpt2 :norm2-weight layer c) (weight-vector gpt2 :norm2-bias layer c)
                           epsilon normed
                           (weight-matrix gpt2 :expand-weight layer c4 c) [(weight-vector gpt2 :expand-bias layer c4)]
                           []
                           hidden)
           (nn.linear {:constant_weights true}
                      hidden (weight-matrix gpt2 :contract-weight layer c c4)
                      [(weight-vector gpt2 :contract-bias layer c)] [stream] stream))

         ;; Compute only the last token's logits.
         (def last-row (* (- (Work/rows work) (: 1 i64)) (Gpt2/channels gpt2)))
         (def last (ptr->memref memref<1x?xf32> (ptr-at f32 (Work/stream work) last-row) [c]))
         ;; A static size of one row selects the kernel for one row.
         (nn.norm_linear {:constant_weights true}
                         last (weight-vector gpt2 :final-norm-weight none c)
                         (weight-vector gpt2 :final-norm-bias none c)
                         epsilon (ptr->memref memref<1x?xf32> (Work/normed work) [c])
                         (weight-matrix gpt2 :output-weight none v c) [] []
                         (ptr->memref memref<1x?xf32> logits [v]))))))

(def-gpt2 f32)
(def-gpt2 bf16)
