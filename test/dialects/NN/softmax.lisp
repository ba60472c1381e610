; nn.softmax on each target: what is -inf counts nothing, also where a whole vector is; on a CPU also of 9,000 columns.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run %s -- long | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref nn)

; CHECK: 0.000000 0.500000 0.500000
; CHECK-NEXT: 1.00000
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def columns (+ 90 (* 8910 (cast index argc))))
  (def last (- columns 2))
  (def x (device-alloc memref<?x?xf32> [(: 2 index) columns]))
  (def y (device-alloc memref<?x?xf32> [(: 2 index) columns]))
  (parallel [i 2 j columns]
    (memref.store (if (or (= i 1) (>= j last)) (/ (cast f32 (% (* 7 (/ j 2)) 13)) 4.0) (: -inf f32)) x i j))
  (nn.softmax x y)
  (def h (memref.alloc {:result memref<?x?xf32>} (: 2 index) columns))
  (download! h y)
  (println "%f %f %f" (memref.load h 0 0) (memref.load h 0 last) (memref.load h 0 (+ last 1)))
  (println "%f" (fold [s (: 0.0 f64)] [j 0 columns] (+ s (cast f64 (memref.load h 1 j))))))
