; nn.argsort: the places of elements in order, of rows that a block holds, of longer ones, and the first few of these.
; RUN: lispier run --cache=false %s | FileCheck %s
; RUN: lispier run --cache=false --fuse=false %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim:gfx942 %s | FileCheck %s
; On a GPU and its simulator by kernels of the library.
; RUN: lispier --emit=tiles --target=sim --why-kernel=nn.argsort %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
; WHY: prelude/kernels/gpu-sort.lisp

;; Whether a comes before b, each of its place: the lesser one, a NaN last, of equal ones the first.
(defn in-order [a b p q]
  (or (< a b) (and (= a a) (!= b b)) (and (or (= a b) (and (!= a a) (!= b b))) (< p q))))

;; How many neighbours of an order, of which `good` says whether they are in order, are not; and how many of the places
;; it does not have once.
(defn misplaced [order good (: n index)] -> i64
  (def counts (add-at (zeros f32 [n]) order (cast f32 (= order order))))
  (+ (at (sum (cast i64 (not good)))) (at (sum (cast i64 (!= counts 1.0))))))

;; How many places of both orders are wrong, and how many of the k greatest.
(defn test [x (: n index) (: k index)]
  (def up (argsort x))
  (def down (argsort x :descending true))
  (def [p q] [(slice up :to -1) (slice up :from 1)])
  (def [r s] [(slice down :to -1) (slice down :from 1)])
  (def [values places] (topk x k))
  (println "%ld %ld %ld %ld"
    (misplaced up (in-order (gather x p) (gather x q) p q) n)
    (misplaced down (in-order (gather x s) (gather x r) r s) n)
    (at (sum (cast i64 (!= places (slice down :to k)))))
    (at (sum (cast i64 (!= (bits values) (bits (gather x places))))))))

;; Numbers with equal ones, zeros of both signs, infinities and NaNs.
(defn floats [(: n index)]
  (let [i (iota i64 [n])
        x (/ (cast f32 (- (% (* i 7919) 1013) 506)) 8.0)]
    (where (= (% i 97) 5) nan (where (= (% i 89) 3) inf (where (= (% i 83) 2) -inf (where (= (% i 41) 1) -0.0 x))))))
(defn integers [(: n index)] (* (- (% (* (iota i64 [n]) 7919) 1013) 506) 4300000))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  ; Of sizes that only the run knows one kernel takes all.
  (def none (cast index argc))
  ; CHECK-COUNT-11: {{^0 0 0 0$}}
  (test (floats (+ 1 none)) (+ 1 none) (+ 1 none))
  (test (floats (+ 500 none)) (+ 500 none) (+ 7 none))
  (test (floats (+ 2049 none)) (+ 2049 none) (+ 51 none))
  (test (floats (+ 5003 none)) (+ 5003 none) (+ 1025 none))
  ; All are equal, which leaves more elements than a block puts in order.
  (test (full f32 [(+ 3000 none)] 0.0) (+ 3000 none) (+ 5 none))
  ; All have the same first eleven bits.
  (test (+ 1.0 (/ (cast f32 (% (* (iota i64 [(+ 6000 none)]) 7919) 4001)) 16384.0)) (+ 6000 none) (+ 40 none))
  (test (cast bf16 (floats 513)) 513 513)
  (test (integers 2048) 2048 2000)
  (test (cast f16 (floats 2053)) 2053 1)
  (test (cast f64 (floats (+ 2500 none))) (+ 2500 none) (+ 100 none))
  (test (cast i8 (% (integers 2500) 100)) 2500 1024)
  ; Rows: the last axis, and another one.
  ; CHECK: i32 [2 3]
  ; CHECK-NEXT: {{\[\[2 0 1\]}}
  ; CHECK-NEXT: [1 0 2]]
  (println (argsort (: [[2.0 3.0 1.0] [5.0 4.0 6.0]] (tensor 2 3 f32))))
  ; CHECK: i32 [2 3]
  ; CHECK-NEXT: {{\[\[0 0 0\]}}
  ; CHECK-NEXT: [1 1 1]]
  (println (argsort (: [[2 3 1] [5 4 6]] (tensor 2 3 i64)) :axis 0))
  ; Many long rows: each is the first, backwards.
  (def rows (reshape (- (cast f32 (% (iota i64 [9000]) 3000))) [3 3000]))
  ; CHECK: i32 [] 0
  (println (max (abs (- (argsort rows) (- 2999 (iota i32 [3 3000] :axis 1))))))
  ; CHECK: i32 [3 2]
  ; CHECK-NEXT: {{\[\[0 1\]}}
  ; CHECK-NEXT: [0 1]
  ; CHECK-NEXT: [0 1]]
  (def [_ first] (topk rows 2))
  (println first)
  ; No elements, and none of some.
  ; CHECK: i32 [2 0]
  (println (argsort (zeros f32 [2 0])))
  ; CHECK: i32 [0 3]
  (println (argsort (zeros f32 [0 3])))
  ; CHECK: i32 [0]
  (println (first-places (floats 3000) 0)))
