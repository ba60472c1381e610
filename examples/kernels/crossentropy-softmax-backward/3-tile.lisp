; Cross-entropy and softmax backward, step 3: a tile program.
;
; Step 2 in chunks of a row, with a sum for each place of a chunk, as the softmax of examples/tiles/row-tiles.lisp; the
; next chunk is read while this one is summed.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./crossentropy-softmax-backward.lisp" :as crossentropy-softmax-backward] ["../ladder.lisp" :as ladder])
(require-macros "./crossentropy-softmax-backward.lisp" "../ladder.lisp")

(deftile back {:const [chunk] :warps 16}
  [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: dloss memref<?xf32>) (: dx memref<?x?xf32>)]
  (def row (program-id 0))
  (def n (memref.dim x 1))
  (def [most total last]
    (fold [most (full f32 [1 1] -3.4e38) total (zeros f32 [1 chunk]) v (load x [row 0] [1 chunk] :else -inf)]
      [j 0 n chunk]
      (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
      (def next (max most (max v :axis 1 :keep true)))
      [next (+ (* total (exp (- most next))) (exp (- v next))) after]))
  (def target (cast index (load targets [row])))
  (def d (load dloss [row]))
  (def scale (/ d (sum total :axis 1 :keep true)))
  (fold [v (load x [row 0] [1 chunk] :else -inf)] [j 0 n chunk]
    (def after (load x [row (+ j chunk)] [1 chunk] :else -inf))
    (def p (* (exp (- v most)) scale))
    (store (where (= (+ j (iota index [chunk])) target) (- p d) p) dx [row j])
    after))

(defn step [(: x memref<?x?xf32>) (: targets memref<?xi32>) (: dloss memref<?xf32>) (: dx memref<?x?xf32>)]
  (launch back {:grid [(memref.dim x 0)] :const {:chunk 8192}} x targets dloss dx))

; CHECK: ok
(define-crossentropy-softmax-backward step)
