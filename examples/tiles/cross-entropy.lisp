; The loss of each row of logits: log(sum of exp(logits)) - the target's logit, in one pass over rows of any length.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check])

(deftile cross-entropy {:const [chunk] :warps 8}
  [(: logits memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>)]
  (def row (program-id 0))
  (def [most total] (fold [most (full f32 [1] -inf) total (zeros f32 [1])] [j 0 (memref.dim logits 1) chunk]
    (def v (load logits [row j] [1 chunk] :else -inf))
    (def next (max most (max v :axis 1)))
    [next (+ (* total (exp (- most next))) (sum (exp (- v next)) :axis 1))]))
  (def target (load logits [row (load targets [row])]))
  (store (- (+ most (log total)) target) losses [row 0]))

(defn losses [(: logits memref<?x?xf32>) (: targets memref<?xi32>) (: out memref<?x?xf32>)]
  (launch cross-entropy {:grid [(memref.dim logits 0)] :const {:chunk 1024}} logits targets out))

; CHECK: cross-entropy: ok
(defn main []
  (def rows (: 3 index))
  (def columns (: 50257 index))
  (def logits (check/filled 1 rows columns))
  (def targets (memref.alloc {:result memref<?xi32>} rows))
  (def out (check/matrix rows 1))
  (def expected (check/matrix rows 1))
  (for [i 0 rows]
    (memref.store (cast i32 (* i 25128)) targets i)
    (def total (fold [s (: 0.0 f64)] [j 0 columns] (+ s (exp (cast f64 (memref.load logits i j))))))
    (memref.store (- (cast f32 (log total)) (memref.load logits i (* i 25128))) expected i 0))
  (losses logits targets out)
  (check/report (cstring "cross-entropy") (check/largest-difference out expected) 1e-4))
