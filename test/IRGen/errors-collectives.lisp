; Forms of programs with a mesh, and what is wrong with them.
; RUN: split-file %s %t
; RUN: not lispier check %t/forms.lisp 2>&1 | FileCheck %t/forms.lisp
; RUN: not lispier check %t/axes.lisp 2>&1 | FileCheck %t/axes.lisp
; RUN: not lispier check %t/open.lisp 2>&1 | FileCheck %t/open.lisp
; RUN: not lispier check %t/none.lisp 2>&1 | FileCheck %t/none.lisp
; RUN: not lispier check %t/tile.lisp 2>&1 | FileCheck %t/tile.lisp
;--- forms.lisp
(defmesh [dp] [tp 2])
; CHECK: :[[#@LINE+1]]:1: error[mesh-axis]: a program has one mesh
(defmesh [sp])
; CHECK: :[[#@LINE+1]]:38: error[mesh-axis]: `all-reduce` needs `:over`, an axis of the mesh: `dp` and `tp`
(defn no-axis [(: x (tensor n f32))] (all-reduce x))
; CHECK: :[[#@LINE+1]]:61: error[mesh-axis]: the mesh has no axis sp; it has `dp` and `tp`
(defn other-axis [(: x (tensor n f32))] (all-reduce x :over sp))
; CHECK: :[[#@LINE+1]]:60: error[mesh-axis]: the axis `tp` is given twice
(defn twice [(: x (tensor n f32))] (all-reduce x :over [tp tp]))
; CHECK: :[[#@LINE+1]]:58: error[mesh-axis]: `:over` names no axis; the mesh has `dp` and `tp`
(defn no-axes [(: x (tensor n f32))] (all-reduce x :over []))
; CHECK: :[[#@LINE+1]]:65: error[macro-shape]: `:by` is +, mean, max or min, not *
(defn product [(: x (tensor n f32))] (all-reduce x :over tp :by *))
; CHECK: :[[#@LINE+1]]:54: error[type-mismatch]: `all-reduce` takes the mean of floats: i32
(defn mean-of-i32 [(: x (tensor n i32))] (all-reduce x :over tp :by mean))
; CHECK: :[[#@LINE+1]]:48: error[type-mismatch]: `from-rank` exchanges no numbers of this type: i16
(defn of-i16 [(: x (tensor n i16))] (from-rank x :over tp))
; CHECK: :[[#@LINE+1]]:67: error[tensor-axis]: the tensor has shape [?] and no axis 1
(defn outside [(: x (tensor n f32))] (all-gather x :over tp :axis 1))
; CHECK: :[[#@LINE+1]]:41: error[tensor-operand]: `all-gather` takes a tensor, not f32
(defn of-number [(: x f32)] (all-gather x :over tp))
; CHECK: :[[#@LINE+1]]:33: error[mesh-axis]: the mesh has no axis n; it has `dp` and `tp`
(defn place [(: n index)] (rank n))
; CHECK: :[[#@LINE+1]]:61: error[macro-shape]: `all-reduce` does not know `:axis`
(defn keyword [(: x (tensor n f32))] (all-reduce x :over tp :axis 0))
; CHECK: :[[#@LINE+1]]:61: error[macro-shape]: `:pad` is true or false, not 1
(defn pads [(: x (tensor n f32))] (own-part x :over tp :pad 1))
; CHECK: :[[#@LINE+1]]:65: error[tensor-size]: a size of a tensor is 0 or more, not -1
(defn sizes [(: x (tensor n f32))] (all-gather x :over tp :size -1))
; CHECK: :[[#@LINE+1]]:59: error[macro-shape]: `all-reduce` does not know `:pad`
(defn whole [(: x (tensor n f32))] (all-reduce x :over tp :pad true))
(defn main [] (println 1))
;--- axes.lisp
; CHECK: :[[#@LINE+1]]:15: error[mesh-axis]: an axis of a mesh is its name in brackets, with or without its size, not [tp 0]
(defmesh [dp] [tp 0])
; CHECK: :[[#@LINE+1]]:10: error[mesh-axis]: an axis of a mesh is its name in brackets, with or without its size, not dp
(defmesh dp)
; CHECK: :[[#@LINE+1]]:15: error[mesh-axis]: the mesh has two axes `dp`
(defmesh [dp] [dp 2])
(defn main [] (println 1))
;--- open.lisp
; CHECK: :[[#@LINE+1]]:1: error[mesh-axis]: at most one axis of a mesh takes what is left, and 2 have no size
(defmesh [dp] [tp])
(defn main [] (println 1))
;--- none.lisp
; CHECK: :[[#@LINE+1]]:37: error[mesh-axis]: `all-reduce` is for a program with a mesh
(defn sum-of [(: x (tensor n f32))] (all-reduce x :over tp))
(defn main [] (println 1))
;--- tile.lisp
(defmesh [tp])
(deftile k {:const [n]} [(: m memref<8xf32>)]
  ; CHECK: :[[#@LINE+1]]:34: error[mesh-axis]: `rank` stands in code of the host, not in a kernel
  (store (full f32 [n] (cast f32 (rank tp))) m [0]))
(defn main []
  (def m (device-alloc "memref<8xf32>" []))
  (launch k {:grid [1] :const {:n 8}} m))
