; RUN: lispier run %s | FileCheck %s
; RUN: not lispier run %S/Inputs/null-macro.lisp 2>&1 | FileCheck %s --check-prefix=NULL
; Both kinds of macros, and names that the user takes over, all the way to numbers.
(require-dialect arith func llvm)
(extern :value-ffi)

; A compiled macro: the quasi-quote builds values, the arguments arrive as a list of them.
(defn add-all [(: args !llvm.ptr)] -> !llvm.ptr
  (def first (call !llvm.ptr value_list_first args))
  (def rest (call !llvm.ptr value_list_rest args))
  (cond {:result !llvm.ptr}
    (=i (call i64 value_list_len rest) (: 0 i64)) first
    :else `(+i ~first (add-all ~@rest))))
(defmacro add-all)

(defmacro square [x] `(let [v# ~x] (*i v# v#)))

; `max` and `if` mean this file's functions here, and `and` and `cond` are still made of the real `if`.
(defn max [(: a i64) (: b i64)] -> i64 (+i a b))
(defn if [(: a i64)] -> i64 a)
(defn main [] -> i64
  ; CHECK: 10 49
  (print "%ld %ld\n" (add-all (: 1 i64) (: 2 i64) (: 3 i64) (: 4 i64)) (square (: 7 i64)))
  ; CHECK-NEXT: 9 5 1
  (print "%ld %ld %d\n" (max (: 4 i64) (: 5 i64)) (if (: 5 i64)) (and (<i (: 1 i64) (: 2 i64)) (<i (: 2 i64) (: 3 i64))))
  (: 0 i64))
; NULL: null-macro.lisp:3:28: error[macro-null]: the macro `nothing` yields nothing
; NULL: null-macro.lisp:2:1: note: the macro is defined here
