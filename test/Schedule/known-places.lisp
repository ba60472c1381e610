; Reads at places that loops compute, which are inside for every iteration, are not checked: those of a flip, of every
; second element backwards, and of windows' gradients, whose places are clamped.
; RUN: lispier --emit=loops %s | FileCheck %s
; CHECK-NOT: device.require_index
; CHECK-NOT: lispier_rt_fail
(defn reversed [(: x (tensor 4 8 f32))] -> (tensor 4 8 f32) (flip x :axis 1))
(defn second [(: x (tensor 9 f32))] -> (tensor 4 f32) (slice x :from 7 :step -2))
(defn pooled [(: x (tensor 9 f32))] (sum (max-pool1d x :size 3 :stride 2)))
(defn gradient [(: x (tensor 9 f32))] (grad pooled x))
(defn main [] (println (reversed (zeros f32 [4 8]))) (println (second (zeros f32 [9]))) (println (gradient (zeros f32 [9]))))
