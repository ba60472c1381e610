; The same collectives over MPI: as mpirun starts ranks, and as `--ranks` becomes mpirun.
; REQUIRES: openmpi
; RUN: lispier build %S/collectives.lisp -o %t
; RUN: env LISPIER_THREADS=1 LISPIER_MPI=libmpi.so.40 LISPIER_COMM_CHECK=1 %t --ranks=2 | FileCheck %S/collectives.lisp --check-prefixes=CHECK,TWO
; RUN: env LISPIER_THREADS=1 mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none -n 3 %t | FileCheck %s
; RUN: env LISPIER_THREADS=1 LISPIER_MPI=libmpi.so.40 lispier run --ranks=2 %S/mesh.lisp | FileCheck %s --check-prefix=MESH
; CHECK-DAG: 0 of 3
; CHECK-DAG: 1 of 3
; CHECK-DAG: 2 of 3
; MESH: 0: dp 0 tp 0
; MESH-NEXT: f32 [2]
; MESH-NEXT: [0 1]

; What the launcher has started, the library of another MPI does not know.
; REQUIRES: mpich
; RUN: not env LISPIER_MPI=libmpich.so.12 mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 %t 2>&1 | FileCheck %s --check-prefix=LIBRARY
; LIBRARY: error: rank {{[01]}}: join: Open MPI has started 2 ranks, and libmpich.so.12 knows 1; LISPIER_MPI=FILE names that one's library
