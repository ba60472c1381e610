; Layer normalisation, one warp a row: y = (x - mean) / sqrt(variance + epsilon) * weight + bias.
;
; Each lane takes every 32nd column (64th where a warp is that wide), so that neighbouring lanes read neighbouring
; numbers; the sums of the lanes are combined in log2 steps of shuffles, without shared memory. The second pass over
; the row reads it from the L1 cache; two passes are more accurate than one.
;
;   lispier examples/kernels/layernorm.lisp --emit=ptx --target=cuda:sm_80 -o layernorm.ptx
;   lispier examples/kernels/layernorm.lisp --emit=hsaco --target=rocm:gfx942 -o layernorm.hsaco
;
; Change first: the columns of a lane. As vectors of four (vector.load) the row takes a quarter of the loads.
;
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o %t.ptx && FileCheck %s --input-file=%t.ptx --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
; RUN: llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=HSACO
(require-dialect memref math)

; The sum over the warp, in every lane. (warp-reduce :add v) does the same.
(defn warp-sum [(: v f32)] -> f32
  (def width (warp-size))
  (def [sum _] (loop [s v mask (/ width 2)] :while (> mask 0)
                 :do [(+ s (shuffle-xor s mask)) (/ mask 2)]))
  sum)

; PTX: .entry layernorm(
; PTX-COUNT-10: shfl.sync.bfly.b32
; PTX-NOT: call
; HSACO: <layernorm>:
; HSACO-COUNT-12: ds_{{bpermute|swizzle}}_b32

; x, y: [T, C]; weight, bias: [C]; a block has as many warps as the launch gives it.
(defkernel layernorm [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)
                      (: epsilon f32)]
  (def T (memref.dim x 0))
  (def C (memref.dim x 1))
  (def row (+ (* (block-id :x) (/ (block-dim :x) (warp-size))) (warp-id)))
  (when (< row T)
    (def each (/ (: 1.0 f32) (cast f32 C)))
    (def mean (* each (warp-sum (fold [s (: 0.0 f32)] [c (lane-id) C (warp-size)]
                                  (+ s (memref.load x row c))))))
    (def variance (* each (warp-sum (fold [s (: 0.0 f32)] [c (lane-id) C (warp-size)]
                                      (def d (- (memref.load x row c) mean))
                                      (+ s (* d d))))))
    (def scale (math.rsqrt (+ variance epsilon)))
    (for [c (lane-id) C (warp-size)]
      (def normal (* (- (memref.load x row c) mean) scale))
      (memref.store (+ (* normal (memref.load weight c)) (memref.load bias c)) y row c))))

(defn normalize [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def rows-of-a-block (: 8 index))
  (def blocks (/ (+ (memref.dim x 0) (- rows-of-a-block 1)) rows-of-a-block))
  (launch layernorm {:grid [blocks] :block [256]} x weight bias y 1.0e-5))

; Row t holds t, t + 1, ...: all rows come out alike, from -1.71 to 1.71 times the weight, plus the bias.
; CHECK: -1.214816
; CHECK-NEXT: 2.214816
(defn main []
  (def x (device-alloc memref<?x?xf32> [3 100]))
  (def y (device-alloc memref<?x?xf32> [3 100]))
  (def weight (device-alloc memref<?xf32> [100]))
  (def bias (device-alloc memref<?xf32> [100]))
  (parallel [t 3 c 100] (memref.store (cast f32 (+ t c)) x t c))
  (parallel [c 100] (memref.store 1.0 weight c) (memref.store 0.5 bias c))
  (normalize x weight bias y)
  (println "%f" (memref.load y 0 0))
  (println "%f" (memref.load y 2 99)))
