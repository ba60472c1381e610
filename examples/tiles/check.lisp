; What the programs of this folder share: matrices of numbers that look random, and the comparison with a reference.
; RUN: lispier check %s
(require-dialect memref)

(defn matrix [(: rows index) (: columns index)] -> memref<?x?xf32>
  (memref.alloc {:result memref<?x?xf32>} rows columns))

; A number in [-1, 1) for each place and seed.
(defn value [(: seed index) (: i index) (: j index)] -> f32
  (def n (% (+ (* 73 i) (* 179 j) (* 31 i j) (* 283 seed) (* 7 i i)) 256))
  (/ (- (cast f32 n) 128.0) 128.0))

(defn filled [(: seed index) (: rows index) (: columns index)] -> memref<?x?xf32>
  (def m (matrix rows columns))
  (for [i 0 rows] (for [j 0 columns] (memref.store (value seed i j) m i j)))
  m)

; The same numbers in 16 bits.
(defn rounded [(: m memref<?x?xf32>)] -> memref<?x?xbf16>
  (def rows (memref.dim m 0))
  (def columns (memref.dim m 1))
  (def r (memref.alloc {:result memref<?x?xbf16>} rows columns))
  (for [i 0 rows] (for [j 0 columns] (memref.store (cast bf16 (memref.load m i j)) r i j)))
  r)

(defn largest-difference [(: a memref<?x?xf32>) (: b memref<?x?xf32>)] -> f32
  (fold [worst (: 0.0 f32)] [i 0 (memref.dim a 0)]
    (fold [worst worst] [j 0 (memref.dim a 1)]
      (max worst (abs (- (memref.load a i j) (memref.load b i j)))))))

; Prints whether a difference is within what rounding explains. A NaN is not.
(defn report [(: name !llvm.ptr) (: difference f32) (: limit f32)]
  (println "%s: %s, largest difference %.1e" name (if (<= difference limit) (cstring "ok") (cstring "wrong"))
    difference))
