; Windows are read where they are: of a product, its gradients and a maximum nothing is memory that is as large as the
; windows, 4 * 4 * 3 * 3 elements of each image and channel.
; RUN: lispier --emit=loops %s | FileCheck %s
; RUN: lispier --emit=loops --target=sim:sm_90a %s | FileCheck %s
; CHECK-NOT: memref<{{.*}}4x4x3x3xf32>
; CHECK-NOT: memref<{{.*}}16x9xf32>
(defn loss [(: x (tensor 2 3 9 9 f32)) (: w (tensor 5 3 3 3 f32))] (sum (tanh (conv2d x w :stride 2))))
(defn pooled [(: x (tensor 2 3 9 9 f32))] -> (tensor 2 3 4 4 f32) (max-pool2d (relu x) :size 3 :stride 2))
(defn both [(: x (tensor 2 3 9 9 f32)) (: w (tensor 5 3 3 3 f32))] (value-and-grad loss x w :wrt [0 1]))
(defn main []
  (def x (sin (reshape (iota f32 [486]) [2 3 9 9])))
  (println (pooled x))
  (println (both x (reshape (iota f32 [135]) [5 3 3 3]))))
