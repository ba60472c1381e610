; Loops that compute between products, by rings: causal attention whose blocks have loops of different lengths, with the
; second product in order, and a step late, where two groups of warps get registers of others; queries come by a ring,
; too. There are more tiles than blocks. What each result differs from the definition by is what rounding weights to BF16 leaves.
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=loops --target=sim:sm_90a %s | FileCheck --check-prefix=RINGS %s
(require-dialect memref math)
; RINGS: gpu.func @attention(
; RINGS-NOT: tile.registers
; RINGS-COUNT-5: tile.fill %
; RINGS: gpu.func @"late-attention"(
; RINGS: tile.registers 232 more
; RINGS: tile.registers 40
; RINGS-COUNT-6: tile.fill %
; RINGS-NOT: tile.fill %
(deftile attention {:stages 2 :warps 4 :ring true}
    [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xbf16>) (: scale f32)]
  (def h (program-id 1))
  (def i (* 64 (- (- (num-programs 0) 1) (program-id 0))))
  (def queries (load q [h i 0] [64 64]))
  (def [most total sums]
    (fold [most (full f32 [64 1] -1e30) total (zeros f32 [64 1]) sums (zeros f32 [64 64])] [j 0 i 64]
      (def s (dot queries (load k [h j 0] [64 64]) :transpose-b true))
      (def next (max most (max s :axis 1 :keep true)))
      (def p (math.exp2 (- (* scale s) (* scale next))))
      (def shrink (math.exp2 (* scale (- most next))))
      [next (+ (* total shrink) (sum p :axis 1 :keep true))
       (dot (cast bf16 p) (load v [h j 0] [64 64]) (* sums shrink))]))
  (def [last-most last-total last-sums]
    (fold [most most total total sums sums] [j i (+ i 64) 64]
      (def seen (<= (+ j (iota index [1 64] :axis 1)) (+ i (iota index [64 1] :axis 0))))
      (def s (where seen (dot queries (load k [h j 0] [64 64]) :transpose-b true) -inf))
      (def next (max most (max s :axis 1 :keep true)))
      (def p (math.exp2 (- (* scale s) (* scale next))))
      (def shrink (math.exp2 (* scale (- most next))))
      [next (+ (* total shrink) (sum p :axis 1 :keep true))
       (dot (cast bf16 p) (load v [h j 0] [64 64]) (* sums shrink))]))
  (store (cast bf16 (* last-sums (/ 1.0 last-total))) o [h i 0]))

(deftile late-attention {:stages 2 :warps 8 :ring true}
    [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xbf16>) (: scale f32)]
  (def h (program-id 1))
  (def i (* 128 (- (- (num-programs 0) 1) (program-id 0))))
  (def queries (load q [h i 0] [128 64]))
  (def [most total sums p]
    (fold [most (full f32 [128 1] -1e30) total (zeros f32 [128 1]) sums (zeros f32 [128 64]) p (zeros bf16 [128 64])]
          [j 0 i 64]
      (def s (dot queries (load k [h j 0] [64 64]) :transpose-b true))
      (def so-far (dot p (load v [h (- j 64) 0] [64 64]) sums))
      (def next (max most (max s :axis 1 :keep true)))
      (def e (math.exp2 (- (* scale s) (* scale next))))
      (def shrink (math.exp2 (* scale (- most next))))
      [next (+ (* total shrink) (sum e :axis 1 :keep true)) (* so-far shrink) (cast bf16 e)]))
  (def [last-most last-total last-sums last-p]
    (fold [most most total total sums sums p p] [j i (+ i 128) 64]
      (def seen (<= (+ j (iota index [1 64] :axis 1)) (+ i (iota index [128 1] :axis 0))))
      (def s (where seen (dot queries (load k [h j 0] [64 64]) :transpose-b true) -inf))
      (def so-far (dot p (load v [h (- j 64) 0] [64 64]) sums))
      (def next (max most (max s :axis 1 :keep true)))
      (def e (math.exp2 (- (* scale s) (* scale next))))
      (def shrink (math.exp2 (* scale (- most next))))
      [next (+ (* total shrink) (sum e :axis 1 :keep true)) (* so-far shrink) (cast bf16 e)]))
  (def all (dot last-p (load v [h (+ i 64) 0] [64 64]) last-sums))
  (store (cast bf16 (* all (/ 1.0 last-total))) o [h i 0]))

; The largest error of all elements.
(defn error-of [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: o memref<?x?x?xbf16>)
                (: scale f32)] -> f32
  (def [heads time] [(memref.dim q 0) (memref.dim q 1)])
  (def weights (device-alloc memref<?x?x?xf32> [heads time time]))
  (parallel [h heads i time j time]
    (def s (fold [s (: 0.0 f32)] [y 0 64]
      (+ s (* (cast f32 (memref.load q h i y)) (cast f32 (memref.load k h j y))))))
    (memref.store (if (<= j i) (math.exp2 (* scale s)) 0.0) weights h i j))
  (def errors (device-alloc memref<?xf32> [(* heads time)]))
  (parallel [h heads i time]
    (def total (fold [total (: 0.0 f32)] [j 0 (+ i 1)] (+ total (memref.load weights h i j))))
    (def worst (fold [worst (: 0.0 f32)] [x 0 64]
      (def sum (fold [sum (: 0.0 f32)] [j 0 (+ i 1)]
        (+ sum (* (memref.load weights h i j) (cast f32 (memref.load v h j x))))))
      (def error (abs (- (/ sum total) (cast f32 (memref.load o h i x)))))
      (if (<= error worst) worst error)))
    (memref.store worst errors (+ i (* h time))))
  (def host (memref.alloc {:result memref<?xf32>} (* heads time)))
  (download! host errors)
  (fold [worst (: 0.0 f32)] [i 0 (* heads time)]
    (def error (memref.load host i))
    (if (<= error worst) worst error)))

(defn number [(: n index)] -> bf16 (cast bf16 (/ (- (cast f32 (% n 23)) 11.0) 11.0)))

(defn report [(: name !llvm.ptr) (: error f32)]
  (println "%s: %s, largest error %.1e" name (if (<= error 1e-2) (cstring "ok") (cstring "wrong")) error))

; CHECK: attention: ok
; CHECK: late-attention: ok
(defn main []
  (def [heads time] [(: 67 index) (: 130 index)])
  (def q (device-alloc memref<?x?x?xbf16> [heads time 64]))
  (def k (device-alloc memref<?x?x?xbf16> [heads time 64]))
  (def v (device-alloc memref<?x?x?xbf16> [heads time 64]))
  (def o (device-alloc memref<?x?x?xbf16> [heads time 64]))
  (parallel [h heads i time x 64]
    (memref.store (number (+ (* 3 h) (* 7 i) (* 5 x))) q h i x)
    (memref.store (number (+ (* 5 h) (* 11 i) (* 3 x))) k h i x)
    (memref.store (number (+ (* 7 h) (* 3 i) (* 13 x))) v h i x)
    (memref.store (cast bf16 0.0) o h i x))
  (def scale (: 0.18 f32))
  (launch attention {:grid [3 heads]} q k v o scale)
  (report (cstring "attention") (error-of q k v o scale))
  (launch late-attention {:grid [2 heads]} q k v o scale)
  (report (cstring "late-attention") (error-of q k v o scale)))
