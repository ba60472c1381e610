; Ranks: a program that runs as several processes, each on its own part of the numbers.
;
;   lispier run examples/ranks/sum.lisp                 one process
;   lispier run --ranks=2 examples/ranks/sum.lisp       two, which MPI connects; with --target=cuda NCCL does
;
; RUN: lispier run %s | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 %s | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=3 --rank-output=all %s | FileCheck %s --check-prefix=ALL

; The axes along which ranks are numbered. This one takes all ranks that there are.
(defmesh [dp])

(defn main []
  (def n 12)
  ; The rank and the number of ranks are numbers of the run; each rank has other numbers, here rank * n/p ...
  (def own (/ n (ranks dp)))
  (def x (+ (iota f32 [own]) (cast f32 (* (rank dp) own))))
  ; ... and all of them get the sum, as one process would have computed it.
  (def total (all-reduce (sum (* x x)) :over dp))
  (println "0^2 + ... + 11^2 = %g" total)
  ; The parts of all ranks, one behind the other.
  (println (all-gather x :over dp)))
; CHECK: 0^2 + ... + 11^2 = 506
; CHECK-NEXT: f32 [12]
; CHECK: 11
; ALL-DAG: 0| 0^2 + ... + 11^2 = 506
; ALL-DAG: 1| 0^2 + ... + 11^2 = 506
; ALL-DAG: 2| 0^2 + ... + 11^2 = 506
