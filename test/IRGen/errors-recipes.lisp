; Compilation forms that are not of their shape.
; RUN: split-file %s %t
; RUN: not lispier check %t/targets.lisp 2>&1 | FileCheck %s --check-prefix=TARGETS
; RUN: not lispier check --pipeline=file %t/options.lisp 2>&1 | FileCheck %s --check-prefix=OPTIONS
; RUN: lispier run %t/options.lisp > %t/options.out 2>&1
; RUN: FileCheck %s --check-prefix=OPTIONS < %t/options.out
; RUN: not lispier check %t/gpu.lisp 2>&1 | FileCheck %s --check-prefix=GPU
; RUN: not lispier check %t/cpu.lisp 2>&1 | FileCheck %s --check-prefix=CPU

;--- targets.lisp
(compilation
  (target cpu
    (cse)
    (pass)
    (pass "cse"))
  (passes (pass cse))
  (target tpu (pass cse))
  5)
; TARGETS: targets.lisp:3:5: error[macro-shape]: expected a pass, found (cse)
; TARGETS: hint: write (pass name {:option value})
; TARGETS: targets.lisp:4:5: error[macro-shape]: a pass has a name
; TARGETS: targets.lisp:5:11: error[macro-shape]: the name of a pass is a symbol, not a string
; TARGETS: targets.lisp:6:3: error[macro-shape]: expected a target
; TARGETS: hint: write (target backend (pass name {options}) ...)
; TARGETS: targets.lisp:7:11: error[target-mismatch]: unknown backend tpu
; TARGETS: hint: the backends are cpu, cuda and rocm
; TARGETS: targets.lisp:8:3: error[macro-shape]: expected a target
(defn main [] -> i64 1)

; Where no pass of the form runs, its options are worth a warning.
;--- options.lisp
(compilation
  (target cpu
    (pass cse 5)
    (pass cse {:a [1]})
    (pass cse {} {})
    (pass cse :a)
    (pass cse :a 1 2 3)))
; OPTIONS: options.lisp:3:15: {{error|warning}}[macro-shape]: the options of a pass are one map
; OPTIONS: hint: write (pass name {:option value})
; OPTIONS: options.lisp:4:19: {{error|warning}}[macro-shape]: an option of a pass is a number, a text, a word, true or false
; OPTIONS: options.lisp:5:15: {{error|warning}}[macro-shape]: the options of a pass are one map
; OPTIONS: options.lisp:6:15: {{error|warning}}[macro-shape]: the option `:a` has no value
; OPTIONS: options.lisp:7:20: {{error|warning}}[macro-shape]: expected an option's name, `:name`
(defn main [] -> i64 1)

;--- gpu.lisp
(compilation-gpu tpu (passes (pass cse)))
; GPU: gpu.lisp:1:18: error[target-mismatch]: unknown backend tpu
(defn main [] -> i64 1)

;--- cpu.lisp
(compilation-cpu
  (gpu-passes (pass cse))
  (pass cse)
  7)
; CPU: cpu.lisp:2:3: error[macro-shape]: a CPU has no gpu-passes
; CPU: hint: write (passes (pass name) ...) or (func-passes ...)
; CPU: cpu.lisp:3:3: error[macro-shape]: expected a group of passes
; CPU: cpu.lisp:4:3: error[macro-shape]: expected a group of passes
(defn main [] -> i64 1)
