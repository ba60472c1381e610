; Ranks along two axes, the last of which has neighbours; other sizes by --mesh; what does not divide.
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=4 --rank-output=all %s | sort | FileCheck %s
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=4 --mesh=tp=4 %s | FileCheck %s --check-prefix=FOUR
; RUN: lispier run --mesh=tp=1 %s | FileCheck %s --check-prefix=ONE
; RUN: not lispier run %s 2>&1 | FileCheck %s --check-prefix=ALONE
; RUN: not env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=3 %s 2>&1 | FileCheck %s --check-prefix=DIVIDES
; RUN: not lispier run --mesh=sp=2 %s 2>&1 | FileCheck %s --check-prefix=AXIS
; RUN: not env LISPIER_MESH=tp lispier run --mesh=tp=x %s 2>&1 | FileCheck %s --check-prefix=TEXT
; RUN: not lispier run --ranks=0 %s 2>&1 | FileCheck %s --check-prefix=NUMBER
(defmesh [dp] [tp 2])
(defn show [(: name index) (: a index) (: b index)]
  (println "%d: dp %d tp %d" (cast i64 name) (cast i64 a) (cast i64 b)))
(defn main []
  (show (rank) (rank dp) (rank tp))
  (def r (full f32 [1] (cast f32 (rank))))
  (println (all-gather r :over tp))
  (println (all-gather r :over dp))
  (println (all-gather r :over [dp tp])))
; CHECK: 0| 0: dp 0 tp 0
; CHECK: 0| [0 1 2 3]
; CHECK: 0| [0 1]
; CHECK: 0| [0 2]
; CHECK: 1| 1: dp 0 tp 1
; CHECK: 1| [0 1 2 3]
; CHECK: 1| [0 1]
; CHECK: 1| [1 3]
; CHECK: 2| 2: dp 1 tp 0
; CHECK: 2| [0 1 2 3]
; CHECK: 2| [0 2]
; CHECK: 2| [2 3]
; FOUR: 0: dp 0 tp 0
; FOUR: [0 1 2 3]
; FOUR: [0]
; ONE: 0: dp 0 tp 0
; ONE-COUNT-3: [0]
; ALONE: error: mesh: dp,tp=2 is 2 places or a multiple, and there is 1 rank; --ranks=2 or --mesh=tp=N
; DIVIDES: {{[0-2]}}| {{.*}}mesh.lisp:{{.*}}: error: rank {{[0-2]}}: mesh: dp,tp=2 is 2 places or a multiple, and there are 3 ranks; --ranks=2 or --mesh=tp=N
; AXIS: error: mesh: the program has no axis sp; it has dp and tp
; TEXT: error: mesh: `tp=x` is no mesh; write dp=4,tp=2
; NUMBER: `--ranks`
