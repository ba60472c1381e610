; Formulas that are nearly those of hand-written kernels: they differ for some numbers only, here those of the program,
; which it reads from memory. None is taken for the kernel's.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --templates=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref arith)

(defn filled [(: value f32) (: n index)] -> (tensor _ f32)
  (def m (memref.alloc {:result memref<?xf32>} n))
  (parallel [i n] (memref.store value m i))
  (load m))
(defn product [(: value f32)] -> (tensor _ _ f32)
  (einsum "tk,nk->tn" (reshape (filled value 40) [1 40]) (reshape (filled 1.0 160) [4 40])))

; Small numbers that become 0, those of a threshold, a band, a bump, and a sum that rounds to integers.
; CHECK: {{\[\[}}0 0 0 0]]
; CHECK: {{\[\[}}0 0 0 0]]
; CHECK: {{\[\[}}0 0 0 0]]
; CHECK: {{\[\[}}150 150 150 150]]
; CHECK: {{\[\[}}0 0 0 0]]
(defn shrunk [y] (where (< (abs y) 0.1) 0.0 y))
(defn above [y] (where (> y 0.05) y 0.0))
(defn without-band [y] (where (and (> y 10.0) (< y 90.0)) 0.0 y))
(defn bump [y] (let [d (- y 50.0)] (+ y (* 100.0 (exp (- (* d d)))))))
(defn rounded [y] (- (+ y 12582912.0) 12582912.0))

; A NaN is 0 where it is not greater, and stays one where it is not less.
; CHECK: {{\[\[}}0 0 0 0]]
; CHECK: {{\[\[}}{{-?nan -?nan -?nan -?nan}}]]
(defn rectified [y] (where (> y 0.0) y 0.0))
(defn rectified-otherwise [y] (where (< y 0.0) 0.0 y))

; Norms: rows of -1 and 1, times 200; the greater ones become 0.
; CHECK: {{\[\[}}{{-(200|199[.0-9]+) 0 -}}
(defn norm [(: x (tensor t 64 f32)) (: w (tensor 64 f32)) (: b (tensor 64 f32))]
  (let [y (layer-norm x w b)] (where (and (> y 100.0) (< y 1000.0)) 0.0 y)))

; Attention: the score of position 0 is 50, which becomes 0 as are the others: the mean of the values 0 to 7.
; CHECK: [1 8 16]
; CHECK-COUNT-8: 3.5 3.5 3.5 ... 3.5 3.5 3.5
(defn attend [(: q (tensor h t d f32)) (: k (tensor h s d f32)) (: v (tensor h s d f32))]
  (def scores (* (rsqrt (cast f32 (dim q 2))) (einsum "htd,hsd->hts" q k)))
  (einsum "hts,hsd->htd" (softmax (where (and (> scores 20.0) (< scores 100.0)) 0.0 scores)) v))

(defn main []
  (println (shrunk (product 0.00125)))
  (println (above (product 0.001)))
  (println (without-band (product 1.0)))
  (println (bump (product 1.25)))
  (println (rounded (product 0.01)))
  (def not-a-number (sqrt (filled -1.0 40)))
  (println (rectified (product (at not-a-number 0))))
  (println (rectified-otherwise (product (at not-a-number 0))))
  (def signs (where (= (% (iota i32 [64]) 2) 0) -1.0 (filled 1.0 64)))
  (println (norm (reshape signs [1 64]) (filled 200.0 64) (filled 0.0 64)))
  (def k (where (< (iota i32 [128]) 16) (filled 1.0 128) 0.0))
  (def v (* (floor (/ (iota f32 [128]) 16.0)) (filled 1.0 128)))
  (println (attend (reshape (filled 12.5 128) [1 8 16]) (reshape k [1 8 16]) (reshape v [1 8 16]))))
