; Scans of rows and of columns, from either end, with the element itself and without it, of sizes that fill no tile, of one
; that the program knows and of one that only the run knows; against sums and maxima of all elements that a mask leaves.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --cpu=x86-64-v3 %s | FileCheck %s
; RUN: lispier run --effort=quick %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; One kernel reads and writes memory once: the mask and what is done to the sums are part of it. A warp scans parts of a
; row by shuffles, five for each of a thread's four groups of neighbours, without a barrier.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s | FileCheck %s --check-prefix=ONE
; ONE: func.func @masked(
; ONE: group.kernel "masked_0" kind(scan) ins(%arg2, %arg0, %arg1 : 
; ONE-NOT: group.kernel
; ONE: return
; RUN: lispier --emit=loops --target=cuda:sm_90a %s | FileCheck %s --check-prefix=WARP
; WARP-LABEL: gpu.func @rows_0(
; WARP-NOT: gpu.barrier
; WARP-COUNT-20: gpu.shuffle
; WARP-NOT: gpu.shuffle
; WARP: gpu.func @rows_0_unaligned(

(defn rows [(: x (tensor 8192 4096 f32))] (cumsum x :axis 1 :reverse true))
(defn masked [(: x (tensor m n f32)) (: y (tensor m n f32)) (: mask (tensor m n i1))]
  (+ y (cumsum (where mask x 0) :axis 1)))

; Whole numbers, so that sums are exact in any order.
(defn numbers [m n] (cast f32 (- (% (* 7 (iota i32 [m n] :axis 1)) 11) (% (iota i32 [m n] :axis 0) 5))))
(defn before [n] (<= (iota i32 [n]) (iota i32 [n 1] :axis 0)))
(defn count-wrong [a b] (sum (cast i32 (!= a b))))

(defn wrong [(: x (tensor m n f32))]
  (def one (where (before n) 1.0 0.0))
  (def none (where (not (transpose (before n))) 1.0 0.0))
  (def low (where (before n) (reshape x [m 1 n]) -inf))
  (def high (where (transpose (before n)) (reshape x [m 1 n]) inf))
  (+ (count-wrong (cumsum x :axis 1) (einsum "mk,jk->mj" x one))
     (count-wrong (cumsum x :axis 1 :reverse true) (einsum "mk,kj->mj" x one))
     (count-wrong (cumsum x :axis 1 :exclusive true) (einsum "mk,jk->mj" x none))
     (count-wrong (cumsum x :axis 1 :reverse true :exclusive true) (einsum "mk,kj->mj" x none))
     (count-wrong (cummax x :axis 1) (max low :axis 2))
     (count-wrong (cummin x :axis 1 :reverse true) (min high :axis 2))))

(defn wrong-columns [(: x (tensor n m f32))]
  (def one (where (before n) 1.0 0.0))
  (def none (where (not (transpose (before n))) 1.0 0.0))
  (+ (count-wrong (cumsum x :axis 0) (einsum "km,jk->jm" x one))
     (count-wrong (cumsum x :axis 0 :reverse true) (einsum "km,kj->jm" x one))
     (count-wrong (cumsum x :axis 0 :exclusive true) (einsum "km,jk->jm" x none))
     (count-wrong (cumsum x :axis 0 :reverse true :exclusive true) (einsum "km,kj->jm" x none))))

(defn wrong-masked [(: x (tensor m n f32))]
  (def mask (> x 2))
  (count-wrong (masked x x mask) (+ x (einsum "mk,jk->mj" (where mask x 0) (where (before n) 1.0 0.0)))))

(defn main []
  ; CHECK: i64 [] 0
  ; CHECK-NEXT: i64 [] 0
  ; CHECK-NEXT: i64 [] 0
  ; CHECK-NEXT: i64 [] 0
  ; CHECK-NEXT: i64 [] 0
  (println (wrong (numbers 3 1)))
  (println (wrong (numbers 33 31)))
  (println (wrong (numbers 2 1025)))
  (println (wrong (numbers 1 1536)))
  (println (wrong-masked (numbers 3 700)))
  ; CHECK-NEXT: i64 [] 0
  ; CHECK-NEXT: i64 [] 0
  ; CHECK-NEXT: i64 [] 0
  (println (wrong-columns (numbers 1 5)))
  (println (wrong-columns (numbers 31 130)))
  (println (wrong-columns (numbers 517 3)))
  (def x (slice (numbers 2 3000) :axis 1 :from 0 :size (cast index (sum (full i32 [700] 1)))))
  (println (wrong x))             ; CHECK-NEXT: i64 [] 0
  (println (wrong-columns x))     ; CHECK-NEXT: i64 [] 0
  ; 16 bits are summed in f32, and products of whole numbers in i64; an empty row has no sums.
  (println (cumsum (full bf16 [300 1] 1) :axis 0 :reverse true))  ; CHECK-NEXT: bf16 [300 1]
  ; CHECK-NEXT: [300]
  (println (cumprod (full i8 [2 5] 100) :axis 1 :reverse true))   ; CHECK: i64 [2 5]
  ; CHECK-NEXT: [10000000000 100000000 1000000 10000 100]
  (println (cumsum (zeros f32 [3 0]) :axis 1)))                   ; CHECK: f32 [3 0]
