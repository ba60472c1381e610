; Products of batches: of each matrix with its own, with one for all, and of all pairs, which letters say.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn filled [(: n index) (: seed f32)] (sin (* seed (iota f32 [n]))))
(defn all-pairs [a b] (einsum "xmk,ykn->xymn" a b))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def a (reshape (filled 60 0.5) [5 3 4]))
  (def b (reshape (filled 120 0.9) [5 4 6]))
  (def c (matmul a b))
  (println "%ld %ld %ld" (dim c 0) (dim c 1) (dim c 2))                            ; CHECK: {{^}}5 3 6{{$}}
  (def s (fold [s (: 0.0 f32)] [k 0 4] (+ s (* (at a 3 2 k) (at b 3 k 5)))))
  (check/report (cstring "element") (abs (- s (at c 3 2 5))) 1e-6)                 ; CHECK: element: ok
  (def pairs (all-pairs a b))
  (check/report (cstring "one for all") (check/difference (matmul a (at b 2)) (einsum "xmk,kn->xmn" a (at b 2))) 1e-6)
  ; CHECK: one for all: ok
  (check/report (cstring "pairs") (check/difference (at (at pairs 2) 2) (at c 2)) 1e-6)           ; CHECK: pairs: ok
  (def left (to-memref (reshape (filled 1048576 0.5) [64 128 128])))
  (def right (to-memref (reshape (filled 1048576 0.9) [64 128 128])))
  (timed argc memref<?x?x?xf32> [(: 64 index) (: 128 index) (: 128 index)] (matmul (load left) (load right))))
