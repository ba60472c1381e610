; What print makes of percent signs, of memory, and of :digits.
; RUN: split-file %s %t
; RUN: lispier run %t/print.lisp | FileCheck %s
; RUN: lispier run --target=sim %t/print.lisp | FileCheck %s
; RUN: lispier build %t/print.lisp -o %t/print && %t/print | FileCheck %s
; RUN: not lispier check %t/errors.lisp 2>&1 | FileCheck %s --check-prefix=ERRORS

;--- print.lisp
(require-dialect memref)
(defn main []
  ; With no values, a percent sign that begins no directive is text.
  ; CHECK: {{^}}100%{{$}}
  ; CHECK-NEXT: {{^}}100%{{$}}
  ; CHECK-NEXT: {{^}}50% done, 3%, % and %{{$}}
  (println "100%")
  (println "100%%")
  (println "50% done, 3%, % and %")
  ; A directive without a length takes an integer of its value's size; one with a length cuts or widens.
  ; CHECK-NEXT: {{^}}10000000000 x 2540be400 3, 7 100 -1 d{{$}}
  (println "%d %c %x %u, %d %hhd %ld %c" (: 10000000000 i64) (: 120 i64) (: 10000000000 i64) 3 (: 7 i32) (: 612 i64)
           (: -1 i32) (: 100 i64))
  ; A memref is printed as a tensor, with the elements that it has at that place.
  ; CHECK-NEXT: f32 [2 2]
  ; CHECK-NEXT: {{^\[\[}}0.1 0.1]
  ; CHECK-NEXT: {{^}} [0.1 0.1]]
  ; CHECK-NEXT: f32 [2 2]
  ; CHECK-NEXT: {{^\[\[}}0.1 7]
  ; CHECK-NEXT: {{^}} [0.1 0.1]]
  (def m (memref.alloc {:result memref<2x2xf32>}))
  (for [i 0 2] (for [j 0 2] (memref.store 0.1 m i j)))
  (println m)
  (memref.store 7.0 m 0 1)
  (println m)
  ; As many digits as read back to the same number of the type, and not one more.
  ; CHECK-NEXT: f64 [1]
  ; CHECK-NEXT: {{^}}[0.3333333333333333]
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: {{^}}[0.33333334 0.33333334]
  ; CHECK-NEXT: f16 [1]
  ; CHECK-NEXT: {{^}}[0.3333]
  ; CHECK-NEXT: bf16 [1]
  ; CHECK-NEXT: {{^}}[0.334]
  ; CHECK-NEXT: f32 [3]
  ; CHECK-NEXT: {{^}}[inf -inf nan]
  (println (/ (full f64 [1] 1.0) 3.0) :digits full)
  (println (/ (full f32 [2] 1.0) 3.0) :digits full)
  (println (/ (full f16 [1] 1.0) 3.0) :digits full)
  (println (/ (full bf16 [1] 1.0) 3.0) :digits full)
  (println (: [inf -inf nan] (tensor 3 f32)) :digits full)
  ; CHECK-NEXT: f32 [1]
  ; CHECK-NEXT: {{^}}[0.333]
  (println (/ (full f32 [1] 1.0) 3.0) :digits 3)
  ; CHECK-NEXT: {{^}}0.33333334{{$}}
  ; CHECK-NEXT: {{^}}0.1 0.333{{$}}
  ; CHECK-NEXT: {{^}}16777217 0.333333{{$}}
  (println (/ (: 1.0 f32) (: 3.0 f32)) :digits full)
  (print 0.1 :digits full)
  (print " ")
  (println (/ 1.0 3.0) :digits 3)
  (print 16777217 :digits full)
  (print " ")
  (println (/ 1.0 3.0)))

;--- errors.lisp
(defn main []
  ; ERRORS: errors.lisp:3:3: error[macro-arity]: the format has 1 directive, and there are 0 values
  (println "%d of it")
  ; ERRORS: hint: %% prints a percent sign
  ; ERRORS: errors.lisp:7:24: error[macro-shape]: `:digits` is a number of digits from 1 to 17, not 18
  ; ERRORS: hint: `:digits full` prints as many as read back to the same number
  (println 1.0 :digits 18)
  ; ERRORS: error[macro-shape]: `println` does not know `:digit`; its keywords are :digits
  (println 1.0 :digit 8))
