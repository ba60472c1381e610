; (define-attention name A cached attributes allowed) defines a function that compares nn.attention with its loops:
; (name tokens heads heads-of-keys head-size positions start), all index but start, i32. Without a cache, `positions` are
; the keys' rows. `allowed` is a macro of D: the largest difference. `window`: one that is in memory.
(require-dialect memref nn math arith)
(require-macros "random.lisp")

(defmacro tight [D] `(* (cast f32 ~D) (: 2.0e-6 f32)))
(defmacro rounded [D] `(+ (tight ~D) (: 0.008 f32)))

(defmacro define-attention [name A cached attributes allowed & window]
  (let [cube (str "memref<?x?x?x" A ">")
        view (str "memref<?x?x?x" A ", strided<[?, ?, ?], offset: ?>>")
        same (symbol (str name "-same"))
        cells (if (empty? window) `[[position] []] `[[position] [window]])
        caches (concat (if cached `[[k1] [v1]] `[[] []]) cells)
        others (concat (if cached `[[k2] [v2]] `[[] []]) cells)]
    `(do
       ; A number that is no number is like itself.
       (defn ~same [(: a ~cube) (: b ~cube)] -> i1
         (fold [same (: 1 i1)] [h 0 (memref.dim a 0)]
           (fold [same same] [p 0 (memref.dim a 1)]
             (fold [same same] [d 0 (memref.dim a 2)]
               (def x (memref.load a h p d))
               (def y (memref.load b h p d))
               (arith.andi same (arith.ori (= x y) (arith.andi (!= x x) (!= y y))))))))
       (defn ~name [(: T index) (: H index) (: G index) (: D index) (: P index) (: start i32)]
         (def rows ~(if cached `T `P))
         (def queries (new-cache ~A T (+ H 1) D 1))
         (def keys (new-cache ~A rows (+ G (+ G 1)) D 2))
         (def q (memref.subview queries [0 1 0] [T H D] [1 1 1]))
         (def k (memref.subview keys [0 0 0] [rows G D] [1 1 1]))
         (def v (memref.subview keys [0 (+ G 1) 0] [rows G D] [1 1 1]))
         ~@(map (fn [cache] `(def ~cache (memref.alloc {:result ~cube} G P D))) [`k1 `v1 `k2 `v2])
         (for [g 0 G] (for [p 0 P] (for [d 0 D]
           (def known (< p (cast index start)))
           (def key (if known (cast ~A (random 3 (+ p (* g P)) d)) (: nan ~A)))
           (def value (if known (cast ~A (random 4 (+ p (* g P)) d)) (: nan ~A)))
           (memref.store key k1 g p d) (memref.store value v1 g p d)
           (memref.store key k2 g p d) (memref.store value v2 g p d))))
         (def a (new-cache ~A T H D 5))
         (def b (new-cache ~A T H D 6))
         (def position (memref.alloc {:result memref<1xi32>}))
         (memref.store start position 0)
         (def window (memref.alloc {:result memref<1xi32>}))
         (memref.store (: ~(if (empty? window) 0 (first window)) i32) window 0)
         (nn.attention ~attributes q k v ~@caches a)
         (nn.attention ~attributes q k v ~@others (cast ~view b))
         (def most
           (fold [most (: 0.0 f32)] [t 0 T]
             (fold [most most] [h 0 H]
               (fold [most most] [d 0 D]
                 (def apart (math.absf (- (cast f32 (memref.load a t h d)) (cast f32 (memref.load b t h d)))))
                 (arith.maximumf most apart)))))
         (print "%ld tokens, %ld of %ld heads of %ld, at %d: " (cast i64 T) (cast i64 H) (cast i64 G) (cast i64 D) start)
         ;; To compare runs. Targets round a number of 16 bits differently.
         ~(if (= (str A) "f32") `(print "%a " (cast f64 (memref.load a (- T 1) (- H 1) (- D 1)))) `(do))
         (if (arith.andi (~same k1 k2) (~same v1 v2))
           (if (<= most (~allowed D)) (print "ok\n")
             (print "differs by %g, allowed %g\n" (cast f64 most) (cast f64 (~allowed D))))
           (print "the caches differ\n"))))))
