; A function that builds forms is compiled and run while the file is expanded; what follows may use it.
; RUN: split-file %s %t
; RUN: lispier run %t/good.lisp | FileCheck %s
; What that costs is printed: 12 ms on an idle Zen 5.
; RUN: lispier check --time %t/good.lisp 2>&1 | FileCheck %s --check-prefix=TIME
; TIME: {{^ *[0-9.]+ .* expand$}}
; RUN: not lispier check %t/output.lisp 2>&1 | FileCheck %s --check-prefix=OUTPUT
; RUN: not lispier check %t/before.lisp 2>&1 | FileCheck %s --check-prefix=BEFORE
; RUN: not lispier check %t/signature.lisp 2>&1 | FileCheck %s --check-prefix=SIGNATURE
; RUN: not lispier check %t/depth.lisp 2>&1 | FileCheck %s --check-prefix=DEPTH

;--- good.lisp
(require-dialect arith func memref)
(extern :value-ffi)
(extern-fn value_list_first (-> [!llvm.ptr] [!llvm.ptr]))

; (twice x) is (arith.addi x x).
(defn twice [(: arguments !llvm.ptr)] -> !llvm.ptr
  (def x (value_list_first arguments))
  `(arith.addi ~x ~x))
(defmacro twice)

; The other spelling of a function, in a `do`; what it needs of the value functions is declared for it.
(do
  (func.func {:sym_name "triple" :function_type (-> [!llvm.ptr] [!llvm.ptr])}
    (region (block [(: arguments !llvm.ptr)]
      (func.return `(*i ~(value_list_first arguments) (: 3 i64))))))
  (defmacro triple))

; With the help of another function.
(defn sum [(: x !llvm.ptr)] -> !llvm.ptr `(+ ~x ~x))
(defn plus [(: arguments !llvm.ptr)] -> !llvm.ptr (sum (value_list_first arguments)))
(defmacro plus)

; A macro that defines a macro.
(defn make [(: arguments !llvm.ptr)] -> !llvm.ptr
  `(defmacro ~(value_list_first arguments) [x] `(+ ~x (: 100 i64))))
(defmacro make)
(make add100)

; Everything that a quasi-quote can hold.
(defn everything [(: arguments !llvm.ptr)] -> !llvm.ptr
  (def rest (value_list_rest arguments))
  `(do
     (println "%s %d" (cstring "a \"text\"") true)
     (let [v# ~(value_list_first arguments)]
       (println "%ld" v#))
     (def m (memref.alloc {:result memref<3xf32> :alignment 64}))
     (memref.store (: -1.5e-2 f32) m 0)
     (println "%g" (cast f64 (memref.load m 0)))
     (println "%ld %ld" ~@rest)))
(defmacro everything)

(defn main [] -> i64
  ; CHECK: {{^}}a "text" 1{{$}}
  ; CHECK-NEXT: {{^}}5{{$}}
  ; CHECK-NEXT: {{^}}-0.015{{$}}
  ; CHECK-NEXT: {{^}}6 7{{$}}
  (everything 5 6 7)
  ; CHECK-NEXT: {{^}}12 10 101{{$}}
  (println "%ld %ld %ld" (triple (: 4 i64)) (plus (: 5 i64)) (add100 (: 1 i64)))
  ; CHECK-NEXT: {{^}}42{{$}}
  (+ (twice (twice (: 10 i64))) (twice (: 1 i64))))

;--- output.lisp
(require-dialect arith)
(defn bad [(: arguments !llvm.ptr)] -> !llvm.ptr `(arith.addi ~(value_list_first arguments) nope))
(defmacro bad)
; Errors in a macro's output name the macro, also if another macro uses that output.
; OUTPUT: output.lisp:8:12: error[name-undefined]: `nope` is not defined
; OUTPUT: note: in the expansion of `bad`
; OUTPUT-NOT: error
(defn f [] (bad 1))
(defn other [(: arguments !llvm.ptr)] -> !llvm.ptr arguments)
(defmacro other)

;--- before.lisp
; Before the macro is defined its name means the function.
; BEFORE: before.lisp:4:22: error[call-type]: argument 1 of `late` has type i64, not !llvm.ptr
(defn late [(: arguments !llvm.ptr)] -> !llvm.ptr arguments)
(defn early [] (late 1))
(defmacro late)

;--- signature.lisp
; SIGNATURE: signature.lisp:4:1: error[macro-shape]: the function `wrong` cannot be a macro: it does not take one !llvm.ptr and return one
; SIGNATURE: hint: a compiled macro is (defn name [(: arguments !llvm.ptr)] -> !llvm.ptr ...)
(defn wrong [(: x i64)] -> i64 x)
(defmacro wrong)

;--- depth.lisp
; DEPTH: depth.lisp:5:12: error[macro-depth]: macro calls nest deeper than 100: {{.*}}again -> again -> again
; DEPTH: hint: a macro that calls itself must reach a case where it does not
(defn again [(: arguments !llvm.ptr)] -> !llvm.ptr `(again ~(value_list_first arguments)))
(defmacro again)
(defn f [] (again 1))
