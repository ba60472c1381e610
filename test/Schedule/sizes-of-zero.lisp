; Reductions and products of no elements, whose sizes only the run knows or the program's text: the numbers that the
; combining op begins with. Beyond the columns of `x`, which a tile has and memory has not, a sum of its rows has no
; operand with three rows.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref)
(defn rows [(: x (tensor n c f32))] (sum (* x x) :axis 1))
(defn columns [(: x (tensor n c f32))] (sum (* x x) :axis 0))
(defn biggest [(: x (tensor n c f32))] (max x :axis 1))
(defn all [(: x (tensor n c f32))] (sum x))
(defn product [(: a (tensor m k f32)) (: b (tensor n k f32))] (einsum "mk,nk->mn" a b))
; Along one summed loop of size 0, the text says, and another one, the run.
(defn products [(: a (tensor n 0 n f32))] (einsum "mbk,kbn->mn" a a))
(defn arg [(: x (tensor n c f32))] (argmax x :axis 1))
; CHECK: f32 [3]
; CHECK: 0 0 0
; CHECK: f32 [0]
; CHECK: f32 [3]
; CHECK: -inf -inf -inf
; CHECK: f32 [] 0
; CHECK: f32 [0]
; CHECK: f32 [3]
; CHECK: 0 0 0
; CHECK: f32 [] 0
; CHECK: f32 [3 3]
; CHECK-COUNT-3: 0 0 0
; CHECK: f32 [0 0]
; CHECK: f32 [3]
; CHECK: 0 0 0
; CHECK: f32 [3]
; CHECK: 0 0 0
; CHECK: f32 [2 2]
; CHECK-COUNT-2: 0 0
; CHECK: i32 [3]
; CHECK: 0 0 0
(defn main [(: count i64) (: words !llvm.ptr)]
  (let [z (cast index count)
        x (full f32 [3 z] 1.0) y (full f32 [z 3] 1.0)]
    (println (rows x)) (println (columns x)) (println (biggest x)) (println (all x))
    (println (rows y)) (println (columns y)) (println (all y))
    (println (product x x)) (println (product y y))
    (println (sum (full f32 [3 0] 1.0) :axis 1)) (println (sum (full f32 [0 3] 1.0) :axis 0))
    (println (products (reshape (iota f32 [0]) [(+ z 2) 0 (+ z 2)])))
    (println (arg (full f32 [3 (+ z 5)] 1.0)))))
