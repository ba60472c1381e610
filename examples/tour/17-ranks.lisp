; 17. Ranks: one program as several processes.      RUN: lispier run %s | FileCheck %s
;
; With `lispier run --ranks=2`, or by mpirun, srun and torchrun, a program runs as several processes, its ranks, each on
; a GPU of its own or a part of the processors; NCCL, RCCL or MPI connects them. Without, there is one rank, and all of
; this costs nothing. examples/ranks has more: a divided layer, and training with divided data.
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 %s | FileCheck %s

; The axes along which ranks are numbered. One may have no size: it takes the ranks that are left.
(defmesh [dp] [tp 1])

(defn main []
  ; A rank's place along an axis, and the number of them.
  (def x (full f32 [(/ 12 (ranks dp))] (cast f32 (rank dp))))
  (println (dim (all-gather x :over dp) 0))                     ; CHECK: {{^12$}}

  ; What all have, what each has a part of, and sums over the ranks are told apart, and checked: without all-reduce this
  ; is an error, since each rank has the sum of its part only.
  (def part (own-part (iota f32 [12]) :over dp))
  (println "%g" (sqrt (all-reduce (sum (* part part)) :over dp))) ; CHECK: 22.4944

  ; Numbers that steer the program come from a collective, so that all ranks go the same way.
  (def done (all-reduce (cast i64 (rank)) :over [dp tp] :by min))
  (when (= done 0) (println "all are here")))                   ; CHECK: all are here
