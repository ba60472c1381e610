; A sparse matrix (CSR) times a vector: the numbers of row i are those from starts[i] to starts[i + 1].
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn product [starts columns values x y]
  (parallel [i (memref.dim y 0)]
    (memref.store
      (fold [s (: 0.0 f32)] [k (cast index (memref.load starts i)) (cast index (memref.load starts (+ i 1)))]
        (+ s (* (memref.load values k) (memref.load x (cast index (memref.load columns k))))))
      y i)))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  ; [[1 0 2] [0 0 0] [0 3 4]] by [1 10 100].
  (def y (to-memref (zeros f32 [3])))
  (product (to-memref (: [0 2 2 4] tensor<4xi32>)) (to-memref (: [0 2 1 2] tensor<4xi32>))
           (to-memref (: [1.0 2.0 3.0 4.0] tensor<4xf32>)) (to-memref (: [1.0 10.0 100.0] tensor<3xf32>)) y)
  (println y)                                                                     ; CHECK: [201 0 430]
  (when (> argc 0)
    (def n 100000)
    (def starts (to-memref (* 16 (iota i32 [100001]))))
    (def columns (to-memref (% (* 7919 (% (iota i32 [1600000]) 100000)) 100000)))
    (def values (to-memref (sin (iota f32 [1600000]))))
    (def x (to-memref (cos (iota f32 [100000]))))
    (def z (to-memref (zeros f32 [100000])))
    (def best (fold [best (: 1e9 f64)] [i 0 10]
      (def began (check/seconds))
      (product starts columns values x z)
      (min best (- (check/seconds) began))))
    (println "time %.4f" (* 1000.0 best))))
