;; attention-operands.lisp - macros of all templates of nn.attention: their parameters, and which positions a token sees
;;
;; There is one template for ops without caches, which takes nothing else, and after it one for those with (`cached`),
;; so that neither kind has the other's code.

;; Defines T, H, D, G, how many heads of queries share a head of keys, and the scale for the body.
(defmacro with-attention-sizes [& body]
  `(do
     (def T (memref.dim q 0))
     (def H (memref.dim q 1))
     (def D (memref.dim q 2))
     (def G (memref.dim k 1))
     (def sharing (/ H (max G 1)))
     (def scale (if (< scale 0.0) (/ 1.0 (math.sqrt (cast f32 D))) scale)) ; An absent attribute is -1.
     ~@body))

;; A template whose body has these.
(defmacro attention-template [attributes cached A & body]
  (let [rows (str "memref<?x?x?x" A ", strided<[?, ?, 1], offset: ?>>")
        cache (if cached rows (str "memref<0x0x0x" A ">"))
        integers (fn [size] (str "memref<" size "xi32, strided<[1], offset: ?>>"))]
    `(deftemplate nn.attention ~attributes
       [(: q ~rows) (: k ~rows) (: v ~rows) (: key_cache ~cache) (: value_cache ~cache)
        (: position ~(integers (if cached 1 "?"))) (: window_size ~(integers "?")) (: out ~rows)]
       (with-attention-sizes ~@body))))

;; The position of the first token. On a GPU, only kernels can read it.
(defmacro first-position [cached]
  (if cached `(cast index (memref.load position 0))
    `(if (< 0 (memref.dim position 0)) (cast index (memref.load position 0)) (: 0 index))))

;; k or v, whose rows are tokens, as heads of rows like a cache.
(defmacro heads-of-rows [A rows]
  `(memref.transpose {:permutation "affine_map<(t, h, d) -> (h, t, d)>"
                      :result ~(str "memref<?x?x?x" A ", strided<[?, ?, 1], offset: ?>>")} ~rows))

;; The number of positions, given that of the first token, o.
(defmacro position-count [cached] (if cached `(+ o T) `(memref.dim k 0)))

(defmacro mask-number [name] (first (first (filter (fn [mask] (= (str (nth mask 1)) name)) (masks)))))
(defmacro causal? [] `(= mask (mask-number "causal")))
;; How many positions a token sees at most, if there is a window. On a GPU, only kernels can read window_size.
(defmacro window-in-memory? [] `(< 0 (memref.dim window_size 0)))
(defmacro has-window? [] `(arith.ori (> window 0) (window-in-memory?)))
(defmacro window-length []
  `(if (window-in-memory?) (cast index (memref.load window_size 0)) (cast index window)))

;; The first position that token t sees, and the one after the last; L: the number of positions.
(defmacro first-seen [t] `(if (has-window?) (max 0 (- (+ o ~t 1) (window-length))) (: 0 index)))
(defmacro end-of-seen [cached t] `(if (causal?) ~(if cached `(+ o ~t 1) `(min L (+ o ~t 1))) L))
