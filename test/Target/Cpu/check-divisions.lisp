; A division that the program writes in the LLVM dialect, inside of an atomic update, or lowers by passes of its own is
; checked like any other.
; RUN: not lispier run %s -- a 2>&1 | FileCheck %s --check-prefix=ATOMIC
; RUN: not lispier run %s -- a b 2>&1 | FileCheck %s --check-prefix=LLVM
; RUN: lispier build --pipeline=file %s -o %t && not %t a b c 2>&1 | FileCheck %s --check-prefix=FILE
(require-dialect memref arith llvm)

(compilation-cpu
  (passes (pass convert-scf-to-cf) (pass convert-to-llvm)))

; ATOMIC: check-divisions.lisp:[[#@LINE+2]]:96: error[cpu-division]: integer division by zero, in function `update`
(defn update [(: m memref<1xi64>) (: by i64)]
  (memref.generic_atomic_rmw {:result i64} m 0 (region (block [(: x i64)] (memref.atomic_yield (arith.divsi x by))))))

; LLVM: check-divisions.lisp:[[#@LINE+2]]:3: error[cpu-division]: integer division by zero, in function `ratio`
(defn ratio [(: a i64) (: b i64)] -> i64
  (llvm.udiv a b))

; FILE: check-divisions.lisp:[[#@LINE+2]]:3: error[cpu-division]: integer division by zero, in function `remainder`
(defn remainder [(: a i64) (: b i64)] -> i64
  (arith.remsi a b))

(defn main [(: argc i64) (: argv !llvm.ptr)] -> i64
  (def m (memref.alloc {:result memref<1xi64>}))
  (memref.store 1 m 0)
  (update m (- argc 1))
  (+ (ratio 1 (- argc 2)) (remainder 1 (- argc 3))))
