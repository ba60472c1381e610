; 7. Parallel loops.                  RUN: lispier run %s | FileCheck %s
;                                     RUN: env LISPIER_THREADS=1 lispier run %s | FileCheck %s
;                                     RUN: lispier --emit=loops %s | FileCheck %s --check-prefix=LOOPS
;
; `parallel` declares that iterations are independent (scf.parallel). On a CPU the outermost loop runs on
; all cores; on a GPU it becomes a grid. Results do not depend on the number of threads.

(require-dialect memref scf arith math)

(defn fill-squares [(: m "memref<?x?xf32>")]
  (parallel [i (memref.dim m (: 0 index)) j (memref.dim m (: 1 index))]
    (def v (cast f32 (cast i64 (* i j))))
    (memref.store (math.sqrt v) m i j)))

; A parallel reduction uses the op scf.parallel itself.
(defn trace-sum [(: m "memref<?x?xf32>")] -> f32
  (def zero (: 0 index))
  (def one (: 1 index))
  (scf.parallel {:result f32} [zero] [(memref.dim m zero)] [one] [(: 0.0 f32)]
    (region (block [(: i index)]
      (scf.reduce (memref.load m i i)
        (region (block [(: a f32) (: b f32)]
          (scf.reduce.return (arith.addf a b)))))))))

(defn main []
  (def m (memref.alloc {:result "memref<?x?xf32>"} (: 512 index) (: 512 index)))
  (fill-squares m)
  (println "%g" (cast f64 (memref.load m (: 16 index) (: 4 index))))  ; CHECK: 8
  (println "%g" (cast f64 (trace-sum m)))                             ; CHECK: 130816
  (memref.dealloc m))
; LOOPS: call @lispier_rt_parallel_for
