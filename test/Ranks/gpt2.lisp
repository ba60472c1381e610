; Two steps of a small GPT-2, whose texts are divided among the ranks: the losses, and the weights, are those of one rank
; that has all texts. The formulas are those of examples/gpt2, and know no rank.
; RUN: lispier run %s | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 %s | FileCheck %s
(require ["../../examples/gpt2/model.lisp" :as model])
(defmesh [dp])

(defn loss-of [m (: texts (tensor n u i32))]
  (def t (- u 1))
  (def own (model/loss m (slice texts [0 0] [n t]) (slice texts [0 1] [n t]) 2 1e-5))
  (all-reduce own :over dp :by mean))

(defmacro drawn [stream & sizes] `(* 0.1 (normal f32 [~@sizes] :seed 7 :stream ~stream)))
(defn first-weights [(: c index) (: l index) (: v index) (: p index)] -> (record Gpt2 f32)
  (Gpt2 f32
    {:tokens (drawn 0 v c) :positions (drawn 1 p c)
     :h (Block f32 {:norm1 (Norm f32 (full f32 [l c] 1.0) (zeros f32 [l c]))
                    :qkv (Linear f32 (drawn 2 l (* 3 c) c) (zeros f32 [l (* 3 c)]))
                    :attention (Linear f32 (drawn 3 l c c) (zeros f32 [l c]))
                    :norm2 (Norm f32 (full f32 [l c] 1.0) (zeros f32 [l c]))
                    :expand (Linear f32 (drawn 4 l (* 4 c) c) (zeros f32 [l (* 4 c)]))
                    :contract (Linear f32 (drawn 5 l c (* 4 c)) (zeros f32 [l c]))})
     :norm (Norm f32 (full f32 [c] 1.0) (zeros f32 [c]))}))

(defn moved [w d] (- w (* 0.5 d)))

(defn main []
  (def texts (% (* (iota i32 [4 9] :axis 0) (+ 3 (* 5 (iota i32 [4 9] :axis 1)))) 32))
  (def mine (own-part texts :over dp))
  (def m (first-weights 16 2 32 8))
  (def [first d] (value-and-grad loss-of m mine))
  (def n (map-fields (record Gpt2 f32) moved m d))
  (def [second e] (value-and-grad loss-of n mine))
  (println "%.5f %.5f" (cast f64 first) (cast f64 second))
  (println "%.4f %.4f" (cast f64 (sum (abs (:tokens e)))) (cast f64 (sum (abs (:weight (:qkv (:h e))))))))
; CHECK: 3.43727 2.92723
; CHECK-NEXT: 10.8733 9.8892
