; Random numbers follow from seed, stream and place alone, on every target.
; RUN: lispier run %s > %t.cpu
; RUN: FileCheck %s < %t.cpu
; RUN: lispier run --fuse=false %s | diff %t.cpu -
; RUN: lispier run --target=sim %s | diff %t.cpu -
; RUN: lispier run --target=sim:sm_90a %s | diff %t.cpu -
; RUN: lispier run --target=sim:gfx942 %s | diff %t.cpu -
(require-dialect memref tensor)

(defn noise [(: x (tensor n m f32)) (: stream (tensor 1 i32))] (+ x (normal f32 x :seed 3 :stream stream)))
(defn step [(: x (inout (tensor n f32))) (: stream (inout (tensor 1 i32)))]
  (update x (+ x (uniform f32 x :seed 1 :stream stream)) [0])
  (update stream (+ stream 1) [0]))
(defn rows [(: n index)] (random-bits i32 [n 3] :seed 9 :stream 1))

(defn main []
  ; Philox 4x32-10 of counter 0 and key 0, as Random123 publishes it; the words of i64 are the same, the low one first.
  ; CHECK: 6627e8d5 e169c58d bc57ac4c 9b00dbd8
  (def words (random-bits i32 [4] :seed 0))
  (println "%x %x %x %x" (at words 0) (at words 1) (at words 2) (at words 3))
  ; CHECK: e169c58d6627e8d5 9b00dbd8bc57ac4c
  (def pairs (random-bits i64 [2] :seed 0))
  (println "%lx %lx" (at pairs 0) (at pairs 1))
  ; The shape does not matter, nor how many elements there are.
  ; CHECK: i1 [] true
  (println (all (= (reshape (rows 5) [15]) (slice (random-bits i32 [40] :seed 9 :stream 1) [0] [15]))))
  ; A stream that is a tensor, and one that is a number.
  ; CHECK: i1 [] true
  (println (all (= (noise (zeros f32 [3 4]) (: [7] (tensor 1 i32))) (normal f32 [3 4] :seed 3 :stream 7))))
  ; Other seeds and streams give other numbers, also in the upper half of 64 bits.
  ; CHECK: i1 [] false
  (println (any (= (uniform f64 [9] :seed 4294967296) (uniform f64 [9] :seed 0))))
  ; CHECK: i1 [] false
  (println (any (= (uniform f64 [9] :seed 0 :stream 4294967296) (uniform f64 [9] :seed 0))))
  ; CHECK: f32 []
  (println (uniform f32 [] :seed 1) :digits full)
  ; CHECK: f32 [2 4]
  ; CHECK-NEXT: {{^\[\[0.89025915 0.8946847 0.5857259 0.71126807\]$}}
  ; CHECK-NEXT: {{^ \[0.67199826 0.8741119 0.4755932 0.65610313\]\]$}}
  (println (uniform f32 [2 4] :seed 1) :digits full)
  ; CHECK: bf16 [8]
  (println (uniform bf16 [8] :seed 1) :digits full)
  ; CHECK: f32 [8]
  ; CHECK-NEXT: [0.3804007 -0.24923311 0.6269476 -0.67827183 -1.5671557 0.724508 0.72551566 1.8591629]
  (println (normal f32 [8] :seed 1) :digits full)
  ; CHECK: f16 [8]
  (println (normal f16 [8] :seed 1) :digits full)
  ; CHECK: f32 [0 3]
  (println (normal f32 [0 3] :seed 1))
  ; A step that is launched again and again takes another stream each time.
  (def x (device-alloc memref<?xf32> [(: 4 index)]))
  (def stream (device-alloc memref<1xi32> []))
  (store (zeros f32 [4]) x)
  (store (zeros i32 [1]) stream)
  (for [i 0 4] (replayable (step x stream)))
  ; CHECK: i1 [] true
  (println (all (= (load x) (fold [s (zeros f32 [4])] [i 0 4] (+ s (uniform f32 [4] :seed 1 :stream i))))))
  ; Of a million: mean 0 and 1/2 within 5 standard errors, variance 1, 27 in ten thousand outside of 3 deviations.
  (def normals (normal f32 [1000000] :seed 2))
  ; CHECK: i1 [] true
  (println (< (abs (mean normals)) 0.005))
  ; CHECK: i1 [] true
  (println (< (abs (- (mean (* normals normals)) 1.0)) 0.007))
  ; CHECK: i1 [] true
  (println (< (abs (- (mean (cast f32 (> (abs normals) 3.0))) 0.0027)) 0.00026))
  ; CHECK: i1 [] true
  (println (< (abs (- (mean (uniform f32 [1000000] :seed 2)) 0.5)) 0.0015))
  ; CHECK: i1 [] true
  (println (< (max (uniform f16 [1000000] :seed 2)) 1.0))
  ; Dropout keeps three quarters, the same ones each time, of another seed others.
  (def ones (full bf16 [100000] 1.0))
  ; CHECK: i1 [] true
  (println (< (abs (- (mean (cast f32 (> (dropout ones :p 0.25 :seed 5 :stream 6) 0))) 0.75)) 0.007))
  ; CHECK: i1 [] true
  (println (all (= (dropout ones :seed 5 :stream 6) (dropout ones :seed 5 :stream 6))))
  ; CHECK: i1 [] false
  (println (all (= (dropout ones :seed 5 :stream 6) (dropout ones :seed 5 :stream 7)))))
