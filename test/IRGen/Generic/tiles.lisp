; Generic functions on tiles: generated for their shapes, inlined into tile programs, with constants of the launch.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect memref)

(defn softmax [x & {:axis -1 :scale 1.0}]
  (def e (exp (* scale (- x (max x :axis axis :keep true)))))
  (/ e (sum e :axis axis :keep true)))
(defn store-with [f t m & {:row 0}] (store (f t) m [row 0]))
(defn widened [x & {:by [1 1] :to f32}] (cast to (broadcast x by)))

; CHECK-LABEL: gpu.func @rows
; CHECK-NOT: call
; CHECK: vector.multi_reduction <maximumf>, %{{.*}} [1] : vector<4x16xf32> to vector<4xf32>
; CHECK: arith.constant dense<2.500000e-01> : vector<4x16xf32>
; CHECK: vector.multi_reduction <add>, %{{.*}} [1] : vector<4x16xf32> to vector<4xf32>
; CHECK: math.absf %{{.*}} : vector<4x16xf32>
; CHECK: %[[ROW:.*]] = arith.constant 8 : index
; CHECK: vector.transfer_write
; CHECK: vector.broadcast %{{.*}} : vector<1x16xf32> to vector<8x16xf32>
; CHECK: arith.truncf %{{.*}} : vector<8x16xf32> to vector<8x16xf16>
(deftile rows {:const [n cols axis]} [(: x memref<?x?xf32>) (: y memref<?x?xf16>)]
  (def t (softmax (load x [0 0] [n cols]) :axis axis :scale 0.25))
  (store-with abs t x :row (* 2 n))
  (store (widened (load x [0 0] [1 cols]) :by [(* 2 n) cols] :to f16) y [0 0]))
(defn main [] (def x (memref.alloc {:result memref<8x16xf32>})) (def y (memref.alloc {:result memref<8x16xf16>}))
  (launch rows {:grid 1 :const {:n 4 :cols 16 :axis 1}} (cast "memref<?x?xf32>" x) (cast "memref<?x?xf16>" y)))
