; 9. Pass pipelines in the source.    RUN: lispier run %s | FileCheck %s
;                                     RUN: lispier run --pipeline=file %s | FileCheck %s
;                                     RUN: lispier run --print-pipeline --pipeline=file %s 2>&1 | FileCheck %s --check-prefix=PIPELINE
;
; A compilation form lists passes by name. By default Lispier's own pipeline runs; --pipeline=file runs
; exactly the listed passes. Pass names and options are checked against those registered with MLIR.

(compilation
  (target cpu
    (pass convert-linalg-to-loops)
    (pass canonicalize {:max-iterations 4})
    (pass convert-scf-to-cf)
    (pass expand-strided-metadata)
    (pass finalize-memref-to-llvm)
    (pass convert-arith-to-llvm)
    (pass convert-func-to-llvm)
    (pass convert-cf-to-llvm)
    (pass reconcile-unrealized-casts)))

(require-dialect memref linalg)

(defn main []
  (def m (memref.alloc {:result memref<8xf32>}))
  (linalg.fill (: 1.25 f32) m)
  (println "%g" (cast f64 (memref.load m (: 7 index))))   ; CHECK: 1.25
  (memref.dealloc m))
; PIPELINE: convert-linalg-to-loops
; PIPELINE-SAME: canonicalize{{.*}}max-iterations=4
