; In-place updates that need a copy, or must not overwrite what is still read: one case for each way. Each has the
; numbers of an update that makes a new tensor.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref)
(defrecord State [a (tensor n f32)] [b (tensor n f32)])

; What is written is computed from the same memory at other places: shifted to either side, reversed, transposed.
(defn forward [(: c (inout (tensor n f32)))] (update c (slice c [0] [(- n 1)]) [1]))
(defn backward [(: c (inout (tensor n f32)))] (update c (slice c [1] [(- n 1)]) [0]))
(defn reversed [(: c (inout (tensor n f32)))] (update c (gather c (- (cast i32 (- n 1)) (iota i32 [n]))) [0]))
(defn turned [(: c (inout (tensor n n f32)))] (update c (transpose c) [0 0]))
; From all of it.
(defn normalised [(: c (inout (tensor n f32)))] (update c (/ c (sum c)) [0]))
(defn multiplied [(: c (inout (tensor n n f32)))] (update c (einsum "ab,bc->ac" c c) [0 0]))
; Two arguments that exchange their numbers.
(defn exchanged [(: a (inout (tensor n f32))) (: b (inout (tensor n f32)))]
  (let [old (+ 0.0 a)] (update a b [0]) (update b old [0])))
; The old tensor is read after the update, as a value.
(defn old-read [(: x (tensor n f32))]
  (let [y (update x (full f32 [1] 9.0) [0])] (+ x (* 10.0 y))))
; Two updates of one tensor.
(defn twice [(: x (tensor n f32))]
  (let [y (update x (full f32 [1] 9.0) [0]) z (update x (full f32 [1] 8.0) [1])] [y z]))
; A loop that carries a tensor and what it was one step before; one that exchanges two; one that reads its start.
(defn before [(: x (tensor n f32))]
  (fold [a x b x] [i 0 3] [(update a (+ 1.0 (slice a [i] [1])) [i]) a]))
(defn swapped [(: x (tensor n f32)) (: y (tensor n f32))]
  (fold [a x b y] [i 0 3] [b (update a (full f32 [1] (cast f32 i)) [i])]))
(defn start-read [(: x (tensor n f32))]
  (fold [a x] [i 0 n] (update a (+ (slice x [(- n (+ i 1))] [1]) (slice a [i] [1])) [i])))
; In one branch only, and the other one's value is the old tensor.
(defn branched [(: x (tensor n f32)) (: k index)]
  (let [y (if (> k 0) (update x (full f32 [1] 9.0) [0]) x)] (- y (* 2.0 x))))
; A field of a record.
(defn field [(: s State)]
  (let [a (update (:a s) (full f32 [1] 9.0) [0])] (+ a (:a s) (:b s))))
; A constant, and the argument of a function that returns it.
(defn same [(: x (tensor n f32))] x)
(defn passed-on [(: x (tensor n f32))]
  (let [y (same x) z (update y (full f32 [1] 9.0) [0])] (+ z x)))

(defn main []
  (def x (iota f32 [4]))
  (let [c (+ x 0.0)] (forward c) (println c))             ; CHECK: [0 0 1 2]
  (let [c (+ x 0.0)] (backward c) (println c))            ; CHECK: [1 2 3 3]
  (let [c (+ x 0.0)] (reversed c) (println c))            ; CHECK: [3 2 1 0]
  (let [c (reshape (+ x 0.0) [2 2])] (turned c) (println (reshape c [4]))) ; CHECK: [0 2 1 3]
  (let [c (+ x 1.0)] (normalised c) (println c))          ; CHECK: [0.1 0.2 0.3 0.4]
  (let [c (reshape (+ x 0.0) [2 2])] (multiplied c) (println (reshape c [4]))) ; CHECK: [2 3 6 11]
  (let [a (+ x 0.0) b (* x 10.0)] (exchanged a b) (println a) (println b)) ; CHECK: [0 10 20 30]
  ; CHECK: [0 1 2 3]
  (println (old-read x))                                  ; CHECK: [90 11 22 33]
  (let [[y z] (twice x)] (println y) (println z))         ; CHECK: [9 1 2 3]
  ; CHECK: [0 8 2 3]
  (let [[a b] (before x)] (println a) (println b))        ; CHECK: [1 2 3 3]
  ; CHECK: [1 2 2 3]
  (let [[a b] (swapped x (* 10.0 x))] (println a) (println b)) ; CHECK: [0 1 20 30]
  ; CHECK: [0 1 2 3]
  (println (start-read x))                                ; CHECK: [3 3 3 3]
  (println (branched x 1))                                ; CHECK: [9 -1 -2 -3]
  (println (branched x 0))                                ; CHECK: [0 -1 -2 -3]
  (println (field (State {:a x :b x})))                   ; CHECK: [9 3 6 9]
  (println (passed-on x))                                 ; CHECK: [9 2 4 6]
  (let [c (: [1.0 2.0] tensor<2xf32>) d (update c (full f32 [1] 5.0) [0])] (println (+ c d))) ; CHECK: [6 4]
  (println x))                                            ; CHECK: [0 1 2 3]
