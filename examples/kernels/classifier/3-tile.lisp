; Classifier, step 3: a tile program.
;
; Step 2 in chunks of a row, with a sum for each place of a chunk, as the softmax of examples/tiles/row-tiles.lisp; the
; next chunk is read while this one is summed. The loss alone is examples/tiles/cross-entropy.lisp.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./classifier.lisp" :as classifier] ["../ladder.lisp" :as ladder])
(require-macros "./classifier.lisp" "../ladder.lisp")

(deftile classify {:const [chunk] :warps 16}
  [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>) (: gradient memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def [most total last]
    (fold [most (full f32 [1 1] -3.4e38) total (zeros f32 [1 chunk]) v (load x [row 0] [1 chunk] :else -inf)]
      [j 0 n chunk]
      (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
      (def next (max most (max v :axis 1 :keep true)))
      [next (+ (* total (exp (- most next))) (exp (- v next))) after]))
  (def all (sum total :axis 1 :keep true))
  (def target (load targets [row]))
  (def one (load x [row target]))
  (store (- (+ most (log all)) one) losses [row 0])
  (def each (/ 1.0 (cast f32 (memref.dim x 0))))
  (def scale (/ each all))
  (fold [v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
    (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
    (def p (* (exp (- v most)) scale))
    (store (where (= (+ j (iota index [chunk])) (cast index target)) (- p each) p) gradient [row j])
    after))

(defn step [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: losses memref<?x?xf32>)
           (: gradient memref<?x?xf32>)]
  (launch classify {:grid [(memref.dim x 0)] :const {:chunk 8192}} x targets losses gradient))

; CHECK: ok
; CHECK-NEXT: ok
(define-classifier step)
