; The bodies of all pairs are two dimensions, also where the sum begins with an operand of its kernel, as in a loop: not
; one dimension that a tile has twice, of 512 x 512 x 4.
; RUN: lispier --emit=ptx --target=cuda:sm_90a --explain %s -o %t 2>&1 | FileCheck %s --check-prefix=TILES
; RUN: lispier --emit=hsaco --target=rocm:gfx942 --explain %s -o %t 2>&1 | FileCheck %s --check-prefix=TILES
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s

; TILES: kernel main_{{.*}}: a tile program
; TILES: tiles of 1 x 4, reductions of 384
(defn pairs [(: p (tensor n 3 f32))] (sum (- (reshape p [1 n 3]) (reshape p [n 1 3])) :axis 1))
(defn main []
  (def p (iota f32 [300 3] :axis 0))
  (def [q v] (fold [p p v (zeros f32 [300 3])] [i 0 2]
    (def w (+ v (* 0.01 (pairs p))))
    [(+ p (* 0.01 w)) w]))
  (println "%g %g" (at q 0 0) (at v 299 2))) ; CHECK: 13.3204 -883.545
