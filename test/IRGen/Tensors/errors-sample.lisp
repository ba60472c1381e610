; RUN: not lispier check %s 2>&1 | FileCheck %s
(defn wrong [(: x (tensor v f32)) (: rows (tensor t v f32)) (: half (tensor v bf16)) (: state memref<1xi64>)
             (: states memref<2xi64>) (: cell (tensor 1 i64)) (: warmth f64)]
  ; CHECK: :[[#@LINE+1]]:20: error[call-type]: argument 1 of `tensor/sample` has type f32 [? ?], not f32 [?]
  (println (sample rows state 1.0 0 1.0))
  ; CHECK: :[[#@LINE+1]]:20: error[call-type]: argument 1 of `tensor/sample` has type bf16 [?], not f32 [?]
  (println (sample half state 1.0 0 1.0))
  ; CHECK: :[[#@LINE+2]]:22: error[call-type]: argument 2 of `tensor/sample` has type i64 [1], not memref<1xi64>
  ; CHECK: rows.lisp:{{.*}} note: the type of `state` is given here
  (println (sample x cell 1.0 0 1.0))
  ; CHECK: :[[#@LINE+1]]:22: error[call-type]: argument 2 of `tensor/sample` has type memref<2xi64>, not memref<1xi64>
  (println (sample x states 1.0 0 1.0))
  ; CHECK: :[[#@LINE+1]]:28: error[call-type]: argument 3 of `tensor/sample` has type f64, not f32
  (println (sample x state warmth 0 1.0))
  ; CHECK: :[[#@LINE+1]]:32: error[type-literal-range]: `0.5` is no integer, and the type is i32
  (println (sample x state 1.0 0.5 1.0))
  ; CHECK: :[[#@LINE+1]]:12: error[call-arity]: `tensor/sample` takes 5 arguments, not 2
  (println (sample x state)))
