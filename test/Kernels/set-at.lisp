; add-at with set, max and min: nn.set_at and nn.extreme_at. What is left does not depend on the order of the threads.
; RUN: lispier run --cache=false %s | FileCheck %s
; RUN: lispier run --cache=false --fuse=false %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim:gfx942 %s | FileCheck %s
; On a GPU and its simulator by kernels of the library.
; RUN: lispier --emit=tiles --target=sim --why-kernel=nn.set_at --why-kernel=nn.extreme_at %s -o /dev/null 2>&1 \
; RUN:   | FileCheck %s --check-prefix=WHY
; WHY-DAG: nn.set_at is computed by one of
; WHY-DAG: nn.extreme_at is computed by one of
(defn put [(: table (tensor v c f32)) (: at (tensor n i32)) (: rows (tensor n c f32))]
  (add-at table at rows :with set))

(defn main []
  (def table (* 100.0 (iota f32 [4 3] :axis 0)))
  (def at (% (* 3 (iota i32 [6])) 4)) ; 0 3 2 1 0 3
  ; Of rows 0 and 4, 1 and 5 the last one.
  ; CHECK: f32 [4 3]
  ; CHECK-NEXT: {{\[\[4 4 4\]}}
  ; CHECK-NEXT: [3 3 3]
  ; CHECK-NEXT: [2 2 2]
  ; CHECK-NEXT: [5 5 5]]
  (println (put table at (iota f32 [6 3] :axis 0)))
  ; CHECK-NEXT: f32 [] 1800
  (println (sum table))
  ; What no index names stays.
  ; CHECK-NEXT: i64 [5]
  ; CHECK-NEXT: [7 7 2 7 1]
  (println (add-at (full i64 [5] 7) (: [4 2 4] (tensor 3 i64)) (: [0 2 1] (tensor 3 i64)) :with set))
  ; Other types, also without a kernel of their own, indices of two dimensions, no rows.
  ; CHECK-NEXT: bf16 [2 3]
  ; CHECK-NEXT: {{\[\[0.5 0.5 0.5\]}}
  ; CHECK-NEXT: [0.5 0.5 0.5]]
  (println (add-at (zeros bf16 [2 3]) (iota i64 [2 1] :axis 0) (full bf16 [2 1 3] 0.5) :with set))
  ; CHECK-NEXT: i1 [3]
  ; CHECK-NEXT: [false true false]
  (println (add-at (< (iota i32 [3]) 0) (iota i32 [2]) (= (iota i32 [2]) 1) :with set))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [7 7]
  (println (add-at (full f32 [2] 7.0) (iota i32 [0]) (zeros f32 [0]) :with set))

  ; CHECK-NEXT: f32 [3]
  ; CHECK-NEXT: [5 1 -2]
  (println (add-at (: [0.0 1.0 -2.0] (tensor 3 f32)) (: [0 0 1 0] (tensor 4 i32)) (: [5.0 3.0 0.5 -1.0] (tensor 4 f32))
                   :with max))
  ; CHECK-NEXT: bf16 [3]
  ; CHECK-NEXT: [-1 0.5 -2]
  (println (add-at (: [0.0 1.0 -2.0] (tensor 3 bf16)) (: [0 0 1 0] (tensor 4 i32))
                   (: [5.0 3.0 0.5 -1.0] (tensor 4 bf16)) :with min))
  ; CHECK-NEXT: i8 [2 2]
  ; CHECK-NEXT: {{\[\[3 -100\]}}
  ; CHECK-NEXT: [2 3]]
  (println (add-at (: [[-100 -100] [-100 -100]] (tensor 2 2 i8)) (: [0 1] (tensor 2 i32)) (: [[3 -128] [2 3]] (tensor 2 2 i8))
                   :with max))
  ; CHECK-NEXT: i64 [2]
  ; CHECK-NEXT: [-9 0]
  (println (add-at (zeros i64 [2]) (: [0 1] (tensor 2 i32)) (: [-9 9] (tensor 2 i64)) :with min))
  ; A NaN is both, wherever it is.
  (def nan (/ 0.0 (: [0.0] (tensor 1 f32))))
  ; CHECK-NEXT: f32 [2]
  ; CHECK-NEXT: [nan 4]
  (println (add-at (zeros f32 [2]) (: [0 0 1] (tensor 3 i32)) (concat nan (: [3.0 4.0] (tensor 2 f32))) :with max))
  ; CHECK-NEXT: f64 [1]
  ; CHECK-NEXT: [nan]
  (println (add-at (cast f64 nan) (: [0] (tensor 1 i32)) (: [-3.0] (tensor 1 f64)) :with min))

  ; Many rows of few indices, sizes that no block divides: against formulas.
  (def k (iota i64 [1000]))
  (def many (where (< (% k 7) 4) 3 (% (* k 31) 101)))
  (def rows (cast f32 (% (* 7919 (+ (* 5 (iota i64 [1000 5] :axis 0)) (iota i64 [1000 5] :axis 1))) 10007)))
  (def is-row (= (reshape (iota i64 [101]) [101 1]) (reshape many [1 1000])))
  (def extreme (max (where (reshape is-row [101 1000 1]) (reshape rows [1 1000 5]) 5000.0) :axis 1))
  ; CHECK-NEXT: f32 [] 0
  (println (sum (abs (- extreme (add-at (full f32 [101 5] 5000.0) (cast i32 many) rows :with max)))))
  (def last (max (where is-row (reshape (iota i32 [1000]) [1 1000]) -1) :axis 1))
  (def wanted (where (< (reshape last [101 1]) 0) 0.5 (gather rows (max last 0))))
  ; CHECK-NEXT: f32 [] 0
  (println (sum (abs (- wanted (add-at (full f32 [101 5] 0.5) many rows :with set))))))
