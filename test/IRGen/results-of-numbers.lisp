; What a function without `->` returns.
; RUN: split-file %s %t
; RUN: lispier run %t/numbers.lisp | FileCheck %s --check-prefix=NUMBERS
; RUN: not lispier check %t/memory.lisp 2>&1 | FileCheck %s --check-prefix=MEMORY

; Of numbers alone: the value of its last form, before its definition and in a recursive call, too.
; NUMBERS: {{^}}25{{$}}
; NUMBERS-NEXT: {{^}}120{{$}}
; NUMBERS-NEXT: {{^}}0.5{{$}}
;--- numbers.lisp
(defn main []
  (println (square 5))
  (println (factorial 5))
  (println (half 1))
  (count-down 2))
(defn square [(: n i64)] (* n n))
(defn factorial [(: n i64)] (if (<= n 1) (: 1 i64) (* n (factorial (- n 1)))))
(defn half [(: i index)] (/ (cast f32 i) 2.0))
; The last form has no value, and calls the function for what it prints.
; NUMBERS-NEXT: {{^}}2{{$}}
; NUMBERS-NEXT: {{^}}1{{$}}
; NUMBERS-NOT: {{.}}
(defn count-down [(: n i64)] (if (> n 0) (do (println n) (count-down (- n 1)))))

; Of memory, or of nothing: nothing. The message says what to write.
; MEMORY: memory.lisp:6:12: error[name-no-value]: `first` produces no value
; MEMORY: memory.lisp:2:1: note: `first` is defined here
; MEMORY: hint: its last form has type f32: write -> f32 after its parameters to return it
; MEMORY: memory.lisp:7:10: error[name-no-value]: `one` produces no value
; MEMORY: hint: its last form has type i64: write -> i64 after its parameters to return it
; MEMORY: memory.lisp:8:12: error[name-no-value]: `later` produces no value
; MEMORY: memory.lisp:9:1: note: `later` is defined here
; MEMORY: hint: write -> type after its parameters to return the value of its last form
;--- memory.lisp
(require-dialect memref)
(defn first [(: m memref<4xf32>)] (memref.load m 0))
(defn one [] 1)
(defn main [(: count i64) (: arguments !llvm.ptr)]
  (def m (memref.alloc {:result memref<4xf32>}))
  (println (first m))
  (def x (one))
  (println (later m)))
(defn later [(: m memref<4xf32>)] (memref.load m 1))
