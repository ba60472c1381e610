; Ten steps of AdamW by llm.c's scheme: a GPT-2 of two layers by the formulas of generation, the gradients of
; value-and-grad, the optimizer of examples/training. Losses within 1e-4 of PyTorch's in float64, as Inputs/losses.py
; printed them; it says how weights and tokens are made.
; RUN: lispier run %s | FileCheck %s
(require-dialect memref)
(require ["../../../examples/gpt2/model.lisp" :as model] ["../../../examples/training/optimizer.lisp" :as optimizer])
(require-macros "../../../examples/training/optimizer.lisp")

(defn parameter [element & {:number 0 :shift 0.0}]
  (+ shift (* 0.006 (cast f32 (- (% (+ (* 37 element) (* 11 number)) 101) 50)))))
(defmacro weights [number & sizes] `(parameter (reshape (iota i32 [(* ~@sizes)]) [~@sizes]) :number ~number))
(defmacro gains [number & sizes] `(parameter (reshape (iota i32 [(* ~@sizes)]) [~@sizes]) :number ~number :shift 1.0))
(defn first-model [] -> (record Gpt2 f32)
  (Gpt2 f32 {:tokens (weights 0 96 32) :positions (weights 1 64 32)
             :h (Block f32 {:norm1 (Norm f32 (gains 2 2 32) (weights 3 2 32))
                            :qkv (Linear f32 (weights 4 2 96 32) (weights 5 2 96))
                            :attention (Linear f32 (weights 6 2 32 32) (weights 7 2 32))
                            :norm2 (Norm f32 (gains 8 2 32) (weights 9 2 32))
                            :expand (Linear f32 (weights 10 2 128 32) (weights 11 2 128))
                            :contract (Linear f32 (weights 12 2 32 128) (weights 13 2 32))})
             :norm (Norm f32 (gains 14 32) (weights 15 32))}))

(defn step [(: m (inout (record Gpt2 f32))) (: mean (inout (record Gpt2 f32))) (: square (inout (record Gpt2 f32)))
            (: d (inout (record Gpt2 f32))) (: norm (inout (tensor 1 f32))) (: rates (tensor 3 f32)) (: adam Adam)
            (: inputs (tensor b t i32)) (: targets (tensor b t i32))]
  (each-field Gpt2 optimizer/clear [d])
  (def loss (value-and-grad model/loss m inputs targets (: 2 index) (: 1e-5 f32) :into d))
  (adamw-step Gpt2 m mean square d norm rates adam 1.0 0.0 :decay-all true)
  loss)

(defn main []
  (def [m mean square d] [(first-model) (map-fields (record Gpt2 f32) zeros-like (first-model))
                          (map-fields (record Gpt2 f32) zeros-like (first-model))
                          (map-fields (record Gpt2 f32) zeros-like (first-model))])
  (def norm (zeros f32 [1]))
  (def adam (Adam {:beta1 0.9 :beta2 0.999 :epsilon 1e-8 :decay 0.01}))
  (def places (iota i32 [257]))
  (def tokens (% (* 31 (% (* places places) 977)) 96))
  (def inputs (reshape (slice tokens [0] [256]) [4 64]))
  (def targets (reshape (slice tokens [1] [256]) [4 64]))
  (def golden (: [5.233974 5.216781 5.199892 5.183312 5.167046 5.151096 5.135466 5.120155 5.105165 5.090494]
                 tensor<10xf64>))
  (def rates (device-alloc memref<3xf32> []))
  (def host-rates (memref.alloc {:result memref<3xf32>}))
  (for [k 0 10]
    (optimizer/set-rates! rates host-rates 1e-4 (+ (cast i64 k) 1) adam)
    (def loss (at (step m mean square d norm rates adam inputs targets)))
    (def apart (- (cast f64 loss) (at golden k)))
    (println "step %ld | loss %.6f | %s" k loss (if (< (abs apart) 1e-4) (cstring "right") (cstring "wrong")))))
; CHECK-COUNT-10: | right
