;;; timing.lisp - shared by the programs that tools/dev/bench-tiles runs: sizes from the command line, device memory
;;; with random numbers, the order of blocks, and largest errors.
(require-dialect memref gpu)
(require ["../../../examples/gpt2/options.lisp" :as options]
         ["../../../examples/kernels/device-time.lisp" :as device-time])

(defn random-f32 [(: rows index) (: columns index) (: seed index)] -> memref<?x?xf32>
  (def m (device-alloc memref<?x?xf32> [rows columns]))
  (parallel [i rows j columns] (memref.store (device-time/noise i j seed) m i j))
  m)

(defn random-bf16 [(: rows index) (: columns index) (: seed index)] -> memref<?x?xbf16>
  (def m (device-alloc memref<?x?xbf16> [rows columns]))
  (parallel [i rows j columns] (memref.store (cast bf16 (device-time/noise i j seed)) m i j))
  m)

(defn flat [(: m memref<?x?xf32>)] -> memref<?xf32>
  (memref.collapse_shape {:reassociation [[0 1]] :result memref<?xf32>} m))

;; The word `index` of the command line as a size; a program without it prints `usage`.
(defn size [(: usage !llvm.ptr) (: count i64) (: words !llvm.ptr) (: index i64)] -> index
  (cast index (options/read-integer (cstring "a size") (options/wanted usage (options/word count words index))
                (: 1 i64) (: 65536 i64))))

(defn blocks [(: n index) (: size index)] -> index (/ (+ n (- size 1)) size))

;; For a tile program whose grid has a block of bm x bn for each block of c: the first row and column of this one.
;; Eight rows of blocks follow each other column by column: what runs at the same time reads the same rows and columns.
(defn block-origin [c bm bn]
  (def rows (/ (+ (memref.dim c 0) (- bm 1)) bm))
  (def columns (/ (+ (memref.dim c 1) (- bn 1)) bn))
  (def first (* 8 (/ (program-id 0) (* 8 columns))))
  (def high (min 8 (- rows first)))
  (def within (% (program-id 0) (* 8 columns)))
  [(* bm (+ first (% within high))) (* bn (/ within high))])

;; The largest of 256 errors on the device.
(defn largest [(: errors memref<?xf32>)] -> f32
  (def host (memref.alloc {:result memref<256xf32>}))
  (download! host errors)
  (fold [worst (: 0.0 f32)] [e 0 256] (max worst (memref.load host e))))
