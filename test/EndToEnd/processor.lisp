; Code for a processor that this machine is not does not start: nothing has bdver4's FMA4 and today's features.
; RUN: not lispier run --cpu=bdver4 %s 2>&1 | FileCheck %s
; RUN: lispier build --cpu=bdver4 %s -o %t
; RUN: not %t 2>&1 | FileCheck %s --check-prefix=BUILT
; REQUIRES: x86
; CHECK: error[target-mismatch]: this machine cannot run code for the processor bdver4: it has no {{[a-z0-9.]+}}, or may not use it
; BUILT: lispier: this program was compiled for a processor with {{[a-z0-9.]+}}, which this one does not have or may not use
(defn main [] (println "started"))
