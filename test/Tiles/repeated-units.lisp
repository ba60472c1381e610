; Tiles of which both sides are no powers of two, as 96 x 12, are units of 32 x 4 that are repeated along both. The registers
; of a factor, or of a result, that is transposed keep their numbers.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref)
(deftile by-rows [(: a memref<64x12xf32>) (: b memref<96x12xf32>) (: c memref<64x96xf32>)]
  (store (dot (load a [0 0] [64 12]) (load b [0 0] [96 12]) (zeros f32 [64 96]) :transpose-b true) c [0 0]))
(deftile by-columns [(: a memref<12x96xf32>) (: b memref<12x64xf32>) (: c memref<96x64xf32>)]
  (store (dot (load a [0 0] [12 96]) (load b [0 0] [12 64]) (zeros f32 [96 64]) :transpose-a true) c [0 0]))

(defmacro fill [m rows columns] `(for [i 0 ~rows] (for [j 0 ~columns]
  (memref.store (cast f32 (- (cast i32 (% (+ (* 5 i) (* 31 j)) 17)) 8)) ~m i j))))
(defmacro memory [rows columns] `(memref.alloc {:result ~(str "memref<" rows "x" columns "xf32>")}))

(defn main []
  (def a (memory 64 12)) (def b (memory 96 12)) (def c (memory 64 96))
  (fill a 64 12) (fill b 96 12)
  (launch by-rows {:grid [1]} a b c)
  ; CHECK: {{^0$}}
  (println "%g" (fold [e (: 0.0 f32)] [i 0 64] (fold [e e] [j 0 96]
    (+ e (abs (- (memref.load c i j)
                 (fold [s (: 0.0 f32)] [k 0 12] (+ s (* (memref.load a i k) (memref.load b j k))))))))))
  (def d (memory 12 96)) (def f (memory 12 64)) (def g (memory 96 64))
  (fill d 12 96) (fill f 12 64)
  (launch by-columns {:grid [1]} d f g)
  ; CHECK-NEXT: {{^0$}}
  (println "%g" (fold [e (: 0.0 f32)] [i 0 96] (fold [e e] [j 0 64]
    (+ e (abs (- (memref.load g i j)
                 (fold [s (: 0.0 f32)] [k 0 12] (+ s (* (memref.load d k i) (memref.load f k j)))))))))))
