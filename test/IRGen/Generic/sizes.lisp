; An integer that a generic function takes is a size, although its result is expected to be a tensor of floats.
; RUN: lispier run %s | FileCheck %s
(defn numbers [rows columns] (iota f32 [rows columns] :axis 0))
(defn total [(: x (tensor t c f32))] -> (tensor f32) (sum x))
(defn main [] (println "%g" (total (numbers 3 2)))) ; CHECK: {{^6$}}
