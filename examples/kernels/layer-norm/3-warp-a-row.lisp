; Layer normalisation, step 3: a warp a row.
;
; The lanes of a warp take every 32nd number (64th where a warp is that wide) and combine their sums by shuffles, in
; log2 steps without shared memory or a barrier: rows do not wait for each other. The second and the third pass over
; the row find it in the L1 cache, so memory is read once. (warp-reduce :add v) writes the loop of shuffles. Two
; passes for the mean and the variance are more accurate than one over x and x^2.
;
; What is left: 4 bytes a load. A lane has 24 numbers of a row of 768, which would be six loads of 16 bytes.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o %t.ptx && FileCheck %s --input-file=%t.ptx --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
; RUN: llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=HSACO
(require-dialect memref math)
(require ["./layer-norm.lisp" :as layer-norm] ["../ladder.lisp" :as ladder])
(require-macros "./layer-norm.lisp" "../ladder.lisp")

; PTX: .entry normalize(
; PTX-COUNT-10: shfl.sync.bfly.b32
; PTX-NOT: call
; HSACO: <normalize>:
; HSACO-COUNT-12: {{ds_(bpermute|swizzle)_b32|_dpp}}
(defkernel normalize [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (def warps (/ (block-dim :x) (warp-size)))
  (def columns (memref.dim x 1))
  (def each (/ (: 1.0 f32) (cast f32 columns)))
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim x 0) (* (grid-dim :x) warps)]
    (def mean (* each (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) columns (warp-size)]
                                          (+ s (memref.load x row c))))))
    (def variance (* each (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) columns (warp-size)]
                                              (def d (- (memref.load x row c) mean))
                                              (+ s (* d d))))))
    (def scale (math.rsqrt (+ variance 1e-5)))
    (for [c (lane-id) columns (warp-size)]
      (def normal (* (- (memref.load x row c) mean) scale))
      (memref.store (+ (* normal (memref.load weight c)) (memref.load bias c)) y row c))))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: y memref<?x?xf32>)]
  (launch normalize {:grid [(/ (+ (memref.dim x 0) 7) 8)] :block [256]} x weight bias y))

; CHECK: ok
(define-layer-norm step)
