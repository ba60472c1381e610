; 1. Values and functions.            RUN: lispier run %s | FileCheck %s
;
; A program is a list of top-level forms; `main` runs. Every form below becomes an MLIR op:
; `lispier show-ir examples/tour/01-values.lisp` prints them.

; A function: typed parameters, a result type after ->, and the last form is returned.
(require-dialect func math)

(defn square [(: x i64)] -> i64
  (* x x))

; Two results, which `(def [a b] ...)` below binds to names.
(defn divide [(: a i64) (: b i64)] -> [i64 i64]
  "Quotient and remainder, rounded towards zero."
  (func.return (/ a b) (% a b)))

(defn main [] -> i64
  (def n (square 7))                 ; a bare number takes the type of the parameter
  (println "square of 7 is %ld" n)   ; CHECK: square of 7 is 49
  (def [q r] (divide n 10))
  (println "%ld and %ld" q r)        ; CHECK: 4 and 9
  (def half (: 0.5 f32))             ; (: value type) is a literal of that type
  (def x (+ half 2.25))              ; + depends on its operands' type: arith.addf here
  (println "%g" (cast f64 x))        ; CHECK: 2.75
  (println "%d bits" (: 0x20 i32))   ; CHECK: 32 bits
  (def tenth (: 0.1 f64))

  ; Each operation rounds its result, on every processor; math.fma multiplies and adds with one rounding. The compiler
  ; contracts a product and a sum to an FMA, which can change the last digit, only in matrix products (linalg, nn) on
  ; CPUs with FMA, and in kernels on a GPU.
  (println "%g" (+ (* tenth 10.0) -1.0))           ; CHECK: {{^}}0
  (println "%g" (math.fma tenth (: 10.0 f64) -1.0)) ; CHECK: 5.55112e-17
  ; A cast to an integer truncates and saturates; a NaN becomes 0.
  (println "%d" (cast i8 (* tenth 3e3)))           ; CHECK: 127
  n)                                 ; `lispier run` prints what main returns
; CHECK: 49
