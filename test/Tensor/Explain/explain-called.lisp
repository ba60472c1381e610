; A program is explained as it runs: without functions that `main` never calls, also those that only such a one calls. Where
; it is no program, all functions are what is asked about.
; RUN: lispier run --explain %s 2>&1 | FileCheck %s --implicit-check-not=unused --implicit-check-not=inner_0
; RUN: lispier --emit=tiles --explain %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
; CHECK: kernel main_0
; CHECK: f32 [] 30
; ALL-DAG: kernel unused_0
; ALL-DAG: kernel inner_0
; ALL-DAG: kernel main_0
(defn inner [(: x (tensor r c f32))] (softmax x))
(defn unused [(: x (tensor r c f32))] (exp (inner (transpose x))))
(defn main []
  (def x (reshape (iota f32 [5]) [5]))
  (println (sum (* x x))))
