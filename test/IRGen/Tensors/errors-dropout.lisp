; Dropout without a seed.
; RUN: not lispier check %s 2>&1 | FileCheck %s
; CHECK: :[[#@LINE+1]]:45: error[macro-shape]: `dropout`: 0 with probability :p, else x / (1 - p): (dropout x :p 0.5 :seed s :stream n)
(defn wrong [(: x (tensor n f32))] (dropout x :p 0.5))
