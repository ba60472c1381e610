; 5. Macros.                          RUN: lispier run %s | FileCheck %s
;                                     RUN: lispier show-expanded %s | FileCheck %s --check-prefix=EXPANDED
;
; A macro is a function from forms to a form that runs during expansion. Backquote builds forms, ~ inserts
; a value, ~@ splices a list, and a name that ends in # is unique to each expansion.

(defmacro square [x]
  `(let [v# ~x] (* v# v#)))

(defmacro unless [condition & body]
  `(if ~condition (do) (do ~@body)))

; Macros can compute: this one unrolls Horner's rule for a polynomial, highest power first.
(defmacro horner [x & coefficients]
  (reduce (fn [acc c] `(+ (* ~acc ~x) ~c)) (first coefficients) (rest coefficients)))

; Macros can define functions, here one for each type.
(defmacro def-average [name type]
  `(defn ~name [(: a ~type) (: b ~type)] -> ~type
     (/ (+ a b) (: 2 ~type))))
(def-average average-f32 f32)
(def-average average-i64 i64)

(defn main []
  (println "%ld" (square (: 12 i64)))                       ; CHECK: 144
  (unless (= 1 2) (println "still here"))                   ; CHECK: still here
  (def x (: 2.0 f64))
  (println "%g" (horner x (: 1.0 f64) -3.0 0.5))            ; CHECK: -1.5
  (println "%g" (cast f64 (average-f32 1.0 4.0)))           ; CHECK: 2.5
  (println "%ld" (average-i64 10 20)))                      ; CHECK: 15
; EXPANDED-NOT: defmacro
; EXPANDED: (defn average-f32 [(: a f32) (: b f32)] -> f32
