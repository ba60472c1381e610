; Results of functions that are not inlined, as recursive ones: made in memory of the caller, in loops, in branches, in
; steps, and where they are stored; and what must not be made there.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref)

; One result, two of which the second may be unused, a part of the argument, the argument itself, and one whose sizes
; only the function knows.
(defn halved [(: x (tensor n f32)) (: k i64)] -> (tensor n f32)
  (if (= k 0) (* x 0.5) (halved (* x 0.5) (- k 1))))
(defn both [(: x (tensor n f32)) (: k i64)] -> [(tensor n f32) (tensor n f32)]
  (if (= k 0) [(+ x 1.0) (* x 2.0)] (both (+ x 1.0) (- k 1))))
(defn behind [(: x (tensor n f32)) (: k i64)] -> (tensor _ f32)
  (if (= k 0) (slice x [1] [(- n 1)]) (behind x (- k 1))))
(defn same [(: x (tensor n f32)) (: k i64)] -> (tensor n f32)
  (if (= k 0) x (same x (- k 1))))
(defn longer [(: x (tensor n f32)) (: k i64)] -> (tensor _ f32)
  (if (= k 0) (+ x 0.0) (longer (concat x x) (- k 1))))
(defn reversed [(: x (tensor n f32)) (: k i64)] -> (tensor n f32)
  (if (= k 0) (gather x (- (cast i32 (- n 1)) (iota i32 [n]))) (reversed x (- k 1))))

(defn branch [(: x (tensor n f32)) (: k i64)]
  (+ 1.0 (if (> k 0) (halved x k) (same x 1))))
(defn stored [(: m memref<?xf32>)] (store (halved (load m) 0) m))
(defn turned [(: m memref<?xf32>)] (store (reversed (load m) 0) m))
; The memref changes while the tensor is still in use.
(defn kept [(: m memref<?xf32>)]
  (let [y (iota f32 [(memref.dim m 0)])] (store y m) (memref.store 9.0 m 0) (println y)))
(defn steps [(: x (tensor n f32)) (: to memref<?xf32>)]
  (for [i 0 3]
    (replayable (store (halved (+ (load to) x) 1) to))))

(defn main []
  (def x (iota f32 [4]))
  (println (fold [y x] [i 0 3] (halved y 1)))                  ; CHECK: [0 0.015625 0.03125 0.046875]
  (println (fold [y x] [i 0 0] (halved y 1)))                  ; CHECK: [0 1 2 3]
  (println (fold [y x] [i 0 3] (+ (reversed y 1) x)))          ; CHECK: [6 6 6 6]
  (let [[a b] (fold [a x b (* 2.0 x)] [i 0 3] (do (def [c d] (both a 1)) [d (+ b c)]))]
    (println a) (println b))                                   ; CHECK: [14 22 30 38]
  ; CHECK: [14 23 32 41]
  (let [[a b] (fold [a x b (* 2.0 x)] [i 0 3] [b (halved a 0)])] (println a) (println b)) ; CHECK: [0 1 2 3]
  ; CHECK: [0 0.25 0.5 0.75]
  (let [[a b] (both x 2)] (println a))                         ; CHECK: [3 4 5 6]
  (println (loop [y x n (: 0 i64)] :while (< n 4) :do [(same (halved y 0) 1) (+ n 1)])) ; CHECK: [0 0.0625 0.125 0.1875]
  (println (branch x 1)) (println (branch x 0))                ; CHECK: [1 1.25 1.5 1.75]
  ; CHECK: [1 2 3 4]
  (println (behind x 2)) (println (longer x 1))                ; CHECK: [1 2 3]
  ; CHECK: [0 1 2 3 0 1 2 3]
  (let [y (same x 2) z (update y (full f32 [1] 9.0) [0])] (println (+ z x))) ; CHECK: [9 2 4 6]
  (println (dim (halved (slice x [0] [0]) 2) 0))               ; CHECK: {{^0$}}
  (let [m (device-alloc memref<?xf32> [4])]
    (store x m) (stored m) (println (load m))                  ; CHECK: [0 0.5 1 1.5]
    (turned m) (println (load m))                              ; CHECK: [1.5 1 0.5 0]
    (steps x m) (println (load m))                             ; CHECK: [0.0234375 0.34375 0.664062 0.984375]
    (kept m) (println (load m)))                               ; CHECK: [0 1 2 3]
  ; CHECK: [9 1 2 3]
  (println x))                                                 ; CHECK: [0 1 2 3]
