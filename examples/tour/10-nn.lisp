; 10. Neural-network ops.             RUN: lispier run %s | FileCheck %s
;                                     RUN: lispier --emit=loops %s | FileCheck %s --check-prefix=LOOPS
;
; The nn dialect has ops that the compiler must match as units: layer norm, linear layers with their
; epilogue, attention over a cache. Each writes its result to an operand. An op is lowered to a kernel
; implementation for the target (lib/Kernels, written in Lispier), or decomposed into linalg if there is none.

(require-dialect nn memref linalg)

(defn main []
  (def x (memref.alloc {:result "memref<?x?xf32>"} (: 2 index) (: 4 index)))
  (def y (memref.alloc {:result "memref<?x?xf32>"} (: 2 index) (: 4 index)))
  (def weight (memref.alloc {:result "memref<?xbf16>"} (: 4 index)))
  (def bias (memref.alloc {:result "memref<?xbf16>"} (: 4 index)))
  (linalg.fill (: 2.0 bf16) weight)
  (linalg.fill (: 1.0 bf16) bias)
  (for [i 0 2] (for [j 0 4]
    (memref.store (cast f32 (cast i64 j)) x i j)))
  ; A row 0 1 2 3 has mean 1.5 and variance 1.25; each value becomes (v - mean) / sqrt(variance + epsilon) * 2 + 1.
  (nn.layer_norm x weight bias y (: 1e-5 f32))
  (println "%.3f %.3f" (cast f64 (memref.load y (: 0 index) (: 0 index)))
                       (cast f64 (memref.load y (: 1 index) (: 3 index)))))   ; CHECK: -1.683 3.683
; LOOPS: call @__template_nn.layer_norm
