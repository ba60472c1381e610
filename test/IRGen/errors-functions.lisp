; Declarations, calls, structs and print.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
(extern-fn a (-> [i64] [i64]))
(extern-fn a (-> [i64] [i64]))
; CHECK: :[[#@LINE+3]]:1: error[mod-dup-symbol]: `a` is declared with another type here: (i32) -> i64
; CHECK: {{^ {2}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: :{{[0-9]+}}:1: note: it has type (i64) -> i64 here
(extern-fn a (-> [i32] [i64]))

(defn g [(: x i64) (: y f32)] -> i64 x)
; CHECK: :[[#@LINE+3]]:14: error[call-arity]: `g` takes 2 arguments, not 1
; CHECK: {{^ {15}\^~~~~$}}
; CHECK: :{{[0-9]+}}:1: note: `g` is defined here: (i64, f32) -> i64
(defn few [] (g 1))
; CHECK: :[[#@LINE+3]]:24: error[call-arity]: `g` takes 2 arguments, not 3
; CHECK: {{^ {25}\^$}}
; CHECK: :{{[0-9]+}}:1: note: `g` is defined here: (i64, f32) -> i64
(defn many [] (g 1 2.0 3))
; CHECK: :[[#@LINE+3]]:18: error[call-type]: argument 1 of `g` has type i32, not i64
; CHECK: {{^ {19}\^~~~~~~~~$}}
; CHECK: :{{[0-9]+}}:1: note: `g` is defined here: (i64, f32) -> i64
(defn type [] (g (: 1 i32) 2.0))
; CHECK: :[[#@LINE+3]]:18: error[call-unknown]: there is no function `gg`
; CHECK: {{^ {19}\^~~~~~~~~~~~~~~$}}
; CHECK: hint: did you mean `g`?
(defn unknown [] (call i64 gg 1))
; CHECK: :[[#@LINE+3]]:25: error[call-type]: `g` returns i64, not what `:result` says
; CHECK: {{^ {26}\^~~$}}
; CHECK: :{{[0-9]+}}:1: note: `g` is defined here
(defn returned [] (call i32 g (: 1 i64) (: 2.0 f32)))

; CHECK: :[[#@LINE+3]]:31: error[type-mismatch]: `last` returns f32, and its last form has type i64
; CHECK: {{^ {32}\^$}}
; CHECK: hint: (cast f32 value) converts
(defn last [(: x i64)] -> f32 x)
; CHECK: :[[#@LINE+3]]:22: error[type-mismatch]: `none` returns 1 value, and its last form has none
; CHECK: {{^ {23}\^~~~~~~~~$}}
; CHECK: hint: end the function with (func.return value ...)
(defn none [] -> f32 (println))
; CHECK: :[[#@LINE+3]]:27: error[type-mismatch]: `two` returns 2 values, and its last form has 1
; CHECK: {{^ {28}\^~~~~~~~~~~$}}
; CHECK: hint: end the function with (func.return value ...)
(defn two [] -> [f32 i64] (: 1.0 f32))

; CHECK: :[[#@LINE+3]]:44: error[type-mismatch]: printf cannot take vector<2xf32>
; CHECK: {{^ {45}\^$}}
; CHECK: hint: (vector.print value) prints a vector
(defn vectors [(: v vector<2xf32>)] (print v))
; CHECK: :[[#@LINE+2]]:21: error[macro-arity]: the format has 1 directive, and there are 0 values
; CHECK: {{^ {22}\^~~~~~~~~~~~~~$}}
(defn directives [] (println "%d"))
; CHECK: :[[#@LINE+2]]:30: warning[macro-arity]: the format has 0 directives, and there are 1 values: this one is not printed
; CHECK: {{^ {31}\^~~~~~~~~$}}
(defn values [] (println "a" (: 3 i64)))
; CHECK: :[[#@LINE+3]]:29: error[type-mismatch]: `%s` cannot print i64
; CHECK: {{^ {30}\^~~~~~~~~$}}
; CHECK: hint: write `%ld`
(defn text [] (println "%s" (: 3 i64)))
; CHECK: :[[#@LINE+3]]:35: error[type-mismatch]: `%Lf` cannot print f64
; CHECK: {{^ {36}\^~~$}}
; CHECK: hint: write `%f`
(defn long-double [] (print "%Lf" 1.5))
; CHECK: :[[#@LINE+3]]:42: error[type-mismatch]: `%g` cannot print f80
; CHECK: {{^ {43}\^$}}
; CHECK: hint: write `%Lf`
(defn extended [(: x f80)] (println "%g" x))
; CHECK: :[[#@LINE+3]]:23: warning[macro-shape]: a format ends at its first NUL; what follows is not printed
; CHECK: {{^ {24}\^~~~~~$}}
; CHECK: hint: (print "%c" (: 0 i32)) prints a NUL
(defn nul [] (println "a\0b"))
; CHECK: :[[#@LINE+3]]:21: error[macro-shape]: printf has no directive `%y`
; CHECK: {{^ {22}\^~~~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: %% prints a percent sign
(defn conversion [] (println "%y" (: 3 i64)))

; CHECK: :[[#@LINE+3]]:54: error[type-mismatch]: this branch of `if` gives i64, not f32
; CHECK: {{^ {55}\^$}}
; CHECK: hint: both branches of `if` have one type
(defn branches [(: x i64)] (if {:result f32} (= x 1) x x))
; CHECK: :[[#@LINE+3]]:33: error[type-mismatch]: a condition is an i1, not i64
; CHECK: {{^ {34}\^$}}
; CHECK: hint: compare it: (!= value 0)
(defn condition [(: x i64)] (if x 1 2))
; CHECK: :[[#@LINE+2]]:64: error[type-mismatch]: the next value of `loop` is i32, and it carries i64
; CHECK: {{^ {65}\^~~~~~~~~$}}
(defn carried [] (loop {:result i64} [v 1] :while (<i v 2) :do (: 1 i32)))
