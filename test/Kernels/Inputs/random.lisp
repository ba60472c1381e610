; Numbers in -1 .. 1 that look random, and memory full of them.
(require-dialect memref arith)
(defmacro random [seed i j]
  `(let [n (+ (* (cast i64 ~i) (: 7919 i64)) (* (cast i64 ~j) (: 104729 i64)) (: ~seed i64))]
     (- (/ (cast f32 (% (* n (: 48271 i64)) (: 2147483647 i64))) (: 1073741824.0 f32)) (: 1.0 f32))))
(defmacro new-row [A N seed]
  `(let [m (memref.alloc {:result ~(str "memref<?x" A ">")} ~N)]
     (for [i 0 ~N] (memref.store (cast ~A (random ~seed i i)) m i))
     m))
(defmacro new-rows [T N C seed]
  `(let [m (memref.alloc {:result ~(str "memref<?x?x" T ">")} ~N ~C)]
     (for [i 0 ~N] (for [j 0 ~C] (memref.store (cast ~T (random ~seed i j)) m i j)))
     m))
(defmacro new-cache [A H P D seed]
  `(let [m (memref.alloc {:result ~(str "memref<?x?x?x" A ">")} ~H ~P ~D)]
     (for [h 0 ~H] (for [p 0 ~P] (for [d 0 ~D] (memref.store (cast ~A (random ~seed (+ p (* h ~P)) d)) m h p d))))
     m))
