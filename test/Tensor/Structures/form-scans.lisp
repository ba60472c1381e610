; Loops that combine slices of a tensor are group.scan: from either end, with the element itself and without, of what is
; computed of it and converted afterwards. The gradient of a sum so far is the sum from the other end, which needs nothing
; of what the loop had kept. Other loops stay.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s | FileCheck %s
; RUN: lispier --emit=tensor %s | FileCheck %s
(defn sums [(: x (tensor m n f32))] (cumsum x :axis 1))
; CHECK-LABEL: func.func @sums(
; CHECK-NOT: scf.for
; CHECK: group.scan <add> %{{.*}} along 1 from %{{.*}} outs(
(defn products [(: x (tensor m n bf16))] (cumprod x :axis 0 :reverse true :exclusive true))
; CHECK-LABEL: func.func @products(
; CHECK-NOT: scf.for
; CHECK: group.kernel {{.*}} kind(scan) ins(%arg0 : memref<?x?xbf16>) outs(%{{.*}} : memref<?x?xbf16>)
; CHECK: arith.extf
; CHECK: %[[P:.*]] = group.scan <mul> %{{.*}} along 0 from %{{.*}} reverse exclusive outs(
; CHECK: linalg.generic {{.*}} ins(%[[P]] : tensor<?x?xf32>)
; CHECK: arith.truncf
(defn extremes [(: x (tensor 4 5 6 i32))] (+ (cummax x :axis 1) (cummin x :axis 2)))
; CHECK-LABEL: func.func @extremes(
; CHECK-DAG: group.scan <maxsi> %{{.*}} along 1
; CHECK-DAG: group.scan <minsi> %{{.*}} along 2
; CHECK: return
(defn loss [(: x (tensor m n f32)) (: y (tensor m n f32))] (sum (* y (cumsum x :axis 1))))
(defn gradient [(: x (tensor m n f32)) (: y (tensor m n f32))] (grad loss x y))
; CHECK-LABEL: func.func @gradient(
; CHECK-NOT: scf.for
; CHECK: group.scan <add> %{{.*}} along 1 from %{{.*}} reverse outs(
; Of each sum that is inserted depends what the next one adds: no scan.
(defn decayed [(: x (tensor m n f32))]
  (def [y _]
    (fold [y x sofar (zeros f32 [m 1])] [i 0 n]
      (def next (+ (* 0.5 sofar) (slice x :axis 1 :from i :size 1)))
      [(update y next :axis 1 :from i) next]))
  y)
; CHECK-LABEL: func.func @decayed(
; CHECK-NOT: group.scan
; CHECK: scf.for
(defn main []
  (println (sums (zeros f32 [2 3]))) (println (products (zeros bf16 [2 3]))) (println (extremes (zeros i32 [4 5 6])))
  (println (gradient (zeros f32 [2 3]) (zeros f32 [2 3]))) (println (decayed (zeros f32 [2 3]))))
