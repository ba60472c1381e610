; Layer norms of rows without variance are 0, and those of a large mean are exact: the mean's rounding is no part of
; them. In a kernel of norm and product, of one row and several, in generated ones, and by each target's kernels.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --templates=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(defn largest [(: x (tensor r c f32))] -> f32 (at (max (abs x))))
(defn shown [(: wrong f32)] (if (< wrong 0.001) (println "exact") (println "wrong %g" wrong)))
(defn normed [(: x (tensor r c f32))] (layer-norm x (full f32 [c] 1.0) (zeros f32 [c])))
(defn product [(: x (tensor r c f32)) (: w (tensor n c bf16))]
  (linear (layer-norm x (full bf16 [c] 1.0) (zeros bf16 [c])) w (zeros bf16 [n])))
(defn row [(: r index) (: c index) (: value f32)]
  (def x (full f32 [r c] value))
  (shown (largest (normed x)))
  (shown (largest (product x (full bf16 [16 c] 0.125)))))
; 1000000 + i is exact in F32, and its norm that of i.
(defn shifted [(: r index) (: c index) (: mean f32)]
  (def x (broadcast (iota f32 [c]) [r c]))
  (shown (largest (- (normed x) (normed (+ x mean))))))
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def one (+ 1.0 (cast f32 argc))) ; Known only when the program runs.
  ; CHECK-COUNT-20: exact
  ; CHECK-NOT: wrong
  (row 1 16 (* one 7.1))
  (row 1 768 (* one 1000.1))
  (row 1 1000 (* one 100000.1))
  (row 1 4096 (* one 1000003.0))
  (row 3 16 (* one 7.1))
  (row 3 768 (* one 1000.1))
  (row 3 1000 (* one 100000.1))
  (row 3 4096 (* one 1000003.0))
  (shifted 1 96 (* one 1000000.0))
  (shifted 3 768 (* one 1000000.0))
  (shifted 1 1024 (* one 1000000.0))
  (shifted 3 4096 (* one 1000000.0)))
