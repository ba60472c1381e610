; Dimensions that a launch's grid does not have.
; RUN: not lispier check %s 2>&1 | FileCheck %s --implicit-check-not=error[
(require-dialect memref)
(defn row [] -> index (program-id 1))
(deftile scale {:const [n]} [(: a memref<?x?xf32>)]
  (def j (* n (program-id 0)))
  ; CHECK: :4:23: error[tile-axis]: this program asks for its id in dimension 1, and a launch has a grid of 1 dimension
  ; CHECK: :[[#@LINE+11]]:24: note: the grid is here
  ; CHECK: hint: dimensions are counted from 0
  (store (* 2.0 (load a [(row) j] [n])) a [(row) j]))
; A grid's size may be asked for in any dimension: it is 1.
(deftile deep [(: a memref<?x?xf32>)]
  ; CHECK: :[[#@LINE+2]]:23: error[tile-axis]: this program asks for its id in dimension 2, and a launch has a grid of 2 dimensions
  ; CHECK: :[[#@LINE+6]]:23: note: the grid is here
  (store (cast f32 (+ (program-id 2) (num-programs 2))) a [0 0]))
(defn main []
  (def a (memref.alloc {:result memref<?x?xf32>} (: 8 index) (: 8 index)))
  (launch scale {:grid [2 2] :const {:n 4}} a)
  (launch scale {:grid [2] :const {:n 4}} a)
  (launch deep {:grid [2 3]} a))
