; Each collective, on two and three ranks: what rank 0 prints is what one process would have computed.
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 LISPIER_COMM_CHECK=1 lispier run --ranks=2 %s | FileCheck %s --check-prefixes=CHECK,TWO
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 LISPIER_COMM_CHECK=1 lispier run --ranks=3 %s | FileCheck %s --check-prefixes=CHECK,THREE
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --ranks=2 --target=sim %s | FileCheck %s --check-prefixes=CHECK,TWO
; RUN: lispier run %s | FileCheck %s --check-prefixes=ONE
(defmesh [dp])
(defrecord Pair [a (tensor n f32)] [b f32])

(defn squares [x]
  (def own (own-part x :over dp :pad true))
  (all-reduce (sum (* own own)) :over dp))

(defn main []
  (def r (cast f32 (rank dp)))
  (println "%d of %d" (cast i64 (rank)) (cast i64 (ranks)))      ; CHECK: 0 of [[#RANKS:]]
                                                                 ; ONE: 0 of 1
  ; Tensors, of a shape and of a number; their mean, maximum and minimum.
  (def x (+ (reshape (iota f32 [4]) [2 2]) r))
  (println (all-reduce x :over dp))                              ; TWO: [1 3]
                                                                 ; TWO: [5 7]
                                                                 ; THREE: [3 6]
                                                                 ; THREE: [9 12]
                                                                 ; ONE: [0 1]
  (println (all-reduce (zeros f32 [2]) :over dp))                ; CHECK: {{^}}[0 0]
  (println (all-reduce (sum x) :over dp :by mean))               ; TWO: f32 [] 8
                                                                 ; THREE: f32 [] 10
  (println (all-reduce x :over dp :by max))                      ; TWO: [1 2]
                                                                 ; THREE: [2 3]
  (println (all-reduce (cast bf16 x) :over dp :by min))          ; CHECK: bf16 [2 2]
                                                                 ; CHECK-NEXT: [0 1]
  ; Numbers of the host, and the parts of a record.
  (println "%d" (all-reduce (cast i64 (rank dp)) :over [dp]))    ; TWO: {{^1$}}
                                                                 ; THREE: {{^3$}}
  (def p (all-reduce (Pair {:a (full f32 [3] r) :b r}) :over dp))
  (println (:a p))                                               ; TWO: [1 1 1]
                                                                 ; THREE: [3 3 3]
  (println "%g" (:b p))                                          ; TWO: {{^1$}}
  ; Joined along the first dimension, and along the last, where parts are no runs of memory.
  (println (dim (all-gather x :over dp) 0))                      ; TWO: {{^4$}}
                                                                 ; THREE: {{^6$}}
  (println (all-gather x :over dp :axis 1))                      ; TWO: [0 1 1 2]
                                                                 ; TWO-NEXT: [2 3 3 4]
                                                                 ; THREE: [0 1 1 2 2 3]
                                                                 ; ONE: [0 1]
  ; The parts of the sum, and of what all have. 6 columns divide by 2 and by 3.
  (def whole (reshape (iota f32 [12]) [2 6]))
  (def y (+ whole r))
  (println (all-gather (reduce-scatter y :over dp :axis -1) :over dp :axis 1)) ; TWO: [1 3 5 7 9 11]
                                                                               ; THREE: [3 6 9 12 15 18]
  (println (all-gather (own-part whole :over dp :axis 1) :over dp :axis 1))        ; CHECK: [0 1 2 3 4 5]
                                                                               ; CHECK-NEXT: [6 7 8 9 10 11]
  ; Parts of equal size where 7 does not divide: the last ones end with zeros, which are joined with :size only.
  (def seven (iota f32 [7]))
  (def part (own-part seven :over dp :pad true))
  (println (from-rank part :over dp :rank (- (ranks dp) 1)))                   ; TWO: {{^}}[4 5 6 0]
                                                                               ; THREE: {{^}}[6 0 0]
  (println (all-gather part :over dp :size 7))                                 ; CHECK: {{^}}[0 1 2 3 4 5 6]
                                                                               ; ONE: {{^}}[0 1 2 3 4 5 6]
  (println (all-gather (reduce-scatter (+ seven r) :over dp :pad true) :over dp :size 7)) ; TWO: [1 3 5 7 9 11 13]
                                                                                          ; THREE: [3 6 9 12 15 18 21]
  (def wide (+ (reshape (iota f32 [10]) [2 5]) r))
  (def sums (reduce-scatter wide :over dp :axis 1 :pad true))
  (println (all-gather sums :over dp :axis 1 :size 5))                         ; TWO: {{\[}}[1 3 5 7 9]
                                                                               ; TWO-NEXT: [11 13 15 17 19]
                                                                               ; THREE: {{\[}}[3 6 9 12 15]
                                                                               ; THREE-NEXT: [18 21 24 27 30]
                                                                               ; ONE: {{\[}}[0 1 2 3 4]
  (println (all-gather (own-part (zeros i32 [1]) :over dp :pad true) :over dp :size 1)) ; CHECK: {{^}}[0]
  ; A gradient by what is divided so: twice the whole.
  (println (grad squares seven))                                               ; CHECK: {{^}}[0 2 4 6 8 10 12]
                                                                               ; ONE: {{^}}[0 2 4 6 8 10 12]
  ; What the last rank has.
  (println (from-rank x :over dp :rank (- (ranks dp) 1)))                      ; TWO: [1 2]
                                                                               ; THREE: [2 3]
  (println (from-rank (reduce-scatter (slice y [0 0] [2 6]) :over dp :axis 1) :over dp)))
  ; TWO: [1 3 5]
  ; THREE: [3 6]
