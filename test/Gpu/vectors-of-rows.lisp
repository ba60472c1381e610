; vector.load and vector.store of several rows, in host code and in kernels; the simulator checks each row.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o /dev/null
; RUN: sed 's/(: 2 index)) ; row/(: 3 index)) ; row/' %s > %t.lisp
; RUN: not lispier run --target=sim %t.lisp 2>&1 | FileCheck %s --check-prefix=BOUNDS
; BOUNDS: error[sim-bounds]: index 5 of dimension 0 is outside its size 5
(require-dialect memref vector)

; PTX: .entry rows
; PTX-COUNT-9: ld.global
(defkernel rows [(: m memref<5x8xf32>) (: n memref<5x8xf32>)]
  (def row (: 2 index)) ; row
  (vector.store (vector.load {:result "vector<3x3xf32>"} m row (: 4 index)) n (: 0 index) (: 1 index)))

(defn main []
  (def m (memref.alloc {:result memref<5x8xf32>}))
  (def n (memref.alloc {:result memref<5x8xf32>}))
  (for [i 0 5]
    (for [j 0 8]
      (memref.store (cast f32 (+ (* i 10) j)) m i j)
      (memref.store 0.0 n i j)))
  (launch rows {:grid [1] :block [1]} m n)
  (vector.store (vector.load {:result "vector<2x2xf32>"} n (: 1 index) (: 1 index)) n (: 3 index) (: 6 index))
  ; CHECK: 0 24 26 0
  ; CHECK: 0 44 46 0
  ; CHECK: 34 35 44 45
  (for [i 0 3]
    (println "%g %g %g %g" (cast f64 (memref.load n i 0)) (cast f64 (memref.load n i 1)) (cast f64 (memref.load n i 3))
      (cast f64 (memref.load n i 4))))
  (println "%g %g %g %g" (cast f64 (memref.load n 3 6)) (cast f64 (memref.load n 3 7)) (cast f64 (memref.load n 4 6))
    (cast f64 (memref.load n 4 7))))
