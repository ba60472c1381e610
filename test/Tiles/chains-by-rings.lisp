; A loop with products of what other products make, by rings: gradients of keys and values of heads of 128, whose sums fill
; most of a thread's registers. The first products of a step come first, then what is read beside them, and the last ones
; at the end; addresses of keys and values are computed in each step. The last step has queries beyond the end.
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=loops --target=sim:sm_90a %s | FileCheck --check-prefix=RINGS %s
(require-dialect memref math)
; RINGS: gpu.func @gradients(
; RINGS: tile.registers 232 more
; RINGS-COUNT-2: tile.again
; RINGS-NOT: vector.load
; RINGS-COUNT-16: tile.warpgroup_mma {{.*}}n = 64
; RINGS: math.exp2
; RINGS: tile.warpgroup_mma {{.*}}n = 128
; RINGS: tile.warpgroup_wait {{.*}}, 0
; RINGS-COUNT-4: tile.fill %
; RINGS-NOT: tile.fill %
(deftile gradients {:stages 2 :warps 8 :ring true}
    [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
     (: l memref<?x?xf32>) (: delta memref<?x?xf32>) (: dk memref<?x?x?xbf16>) (: dv memref<?x?x?xbf16>) (: scale f32)]
  (def h (program-id 1))
  (def j (* 128 (program-id 0)))
  (def keys (load k [h j 0] [128 128]))
  (def values (load v [h j 0] [128 128]))
  (def [k-sums v-sums]
    (fold [k-sums (zeros f32 [128 128]) v-sums (zeros f32 [128 128])] [i 0 (memref.dim q 1) 64]
      (def queries (load q [h i 0] [64 128]))
      (def changes (load do [h i 0] [64 128]))
      (def p (math.exp2 (- (* scale (dot keys queries :transpose-b true)) (load l [h i] [1 64]))))
      (def v-next (dot (cast bf16 p) changes v-sums))
      (def ds (* p (- (dot values changes :transpose-b true) (load delta [h i] [1 64]))))
      [(dot (cast bf16 ds) queries k-sums) v-next]))
  (store (cast bf16 k-sums) dk [h j 0])
  (store (cast bf16 v-sums) dv [h j 0]))

(defn sum-of [(: a memref<?x?x?xbf16>) (: i index) (: b memref<?x?x?xbf16>) (: j index) (: h index)] -> f32
  (fold [s (: 0.0 f32)] [x 0 128] (+ s (* (cast f32 (memref.load a h i x)) (cast f32 (memref.load b h j x))))))

; The largest error of all elements, relative to those of more than 1.
(defn difference [(: wanted f32) (: made f32)] -> f32 (/ (abs (- wanted made)) (max 1.0 (abs wanted))))
(defn error-of [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
                (: l memref<?x?xf32>) (: delta memref<?x?xf32>) (: dk memref<?x?x?xbf16>) (: dv memref<?x?x?xbf16>)
                (: scale f32)] -> f32
  (def [heads time] [(memref.dim q 0) (memref.dim q 1)])
  (def ps (device-alloc memref<?x?x?xf32> [heads time time]))
  (def dss (device-alloc memref<?x?x?xf32> [heads time time]))
  (parallel [h heads i time j time]
    (def p (math.exp2 (- (* scale (sum-of q i k j h)) (memref.load l h i))))
    (memref.store p ps h i j)
    (memref.store (* p (- (sum-of do i v j h) (memref.load delta h i))) dss h i j))
  (def errors (device-alloc memref<?xf32> [(* heads time)]))
  (parallel [h heads j time]
    (def worst (fold [worst (: 0.0 f32)] [x 0 128]
      (def [of-k of-v] (fold [of-k (: 0.0 f32) of-v (: 0.0 f32)] [i 0 time]
        [(+ of-k (* (memref.load dss h i j) (cast f32 (memref.load q h i x))))
         (+ of-v (* (memref.load ps h i j) (cast f32 (memref.load do h i x))))]))
      (max worst (difference of-k (cast f32 (memref.load dk h j x)))
           (difference of-v (cast f32 (memref.load dv h j x))))))
    (memref.store worst errors (+ j (* h time))))
  (def host (memref.alloc {:result memref<?xf32>} (* heads time)))
  (download! host errors)
  (fold [worst (: 0.0 f32)] [i 0 (* heads time)] (max worst (memref.load host i))))

(defn number [(: n index)] -> bf16 (cast bf16 (/ (- (cast f32 (% n 23)) 11.0) 11.0)))

; CHECK: gradients: ok
(defn main []
  (def [heads time] [(: 3 index) (: 200 index)])
  (def q (device-alloc memref<?x?x?xbf16> [heads time 128]))
  (def k (device-alloc memref<?x?x?xbf16> [heads time 128]))
  (def v (device-alloc memref<?x?x?xbf16> [heads time 128]))
  (def do (device-alloc memref<?x?x?xbf16> [heads time 128]))
  (def dk (device-alloc memref<?x?x?xbf16> [heads time 128]))
  (def dv (device-alloc memref<?x?x?xbf16> [heads time 128]))
  (def l (device-alloc memref<?x?xf32> [heads time]))
  (def delta (device-alloc memref<?x?xf32> [heads time]))
  (parallel [h heads i time x 128]
    (memref.store (number (+ (* 3 h) (* 7 i) (* 5 x))) q h i x)
    (memref.store (number (+ (* 5 h) (* 11 i) (* 3 x))) k h i x)
    (memref.store (number (+ (* 7 h) (* 3 i) (* 13 x))) v h i x)
    (memref.store (number (+ (* 2 h) (* 5 i) (* 7 x))) do h i x))
  (parallel [h heads i time]
    (memref.store (+ 8.0 (cast f32 (number (+ h (* 3 i))))) l h i)
    (memref.store (cast f32 (number (+ (* 2 h) i))) delta h i))
  (def scale (: 0.125 f32))
  (launch gradients {:grid [2 heads]} q k v do l delta dk dv scale)
  (def error (error-of q k v do l delta dk dv scale))
  (println "gradients: %s, largest error %.1e" (if (<= error 1e-2) (cstring "ok") (cstring "wrong")) error))
