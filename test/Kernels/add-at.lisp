; nn.add_at: rows added to the rows of a table that numbers name, in order. The sums are exact, so that any other sum
; shows, in whatever order.
; RUN: lispier run --cache=false %s | FileCheck %s
; RUN: lispier run --cache=false --fuse=false %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim:gfx942 %s | FileCheck %s
; On a GPU and its simulator by kernels of the library, for the types that models have.
; RUN: lispier --emit=tiles --target=sim --why-kernel=nn.add_at %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
; WHY: prelude/kernels/gpu-add-at.lisp
(defn added [(: table (tensor v c f32)) (: at (tensor n i32)) (: rows (tensor n c f32))]
  (add-at table at rows))

(defn main []
  (def table (* 100.0 (iota f32 [4 3] :axis 0)))
  (def at (cast i32 (% (* 3 (iota i64 [6])) 4)))
  ; CHECK: f32 [4 3]
  ; CHECK-NEXT: {{\[\[4 4 4\]}}
  ; CHECK-NEXT: [103 103 103]
  ; CHECK-NEXT: [202 202 202]
  ; CHECK-NEXT: [306 306 306]]
  (println (added table at (iota f32 [6 3] :axis 0)))
  ; The table is a value: it has not changed.
  ; CHECK-NEXT: f32 [] 1800
  (println (sum table))

  ; Other shapes and types: indices of two dimensions, rows of one number, no rows at all, a row of no numbers.
  ; CHECK-NEXT: bf16 [2 3]
  ; CHECK-NEXT: {{\[\[0.5 0.5 0.5\]}}
  ; CHECK-NEXT: [0.5 0.5 0.5]]
  (println (add-at (zeros bf16 [2 3]) (iota i64 [2 1] :axis 0) (full f32 [2 1 3] 0.5)))
  ; CHECK-NEXT: f64 [3]
  ; CHECK-NEXT: [1 0 0]
  (println (add-at (zeros f64 [3]) (cast i64 (zeros f32 [4])) (full f64 [4] 0.25)))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [7 7]
  (println (add-at (full f32 [2] 7.0) (iota i32 [0]) (zeros f32 [0])))
  ; CHECK-NEXT: f32 [2 0]
  ; CHECK-NEXT: {{\[\[\]}}
  ; CHECK-NEXT: []]
  (println (add-at (zeros f32 [2 0]) (iota i32 [2]) (zeros f32 [2 0])))

  ; Segments of one row, of many, and of more than a block of a GPU holds; sizes that no block divides.
  (def k (iota i64 [5000]))
  (def many (where (< (% k 7) 4) 3 (% (* k 31) 401)))
  (def rows (cast f32 (- (% (* 13 (+ (* 5 (iota i64 [5000 5] :axis 0)) (iota i64 [5000 5] :axis 1))) 32) 16)))
  (def sums (add-at (full f32 [401 5] 0.5) (cast i32 many) rows))
  (def is-row (cast f32 (= (reshape (iota i64 [401]) [401 1]) (reshape many [1 5000]))))
  (def wanted (+ 0.5 (einsum "vn,nc->vc" is-row rows)))
  ; CHECK-NEXT: f32 [] 0
  (println (max (abs (- sums wanted))))
  ; Several columns of a thread; a segment of forty rows, and one of more than a block of a GPU holds.
  (def wide (add-at (zeros f32 [3 700]) (cast i32 (where (< (iota i64 [2100]) 2060) 1 2)) (iota f32 [2100 700] :axis 1)))
  ; CHECK-NEXT: f32 [] 0
  (println (max (reshape (abs (- wide (* (iota f32 [700]) (: [[0.0] [2060.0] [40.0]] (tensor 3 1 f32))))) [2100])))
  ; More segments than warps look at together, of one row, and of as many as a warp has lanes, and one more.
  (def places (where (< (iota i64 [6000]) 5000) (iota i64 [6000]) (+ 5000 (/ (iota i64 [6000]) 33))))
  (def spread (add-at (zeros f32 [5200 2]) (cast i32 places) (iota f32 [6000 2] :axis 0)))
  (def first-rows (slice spread :axis 0 :to 5000))
  ; CHECK-NEXT: f32 [] 0
  (println (max (abs (- first-rows (iota f32 [5000 2] :axis 0)))))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [166056 166056]
  (println (at spread 5152))
  (def pairs (add-at (zeros f32 [3 2]) (cast i32 (/ (iota i64 [64]) 32)) (iota f32 [64 2] :axis 0)))
  ; CHECK-NEXT: f32 [3 2]
  ; CHECK-NEXT: {{\[\[496 496\]}}
  ; CHECK-NEXT: [1520 1520]
  ; CHECK-NEXT: [0 0]]
  (println pairs)
  ; Rounded once: sums of more than 256 ones are not stuck at 256.
  ; CHECK-NEXT: bf16 [2]
  ; CHECK-NEXT: [2496 2512]
  (println (add-at (zeros bf16 [2]) (cast i32 (% k 2)) (cast bf16 (where (< k 10) (* 2.0 (cast f32 (% k 2))) 1.0))))
  ; In the order of the rows: any other order gives 0 or 2.
  ; CHECK-NEXT: f32 [1]
  ; CHECK-NEXT: [1]
  (println (add-at (zeros f32 [1]) (cast i32 (zeros f32 [4])) (: [1e8 1.0 -1e8 1.0] (tensor 4 f32)))))
