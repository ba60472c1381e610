; 11. Tiles.                          RUN: lispier run %s | FileCheck %s
;                                     RUN: lispier run --target=sim %s | FileCheck %s
;                                     RUN: lispier --emit=tiles %s | FileCheck %s --check-prefix=TILES
;
; A tile program says what one block of a launch computes, on tiles: vectors of any static shape. The compiler owns
; threads, layouts, shared memory and matrix instructions. `--target=sim` runs it with every access checked.

(require-dialect memref linalg)

; The grid is the launch's; (program-id 0) and (num-programs 0) say which program this is, of how many. A load names
; the indices, one for each dimension of the memref, and the sizes of the tile, which has the memref's last dimensions.
; An element outside of the memref is 0, or :else; a store drops it.
(deftile scale {:const [n]} [(: x memref<?xf32>) (: by f32)]
  (def i (* n (program-id 0)))
  (store (* by (load x [i] [n])) x [i]))

; Sizes are constants: numbers, or expressions of :const names, such as (* 2 n). A launch gives each name its value; for
; each set of values there is a program of its own. A value that only the run knows lists those it may have.
(defn scaled [(: x memref<?xf32>) (: by f32)]
  (def n (memref.dim x 0))
  (launch scale {:grid [1] :const {:n (next-power-of-2 n :among [8 16 32])}} x by))

; Arithmetic broadcasts shapes as NumPy does, from the last dimension; a size of 1 is repeated. Numbers take the tile's
; element type, of two widths of floats the wider is taken, and other mixtures ask for a cast: (cast f32 tile).
; Reductions, sum mean min max any all, go along :axis n or :axes [...], of all elements without; :keep true leaves a
; size of 1. (max a b) of two values is element by element.
(deftile normalize {:const [columns]} [(: x memref<?x?xf32>)]
  (def row (program-id 0))
  (def v (load x [row 0] [1 columns] :else -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (/ e (sum e :axis 1 :keep true)) x [row 0]))

; fold, for, loop and if carry tiles. (dot a b acc) multiplies matrices, with sums in f32 for f32, bf16 and f16; the
; operands may be transposed. :stages is how many steps of a loop are loaded ahead on a GPU, :warps how many warps a
; block has there. A launch may leave out constants for which :tune lists values; its :grid may name them. The first
; value of each list is taken, or what `tuned` says for a target or for operands of about some sizes; `lispier tune
; FILE` measures all combinations, and writes such forms for the best.
(deftile product {:const [bm bn bk] :warps 4 :stages 3 :tune {:bm [64 128] :bk [32 64]}}
  [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: c memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (def sums (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
    (dot (load a [i k] [bm bk]) (load b [j k] [bn bk]) acc :transpose-b true)))
  (store (activation sums) c [i j]))

; Functions of tiles are part of the program that calls them; without types they take scalars as well. A constant may be
; the name of a function or a type, {:epilogue activation}, and an `if` on constants leaves one branch.
(defn activation [x] (where (> x 0.0) x (* 0.5 x)))

; Where indices are tiles themselves: gather, scatter and atomic-add name one tile for each dimension of the memref.
; iota counts along an axis, masks are tiles of i1; and, or, not combine them.
(deftile count-bits {:const [n]} [(: numbers memref<?xi32>) (: counts memref<?xi32>)]
  (def v (load numbers [0] [n]))
  (def isThere (< (iota index [n]) (memref.dim numbers 0)))
  (atomic-add 1 counts [(% v 4)] :mask (and isThere (not (= v 0)))))

; Beside these: full, reshape, broadcast, transpose, cumsum, argmax, argmin; exp, log, tanh, erf, sqrt, rsqrt, sin,
; cos, abs, floor, sigmoid and pow; and any op on vectors. All work on vectors in functions and kernels, too.

(defn main []
  (def x (memref.alloc {:result memref<?xf32>} (: 11 index)))
  (for [i 0 11] (memref.store (cast f32 i) x i))
  (scaled x 3.0)
  (println "%g %g" (memref.load x 1) (memref.load x 10))                    ; CHECK: 3 30

  (def m (memref.alloc {:result memref<?x?xf32>} (: 2 index) (: 3 index)))
  (for [i 0 2] (for [j 0 3] (memref.store (cast f32 (* i j)) m i j)))
  (launch normalize {:grid [2] :const {:columns 4}} m)
  (println "%.3f %.3f" (memref.load m 0 0) (memref.load m 1 2))             ; CHECK: 0.333 0.665

  (def c (memref.alloc {:result memref<?x?xf32>} (: 2 index) (: 2 index)))
  (memref.store -1.0 m 0 0)
  (launch product {:grid [1 1] :const {:bm 16 :bn 16 :bk 16}} m m c)
  (println "%.3f %.3f" (memref.load c 0 0) (memref.load c 0 1))             ; CHECK: 1.222 0.213

  (def numbers (memref.alloc {:result memref<?xi32>} (: 6 index)))
  (def counts (memref.alloc {:result memref<?xi32>} (: 4 index)))
  (linalg.fill (: 0 i32) counts)
  (for [i 0 6] (memref.store (cast i32 (* i i)) numbers i))                 ; 0 1 4 9 16 25
  (launch count-bits {:const {:n 8}} numbers counts)
  (println "%d %d" (memref.load counts 0) (memref.load counts 1)))          ; CHECK: 2 3
; TILES: gpu.func @scale_8
; TILES: gpu.func @product_16_16_16({{.*}}tile.program = #tile.program<stages = 3>
; TILES: vector.contract
