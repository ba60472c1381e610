; Tensors of 0 x n as one dimension between kernels: bufferization sees a size that is known to be 0 beside one that only
; the run knows.
; RUN: lispier run --cache=false %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier --emit=tiles --target=cuda:sm_80 %s -o /dev/null
(defn sums [(: x (tensor 5 0 _ f32)) (: segments (tensor 5 i32)) (: y (tensor _ f32))]
  [(segment-sum x segments 3) (* y 2.0)])
(defn of-size [(: n index)]
  (let [[a b] (sums (zeros f32 [5 0 (+ 2 n)]) (zeros i32 [5]) (zeros f32 [(+ 3 n)]))]
    ; CHECK: f32 [3 0 2]
    (println a)
    (println b)))
(defn main [(: count i64) (: paths !llvm.ptr)] (of-size (cast index count)))
