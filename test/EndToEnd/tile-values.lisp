; What the forms on tiles compute, on the CPU and with every access checked.
; RUN: lispier run %s one | FileCheck %s
; RUN: lispier run --target=sim %s one | FileCheck %s
(require-dialect memref linalg)

(deftile indices [(: x memref<?x?xf32>) (: out memref<?xi32>)]
  (def v (load x [0 0] [2 4]))
  (store (argmax v :axis 1) out [0])
  (store (argmax v) out [2])
  (store (sum (cast i32 (any (> v 2.0) :axis 0))) out [3])
  (store (cast i32 (all (< v 100.0))) out [4])
  (store (argmax (where (= (iota index [4]) 2) nan (load x [0 0] [4]))) out [5])
  (store (cumsum (iota i32 [4])) out [6])
  (store (argmax (transpose v) :axis -2) out [10])
  (store (argmin v) out [14])
  (store (cast i32 (pow (cast f32 (abs (- (iota i32 [2]) 3))) 2.0)) out [12]))

; A batch of products with a transposed operand; 16-bit floats with sums in f32.
(deftile batches [(: out memref<?xf32>)]
  (def a (cast bf16 (iota f32 [2 2 3] :axis 0)))
  (def b (cast bf16 (iota f32 [2 4 3] :axis 2)))
  (store (reshape (dot a (transpose b) (full f32 [2 2 4] 0.5)) [16]) out [0]))

; Reads and writes at places that tiles name, of which some are outside.
(deftile places [(: x memref<?x?xf32>) (: out memref<?xf32>)]
  (def i (iota index [6]))
  (def v (gather x [(/ i 3) (+ 2 (% i 3))] :else -1.0))
  (store v out [0])
  (scatter (* 10.0 v) out [(+ 6 (* 2 i))] :mask (> v 0.0))
  (atomic-add (full f32 [6] 1.0) out [(* 5 (/ i 3))]))

; Tiles that lie over the edges of a memref, also the lower ones.
(deftile edges [(: x memref<?x?xf32>) (: out memref<?xf32>)]
  (def low (load x [0 0] [4 8] :else -inf))
  (def high (load x [0 0] [4 8] :else inf :mask (< (iota index [8]) 3)))
  (store (max low) out [0])
  (store (min high) out [1])
  (store (mean (load x [0 0] [2 4])) out [2])
  (store (reshape (sigmoid (load x [-1 -1] [2 2] :else 100.0)) [4]) out [3]))

(defn print-floats [(: m memref<?xf32>) (: n index)]
  (for [i 0 n] (print "%g " (memref.load m i)))
  (println ""))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (memref.alloc {:result memref<?x?xf32>} (: 2 index) (: 4 index)))
  (for [i 0 2] (for [j 0 4] (memref.store (cast f32 (% (+ (* 5 i) (* 3 j)) 7)) x i j))) ; 0 3 6 2, 5 1 4 0
  (def out (memref.alloc {:result memref<?xi32>} (: 15 index)))
  (launch indices {:grid [1]} x out)
  (for [i 0 15] (print "%d " (memref.load out i)))
  (println "")                                               ; CHECK: 2 0 2 3 1 2 0 1 3 6 2 0 9 4 0
  (def f (memref.alloc {:result memref<?xf32>} (: 18 index)))
  (linalg.fill (: 0.0 f32) f)
  (launch batches {:grid [1]} f)
  (print-floats f 9)                                         ; CHECK-NEXT: 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 3.5
  (linalg.fill (: 0.0 f32) f)
  (launch places {:grid [1]} x f)
  (print-floats f 17)                                        ; CHECK-NEXT: 9 2 -1 4 0 2 60 0 20 0 0 0 40 0 0 0 0
  (launch edges {:grid [1]} x f)
  (print-floats f 7)                                         ; CHECK-NEXT: 6 0 2.625 1 1 1 0.5
  (for [n -1 10] (print "%ld " (cast i64 (next-power-of-2 (* n (cast index argc))))))
  (println ""))                                              ; CHECK-NEXT: 1 1 1 2 4 4 8 8 8 8 16
