; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o - | FileCheck %s --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.942
; RUN: llvm-objdump -d %t.942 | FileCheck %s --check-prefix=HSACO
; RUN: lispier --emit=hsaco --target=rocm:gfx1100 %s -o %t.1100
; RUN: llvm-objdump -d %t.1100 | FileCheck %s --check-prefix=HSACO
(require-dialect memref)

; Products of floats and integers in shared memory, in a part of a larger memref, and an update of the user's own.
; PTX-COUNT-4: atom.{{.*}}cas.b
; HSACO-COUNT-4: cmpswap
(defkernel products [(: floats memref<?x?xf32>) (: words memref<2xi32>) (: most memref<1xf64>)]
  (def t (thread-id :x))
  (def tile (shared f32 [2]))
  (when (< t 2) (memref.store 1.0 tile t))
  (barrier)
  (memref.atomic_rmw {:kind mulf :result f32} (+ 1.0 (cast f32 (/ t 32))) tile (/ t 32))
  (memref.atomic_rmw {:kind mulf :result f32} (cast f32 2.0) floats 1 (% t 3))
  (memref.atomic_rmw {:kind muli :result i32} (: 3 i32) words (% t 2))
  (memref.generic_atomic_rmw {:result f64} most (: 0 index)
    (region (block [(: x f64)] (memref.atomic_yield (max x (cast f64 t))))))
  (barrier)
  (when (< t 2) (memref.store (memref.load tile t) floats 0 t)))

; 2^32, then 2^22 and 2^21 for 64 threads in three parts, 3^32 modulo 2^32.
; CHECK: 1 4.29497e+09 | 4.1943e+06 2.09715e+06 0 | -501334399 -501334399 | 63
(defn main []
  (def floats (device-alloc memref<?x?xf32> [2 4]))
  (parallel [i 2 j 3] (memref.store 1.0 floats i j))
  (parallel [i 2] (memref.store 0.0 floats i 3))
  (def words (device-alloc memref<2xi32> []))
  (parallel [i 2] (memref.store (: 1 i32) words i))
  (def most (device-alloc memref<1xf64> []))
  (parallel [i 1] (memref.store -5.0 most i))
  (launch products {:block [64]} floats words most)
  (def at (memref.alloc {:result memref<2x4xf32>}))
  (download! at (cast memref<2x4xf32> floats))
  (println "%g %g | %g %g %g | %d %d | %g" (cast f64 (memref.load at 0 0)) (cast f64 (memref.load at 0 1))
           (cast f64 (memref.load at 1 0)) (cast f64 (memref.load at 1 1)) (cast f64 (memref.load at 1 3))
           (memref.load words 0) (memref.load words 1) (memref.load most 0)))
