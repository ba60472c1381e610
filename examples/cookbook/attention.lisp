; Causal attention of h heads, by its formula: one kernel that never has all the scores in memory.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn attended [(: q (tensor h t d f32)) (: k (tensor h t d f32)) (: v (tensor h t d f32))]
  (def seen (<= (iota i32 [t]) (iota i32 [t 1] :axis 0)))
  (def scores (/ (einsum "htd,hsd->hts" q k) (sqrt (cast f32 d))))
  (einsum "hts,hsd->htd" (softmax (where seen scores -inf)) v))

(defn filled [(: h index) (: t index) (: d index) (: seed f32)] (sin (* seed (reshape (iota f32 [(* h t d)]) [h t d]))))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def q (filled 4 40 16 0.3))
  (def k (filled 4 40 16 0.7))
  (def v (filled 4 40 16 1.1))
  (def y (attended q k v))
  ; The first token sees itself only; where all keys are equal, a token has the mean of what it sees.
  (check/report (cstring "first") (check/difference (slice y :axis 1 :to 1) (slice v :axis 1 :to 1)) 1e-6)
  ; CHECK: first: ok
  (def means (/ (cumsum v :axis 1) (+ 1.0 (iota f32 [40 1] :axis 0))))
  (check/report (cstring "equal keys") (check/difference (attended q (full f32 [4 40 16] 0.5) v) means) 1e-5)
  ; CHECK: equal keys: ok
  (def [large-q large-k large-v]
    [(to-memref (filled 12 512 64 0.3)) (to-memref (filled 12 512 64 0.7)) (to-memref (filled 12 512 64 1.1))])
  (timed argc memref<?x?x?xf32> [(: 12 index) (: 512 index) (: 64 index)]
    (attended (load large-q) (load large-k) (load large-v))))
