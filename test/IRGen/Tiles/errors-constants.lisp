; Errors in the bodies of tile programs; those that depend on constants name the launch.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref gpu cf)
; CHECK-DAG: :[[#@LINE+2]]:46: error[kernel-place]: shared memory belongs to threads, and those of a tile program are the compiler's
; CHECK-DAG: hint: a tile is a value: (load memref [index ...] [size ...]), (zeros type [size ...])
(deftile shares [(: m memref<?xf32>)] (def s (shared f32 [4])))
; CHECK-DAG: :[[#@LINE+2]]:52: error[type-mismatch]: `empty` makes a tensor, and this is a tile, which has all its numbers from the start
; CHECK-DAG: hint: (zeros f32 [4])
(deftile begins-empty [(: m memref<?xf32>)] (store (empty f32 [4]) m [0]))
; CHECK-DAG: :[[#@LINE+2]]:41: error[kernel-place]: a kernel cannot launch another
; CHECK-DAG: hint: launch from a function
(deftile launches [(: m memref<?xf32>)] (launch shares {:grid [1]} m))
(deftile sizes {:const [n]} [(: m memref<?xf32>)]
  ; CHECK-DAG: :[[#@LINE+4]]:29: error[tile-shape]: `+`: the shapes [8] and [4] do not broadcast
  ; CHECK-DAG: :[[#@LINE+9]]:3: note: the launch that asks for n = 8
  ; CHECK-DAG: :[[#@LINE+2]]:13: note: this operand is f32 [8]
  ; CHECK-DAG: hint: sizes are compared from the last one; they are equal, or one of them is 1
  (store (+ (zeros f32 [n]) (zeros f32 [4])) m [0])
  ; CHECK-DAG: :[[#@LINE+3]]:15: error[tile-size]: a size of a tile is a constant, and `(memref.dim m 0)` is known only when the program runs
  ; CHECK-DAG: :[[#@LINE+4]]:3: note: the launch that asks for n = 8
  ; CHECK-DAG: hint: name it in :const of deftile, and give the launch its values: {:n (f n :among [64 128])}
  (zeros f32 [(memref.dim m 0)]))
(defn main [(: m memref<?xf32>) (: v vector<4xf32>)]
  (launch sizes {:grid [1] :const {:n 8}} m)
  (store v m [0])
  ; CHECK-DAG: :[[#@LINE+2]]:12: error[type-mismatch]: printf cannot take vector<4xf32>
  ; CHECK-DAG: hint: (vector.print value) prints a vector
  (println v))
