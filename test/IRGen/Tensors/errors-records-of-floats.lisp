; Records with other floats that do not fit.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(defrecord Norm [weight (tensor c bf16)] [bias (tensor c bf16)])
; CHECK: :[[#@LINE+2]]:18: error[type-parse]: a record with other floats is (record Name type), not (record Norm i32)
; CHECK: hint: write (record Name f32)
(defn ints [(: x (record Norm i32))] (:weight x))
; CHECK: :[[#@LINE+1]]:29: error[type-parse]: there is no record `Nor`
(defn unknown [(: x (record Nor f32))] x)
(defn bias [(: x (record Norm f32)) y] (+ (:bias x) y))
(defn makes [(: w (tensor 4 f32)) (: h (tensor 4 bf16)) (: n Norm) (: x (tensor 4 4 f32))]
  ; CHECK: :[[#@LINE+1]]:15: error[record-field]: `bias` of `Norm` is f32 [?], and not bf16 [4]
  (Norm f32 w h)
  ; CHECK: :[[#@LINE+1]]:9: error[record-field]: `weight` of `Norm` is bf16 [?], and not f32 [4]
  (Norm w w)
  ; CHECK: error[call-type]: argument 1 of `bias` has type a Norm with bf16 [?], not a Norm with f32 [?]
  (bias n w)
  ; CHECK: :[[#@LINE+1]]:3: error[type-mismatch]: the tensors of a record become floats, not i32
  (cast i32 n)
  ; CHECK: :[[#@LINE+1]]:13: error[tensor-shape]: `update` of f32 [4] by a part that is f32 [4 4]
  (update w x)
  ; CHECK: :[[#@LINE+3]]:13: error[tensor-shape]: `update` of f32 [4] by a part that is f32 [1]
  ; CHECK: hint: write (update tensor part [offset ...]) for a smaller part
  (def part (slice w [0] [1]))
  (update w part))
