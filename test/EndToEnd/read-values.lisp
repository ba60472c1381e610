; A tensor that is read of a memref is a value: whatever writes the memory later does not change it. One case for each
; way to write, and for each place where a read may come too late.
; RUN: lispier run %s -- x | FileCheck %s
; RUN: lispier run --fuse=false %s -- x | FileCheck %s
; RUN: lispier run --target=sim %s -- x | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s -- x | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s -- x | FileCheck %s
(require-dialect memref linalg)

(defn memory [(: n index)] -> memref<?xf32>
  (def m (device-alloc memref<?xf32> [n]))
  (store (iota f32 [n]) m)
  m)
(defn write [(: m memref<?xf32>)] (for [i 0 (memref.dim m 0)] (memref.store 9.0 m i)))
(defn append [(: c (inout (tensor n f32)))] (update c (full f32 [2] 9.0) [1]))
(defkernel fill [(: m memref<?xf32>)] (let [i (thread-id :x)] (memref.store 9.0 m i)))
(deftile raise {:const [n]} [(: a memref<?xf32>) (: b memref<?xf32>)]
  (store (+ 1.0 (load a [0] [n])) b [0]))

; The read and the write are two arguments, which are the same memory, shifted, or apart.
(defn turn [(: a "memref<?xf32, strided<[1], offset: ?>>") (: b "memref<?xf32, strided<[1], offset: ?>>")]
  (def x (load a))
  (store (gather x (- 2 (iota i32 [3]))) b)
  (println (sum x)))
; `load` of a tensor that is written in place copies it.
(defn kept [(: c (inout (tensor n f32)))]
  (def old (load c))
  (update c (full f32 [2] 9.0) [1])
  (println old))
; A function that is not inlined gets a tensor and its memory.
(defn walk [(: x (tensor n f32)) (: m memref<?xf32>) (: k i64)] -> (tensor n f32)
  (memref.store (* 10.0 (at x 3)) m 0)
  (if (= k 0) (+ x 0.0) (walk x m (- k 1))))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def zero (cast index (- count 1)))
  (let [m (memory 4) x (load m)] (memref.store 9.0 m 0) (println x))                        ; CHECK: [0 1 2 3]
  (let [m (memory 4) x (load m)] (store (full f32 [4] 9.0) m) (println x))                  ; CHECK: [0 1 2 3]
  (let [m (memory 4) x (load m)] (write m) (println x))                                     ; CHECK: [0 1 2 3]
  (let [m (memory 4) x (load m)] (append m) (println x) (println (load m)))                 ; CHECK: [0 1 2 3]
  ; CHECK: [0 9 9 3]
  (let [m (memory 4) x (load m)] (linalg.fill 9.0 m) (println x))                           ; CHECK: [0 1 2 3]
  (let [m (memory 4) x (load m)] (launch fill {:grid [1] :block [4]} m) (println x))        ; CHECK: [0 1 2 3]
  (let [m (memory 4) x (load m)] (launch raise {:grid [1] :const {:n 4}} m m) (println x))  ; CHECK: [0 1 2 3]
  (let [m (memory 4) x (load m)] (memref.copy (memory 4) m) (write m) (println (sum x)))    ; CHECK: 6
  (let [c (iota f32 [4])] (kept c) (println c))                                             ; CHECK: [0 1 2 3]
  ; CHECK: [0 9 9 3]
  ; Through a view of the memory, and read through one.
  (let [m (memory 4) x (load m)]
    (linalg.fill 9.0 (memref.subview m [zero] [(+ zero 2)] [1]))
    (println x))                                                                            ; CHECK: [0 1 2 3]
  (let [m (memory 4) x (load (memref.subview m [zero] [(+ zero 2)] [1]))] (write m) (println x)) ; CHECK: [0 1]
  ; What is computed of it before the write, but fused with what uses it behind; what folds to the tensor; a part.
  (let [m (memory 4) y (+ 1.0 (load m))] (write m) (println (sum y)))                       ; CHECK: 10
  (let [m (memory 4) y (* 1.0 (load m))] (write m) (println y))                             ; CHECK: [0 1 2 3]
  (let [m (memory 4) y (slice (load m) [1] [2])] (write m) (println y))                     ; CHECK: [1 2]
  ; The next iteration of a loop, what a loop carries, and a branch.
  (let [m (memory 4)]
    (for [t 0 2]
      (def old (load m))
      (store (+ 1.0 (load m)) m)
      (println (max (abs (- (load m) old))))))                                              ; CHECK: 1
  ; CHECK: 1
  (let [m (memory 4) x (load m)] (for [t 0 2] (println (sum x)) (write m)))                 ; CHECK: 6
  ; CHECK: 6
  (let [m (memory 4)]
    (println (fold [old (load m)] [t 0 3] (do (def now (load m)) (store (+ now 1.0) m) (println (sum old)) now))))
  ; CHECK: 6
  ; CHECK: 6
  ; CHECK: 10
  ; CHECK: [2 3 4 5]
  (let [m (memory 4) x (load m)] (if (> count 0) (write m)) (println x))                    ; CHECK: [0 1 2 3]
  ; Arguments that may be one memory: the same, shifted, and apart.
  (let [m (memory 4) a (memref.subview m [(+ zero 1)] [(+ zero 3)] [1]) b (memref.subview m [zero] [(+ zero 3)] [1])]
    (turn a b) (println (load m))                                                           ; CHECK: 6
    ; CHECK: [3 2 1 3]
    (turn a a) (println (load m)))                                                          ; CHECK: 6
  ; CHECK: [3 3 1 2]
  (let [m (memory 4)] (println (walk (load m) m 1)))                                        ; CHECK: [0 1 2 3]
  ; What is stored is in the memory from there on, not before.
  (let [m (memory 4) y (* 2.0 (load (memory 4)))]
    (println "%g" (memref.load m 3))                                                        ; CHECK: 3
    (store y m)
    (println "%g" (memref.load m 3)))                                                       ; CHECK: 6
  (let [m (memory 4) y (* 2.0 (load (memory 4)))]
    (if (> count 5) (store y m))
    (println (load m)) (println y))                                                         ; CHECK: [0 1 2 3]
  ; CHECK: [0 2 4 6]
  ; A tensor that is printed twice, of which a loop makes the next one meanwhile.
  (let [x (+ 1.0 (iota f32 [(+ zero 3)]))]
    (println x)                                                                             ; CHECK: [1 2 3]
    (println (fold [y x] [t 0 2] (println x) (+ y 1.0)))))                                  ; CHECK: [1 2 3]
; CHECK: [1 2 3]
; CHECK: [3 4 5]
