; What a training run tells: lines, log.tsv, loss.svg; a run that goes on; Ctrl-C, of which the second ends the program.
; RUN: rm -rf %t && mkdir %t
; RUN: lispier run %s %t/run 0 30 | FileCheck %s
; RUN: FileCheck %s --check-prefix=LOG < %t/run/log.tsv
; RUN: %{python} %S/Inputs/check-loss-plot.py %t/run/loss.svg 30 | FileCheck %s --check-prefix=PLOT
; The run goes on from step 20: the lines after it are written again, and the curve is drawn to step 40.
; RUN: lispier run %s %t/run 20 40 > %t/again
; RUN: grep -c . %t/run/log.tsv | FileCheck %s --check-prefix=LINES
; RUN: %{python} %S/Inputs/check-loss-plot.py %t/run/loss.svg 40 | FileCheck %s --check-prefix=PLOT
; Without a folder a run tells its lines alone.
; RUN: lispier run %s '' 0 10 | FileCheck %s --check-prefix=ALONE
; ALONE: step 10/10 | loss 1.0000
; ALONE-NEXT: step 10/10 | validation loss 2.5000
; RUN: sh -c 'lispier run %s %t/run 0 0 > %t/stopped; echo "status $?" >> %t/stopped'
; RUN: FileCheck %s --check-prefix=STOPPED < %t/stopped
(require-dialect llvm math)
(require ["../../examples/training/progress.lisp" :as progress])
(require-dialect llvm)
(extern-fn raise (-> [i32] [i32]))
(extern-fn atol (-> [!llvm.ptr] [i64]))

; CHECK: {{^}}step 1/30 | loss 10.0000 (+0.0000) | norm 0.50 | lr 6.0e-4 | {{[0-9.]+}} ms | {{[0-9.]+}}{{[kMG]}} tok/s | {{[0-9.]+}} {{[KMG]}}B | {{[0-9]+}} s left{{$}}
; CHECK: {{^}}step 2/30 | loss 5.0000 (-5.0000) | norm 0.50 | lr 3.0e-4 |
; CHECK: {{^}}step 6/30 | loss 1.6667 (-0.3333) | norm 0.50 | lr 1.0e-4 |
; CHECK: step 10/30 | validation loss 2.5000
; CHECK: {{^}}step 30/30
; CHECK: {{^}}989 756 0{{$}}
; CHECK-NOT: interrupted
; LOG: {{^}}step	loss	validation	norm	lr	ms	tokens/s{{$}}
; LOG-NEXT: {{^}}1	10.000000		0.5	0.0006	{{[0-9.]+}}	{{[0-9]+$}}
; LOG: {{^}}10	1.000000		0.5	6e-05	{{[0-9.]+}}	{{[0-9]+$}}
; LOG-NEXT: {{^}}10		2.500000				{{$}}
; LOG: {{^}}30	0.333333
; LINES: {{^}}45{{$}}
; PLOT: 3 curves end at the right edge
; STOPPED: {{^}}interrupted
; STOPPED-NEXT: status 130

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def folder (ptr-load !llvm.ptr argv))
  (def from (atol (ptr-load !llvm.ptr (ptr-offset !llvm.ptr argv 8))))
  (def steps (atol (ptr-load !llvm.ptr (ptr-offset !llvm.ptr argv 16))))
  (def p (progress/start-progress (if (= (ptr-load i8 folder) (: 0 i8)) (null-ptr) folder) from steps (: 4096 i64) (: 1e9 f64)))
  (for [i (cast index from) (cast index steps)]
    (def step (+ (: 1 i64) (cast i64 i)))
    (progress/tell-step p step (/ (: 10.0 f64) (cast f64 step)) (: 0.5 f64) (/ (: 6e-4 f64) (cast f64 step)))
    (when (= (% step (: 10 i64)) (: 0 i64))
      (progress/tell-validation p step (/ (: 25.0 f64) (cast f64 step)))))
  ; Data sheets, and a device that is not known.
  (println "%g %g %g" (progress/peak-of (cstring "NVIDIA H200")) (progress/peak-of (cstring "NVIDIA H100 PCIe"))
           (progress/peak-of (cstring "")))
  (when (= steps (: 0 i64))
    (raise (: 2 i32))
    (println "%s" (if (progress/stop-asked?) (cstring "interrupted") (cstring "not noticed")))
    (fflush (null-ptr))
    (raise (: 2 i32))
    (println "goes on")))
