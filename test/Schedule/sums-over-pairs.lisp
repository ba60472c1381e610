; A sum over all pairs of elements of two vectors: no tensor has both of its dimensions. It was no tile program, so that
; one thread added all pairs.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s --check-prefix=RESULT
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=RESULT

; TILES-LABEL: gpu.func @distances_0
; TILES-SAME: tile.program
; TILES: vector.multi_reduction <add>
(defn distances [(: x (tensor 300 f32)) (: y (tensor 500 f32))]
  (sum (abs (- (reshape x [300 1]) (reshape y [1 500])))))

; The sum of |i - j| over i < 300 and j < 500.
; RESULT: f32 [] {{2.399.*e.07|2.4e.07}}
(defn main []
  (println (distances (iota f32 [300]) (iota f32 [500]))))
