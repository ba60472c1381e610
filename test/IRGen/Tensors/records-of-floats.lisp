; A record with other floats, (record Net f32): as a type of parameters and results, made, cast, visited field by field,
; read from files. What are no floats stays. `update` without offsets writes a tensor of any number of dimensions.
; RUN: lispier run %s | FileCheck %s
(defrecord Norm [weight (tensor c bf16)] [bias (tensor c bf16)])
(defrecord Block [norm Norm] [up (tensor f c bf16)])
(defrecord Net [table (tensor v c bf16)] [h (list Block)] [places (tensor p i32)])

(defn first-net [] -> (record Net f32)
  (Net f32 {:table (full f32 [5 3] 2.0)
            :h (Block f32 (Norm f32 (full f32 [2 3] 3.0) (full f32 [2 3] 4.0)) (full f32 [2 4 3] 5.0625))
            :places (iota i32 [2])}))

(defn add-all [(: w inout) x (: amount f32)] (update w (+ w (* amount x))))
(defn show [x (: name !llvm.ptr)] (println "%s %g" name (at (sum (cast f32 x)))))
(defn bias-of [(: h (list (record Block f32)))] (at (sum (:bias (:norm h)))))

; Tensors of two dimensions, without those of lists, are matrices.
(defn step [(: m (inout (record Net f32))) (: d (record Net f32))]
  (each-field Net add-all [m d] 10.0 :dimensions 2)
  (each-field Net show [m] :path "net."))

(defn main []
  (def m (first-net))
  (println "%g" (bias-of (:h m)))                                     ; CHECK: {{^24$}}
  (println "%g" (at (sum (cast f32 (:up (:h (cast bf16 m)))))))       ; CHECK: {{^121.5$}}
  (def z (map-fields (record Net f32) zeros-like m))
  (step z m)
  (def file (load-checkpoint (record Norm f32) (source-path "../../../examples/gpt2/mini")
              {:weight "transformer.h.0.ln_1.weight" :bias "transformer.h.0.ln_1.bias"}))
  (println (slice (* 0 (:bias file)) [0] [2])))
; CHECK: net.table 300
; CHECK: net.h.norm.weight 0
; CHECK: net.h.norm.bias 0
; CHECK: net.h.up 1215
; CHECK: net.places 0
; CHECK: f32 [2]
