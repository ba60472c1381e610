; 3. Any op of any dialect.           RUN: lispier run %s | FileCheck %s
;
; `(dialect.op {attributes} operands (region ...))` creates any op that is registered with MLIR under that
; name. Attributes are converted to the kind that the op declares, result types are inferred if MLIR can
; infer them, and operand segments are computed.

(require-dialect arith [math :as m] scf cf vector func)

(defn main []
  ; Attributes can be written in several ways.
  (def a (arith.constant {:value (: 6 i32)}))
  (def b (arith.muli a (: 7 i32)))
  (def less (arith.cmpi {:predicate "slt"} a b))      ; the same as {:predicate 2} or :slt
  (println "%d %d" b less)                            ; CHECK: 42 1
  (println "%.3f" (cast f64 (m/sqrt (: 2.0 f32))))    ; CHECK: 1.414

  ; An op with regions and a result: scf.if.
  (def c (scf.if {:result i32} less
           (region (scf.yield b))
           (region (scf.yield a))))
  (println "%d" c)                                    ; CHECK: 42

  ; An op with two results.
  (def [sum overflow] (arith.addui_extended {:result [i32 i1]} (: -1 i32) (: 2 i32)))
  (println "%d carry %d" sum overflow)                ; CHECK: 1 carry 1

  ; Vectors are ordinary values.
  (def v (vector.broadcast {:result vector<4xf32>} (: 1.5 f32)))
  (def w (arith.addf v v))
  (def s (vector.reduction {:kind "add" :result f32} w))
  (println "%g" (cast f64 s)))                        ; CHECK: 12

; Unstructured control flow uses blocks and branches; labels start with ^.
(func.func {:sym_name "collatz" :function_type (-> [i64] [i64])}
  (region
    (block [(: n i64)]
      (cf.br ^head n (: 0 i64)))
    (block ^head [(: x i64) (: steps i64)]
      (def done (<= x 1))
      (cf.cond_br done ^end steps ^step x steps))
    (block ^step [(: x i64) (: steps i64)]
      (def odd (= (% x 2) 1))
      (def next (if odd (+ (* x 3) 1) (/ x 2)))
      (cf.br ^head next (+ steps 1)))
    (block ^end [(: steps i64)]
      (func.return steps))))
