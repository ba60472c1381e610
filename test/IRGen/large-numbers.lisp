; An integer beyond i64 is what its type says, and an error without one: never a float that is near it.
; RUN: split-file %s %t
; RUN: lispier show-ir %t/typed.lisp | FileCheck %s --check-prefix=TYPED
; RUN: not lispier check %t/bare.lisp 2>&1 | FileCheck %s --check-prefix=BARE

;--- typed.lisp
(require-dialect arith)
(defn typed [] -> i128 (: 99999999999999999999 i128))
(defn real [] -> f64 (: 99999999999999999999 f64))
(defn written [] -> f64 99999999999999999999.0)
(defn near [(: x f32)] -> f32 (* x 99999999999999999999))
(defn all-bits [] -> i64 18446744073709551615)
; TYPED: arith.constant 99999999999999999999 : i128
; TYPED: arith.constant 1.000000e+20 : f64
; TYPED: arith.constant 1.000000e+20 : f64
; TYPED: arith.constant 1.000000e+20 : f32
; TYPED: arith.constant -1 : i64

;--- bare.lisp
(defn large [] (+ 1 99999999999999999999))
(defn small [] (def x -9223372036854775809) x)
(defn started [] (fold [s 99999999999999999999] [i 0 10 1] (+ s 1)))
(defn converted [] (cast i32 99999999999999999999))
; BARE: bare.lisp:1:21: error[type-literal-range]: `99999999999999999999` is out of the range of i64
; BARE: hint: i128 holds it, where that is written: (: 99999999999999999999 i128); as a float it is 99999999999999999999.0
; BARE: bare.lisp:2:23: error[type-literal-range]: `-9223372036854775809` is out of the range of i64
; BARE: bare.lisp:3:{{[0-9]+}}: error[type-literal-range]: `99999999999999999999` is out of the range of i64
; BARE: bare.lisp:4:{{[0-9]+}}: error[type-literal-range]: `99999999999999999999` is out of the range of i32
; BARE-NOT: error
