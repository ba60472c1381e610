; The same collectives over MPICH.
; REQUIRES: mpich
; RUN: lispier build %S/collectives.lisp -o %t
; RUN: env LISPIER_THREADS=1 LISPIER_MPI=libmpich.so.12 LISPIER_COMM_CHECK=1 %t --ranks=3 | FileCheck %S/collectives.lisp --check-prefixes=CHECK,THREE
; RUN: env LISPIER_THREADS=1 mpirun.mpich -n 2 %t | FileCheck %s
; CHECK-DAG: 0 of 2
; CHECK-DAG: 1 of 2
