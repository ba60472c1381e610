; Names in generic functions.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect arith scf vector)
; Nobody calls these functions; what has no definition is an error all the same.
; CHECK: :[[#@LINE+1]]:22: error[name-undefined]: `y` is not defined
(defn value [x] (+ x y))
; CHECK: :[[#@LINE+2]]:23: error[name-undefined]: `valeu` is not defined
; CHECK: hint: did you mean `value`?
(defn near [value] (+ valeu 1))
; CHECK: :[[#@LINE+1]]:36: error[name-undefined]: `z` is not defined
(defn operand [x] (vector.insert x z 0))
; CHECK: :[[#@LINE+2]]:17: error[parse-head]: unknown form `frobnicate`
; CHECK: hint: a list begins with a special form, a macro, a function of the program or an op such as arith.addi
(defn head [x] (frobnicate x))
; CHECK: :[[#@LINE+2]]:21: error[parse-head]: unknown form `appply`
; CHECK: hint: did you mean `apply`?
(defn function [x] (appply apply x))
; CHECK: :[[#@LINE+2]]:15: error[op-unknown]: `arith` has no op `addq`
; CHECK: hint: did you mean `arith.addf`, `arith.addi` or `arith.andi`?
(defn op [x] (arith.addq x x))
; CHECK: :[[#@LINE+1]]:76: error[name-undefined]: `k` is not defined
(defn dialect [x & {:axis 0}] (let [n axis] (for [i 0 n] (vector.extract x k))))
; CHECK: :[[#@LINE+2]]:49: error[name-undefined]: `late` is not visible here
; CHECK: :[[#@LINE+1]]:40: note: it is defined here, in another region or later
(defn after-loop [x] (for [i 0 3] (def late i)) late)
; CHECK: :[[#@LINE+2]]:43: error[name-undefined]: `inner` is not visible here
; CHECK: :[[#@LINE+1]]:27: note: it is defined here, in another region or later
(defn after-let [x] (let [inner x] inner) inner)
; CHECK: :[[#@LINE+1]]:70: error[name-undefined]: `q` is not defined
(defn in-region [x] (scf.for 0 4 1 (region (block [(: i index)] (+ i q) (scf.yield)))))

; These are right: types, constants, functions and what each form binds.
(defn right [x f & {:by 2 :to f32}]
  (def [a b] (scf.for x x x [x x] (region (block [i (: u f32) (: w f32)] (scf.yield u w)))))
  (let [c (f a) [d e] [c -inf]]
    (fold [s 0 t (: nan f64)] [j 0 4 by] (loop [v s] :while (< v j) :do (+ v c)) [s t])
    (parallel [p 4 q 5] (value (apply tanh (cast to p)) :to f32) (arith.addf {:fastmath fast} p q))
    (if (< b 0) (println "%g" e) (do (def r d) r))
    (apply right x)))
(defn apply [f x] (f x))
