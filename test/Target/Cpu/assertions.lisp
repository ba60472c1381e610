; A failed assertion prints its location after all earlier output; in kernels also the thread.
; RUN: not lispier run %s 2>&1 | FileCheck %s --check-prefix=HOST
; RUN: lispier build %s -o %t && not %t 2>&1 | FileCheck %s --check-prefix=HOST
; RUN: lispier run %s -- 7 | FileCheck %s --check-prefix=HOLDS
; RUN: not lispier run --target=sim %s -- 7 8 2>&1 | FileCheck %s --check-prefix=KERNEL -DTARGET=sim
; RUN: not lispier run --target=cpu %s -- 7 8 2>&1 | FileCheck %s --check-prefix=KERNEL -DTARGET=cpu
(require-dialect cf)
(defkernel few [(: n index)]
  ; KERNEL: [[#@LINE+2]]:3: error[[[TARGET]]-assert]: assertion failed: n is above each thread's number
  ; KERNEL: in kernel `few`, block (0, 0, 0), thread (2, 0, 0)
  (cf.assert {:msg "n is above each thread's number"} (< (thread-id :x) n)))

; HOLDS: before
; HOLDS: after
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (println "before")
  (parallel [i 2]
    ; HOST: before
    ; HOST-NEXT: [[#@LINE+1]]:5: error: assertion failed: there are arguments
    (cf.assert {:msg "there are arguments"} (>= (cast index argc) i)))
  (launch few {:block [4]} (- 6 (* 2 (cast index argc))))
  (println "after"))
