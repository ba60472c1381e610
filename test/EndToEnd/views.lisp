; One dimension seen as two whose sizes are known only when the program runs.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda %s -o %t.ptx
(require-dialect memref)

(defn matrix [(: flat memref<?xf32>) (: start index) (: rows index) (: columns index)] -> f32
  (def piece (memref.subview flat [start] [(* rows columns)] [1]))
  (def m (memref.expand_shape {:reassociation [[0 1]]
                               :static_output_shape array<i64: -9223372036854775808, -9223372036854775808>
                               :result "memref<?x?xf32, strided<[?, 1], offset: ?>>"}
           piece [rows columns]))
  (parallel [i rows j columns] (memref.store (* 2.0 (memref.load m i j)) m i j))
  (memref.load m 2 3))

; flat[5 + 2 * 7 + 3], doubled
; CHECK: 44
(defn main []
  (def flat (memref.alloc {:result memref<?xf32>} (: 100 index)))
  (parallel [i 100] (memref.store (cast f32 i) flat i))
  (println "%g" (cast f64 (matrix flat (: 5 index) (: 3 index) (: 7 index)))))
