; Products, reductions and longer formulas stay between the calls with effects that the text puts around them: a clock
; that is read before and after measures them. Ops without such a call between them are one kernel as ever.
; RUN: lispier --emit=tensor %s -o - | FileCheck %s
; RUN: lispier --emit=tensor --target=sim:sm_80 %s -o - | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --explain %s 2>&1 | FileCheck %s --check-prefix=WHY
(extern-fn clock (-> [] [i64]))
(defn half [(: n f32)] -> f32 (* 0.5 n))
(defn ticks [] -> i64 (clock))

; The loop needs a table that a later op needs too, and runs between the two clocks.
; CHECK-LABEL: func.func @timed(
; CHECK: group.kernel "timed_{{[0-9]+}}" kind(elementwise)
; CHECK: call @clock
; CHECK: scf.for
; CHECK: kind(contraction)
; CHECK: call @clock
; WHY: a call that prints or has another effect is between them
(defn timed [(: x (tensor 4 4 f32))]
  (def table (sin x))
  (def began (clock))
  (def s (fold [s (: 0.0 f32)] [i 0 3] (+ s (at (sum (matmul table table))))))
  (def ended (clock))
  (def last (exp table))
  [s (at (sum last)) (- ended began)])

; A call of a function that reads the clock counts, one that computes with numbers does not.
; CHECK-LABEL: func.func @called(
; CHECK: kind(elementwise)
; CHECK: call @ticks()
; CHECK: kind(row)
(defn called [(: x (tensor 4 f32))]
  (def y (exp x))
  (def now (ticks))
  [(sum y) now])
; CHECK-LABEL: func.func @numbers(
; CHECK: call @half
; CHECK: group.kernel "numbers_0" kind(row)
; CHECK-NOT: group.kernel "numbers
; CHECK: return
(defn numbers [(: x (tensor 4 f32)) (: n f32)]
  (def y (exp x))
  (def factor (half n))
  (sum (* factor y)))

(defn main []
  (def [s last took] (timed (zeros f32 [4 4])))
  (println "%g %g" s last)                     ; VALUE: 0 16
  (def [y now] (called (zeros f32 [4])))
  (println (numbers (zeros f32 [4]) 4.0)))     ; VALUE: 8
