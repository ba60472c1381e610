; Layer norm backward, step 2: a warp a row, sums of a block in shared memory.
;
; A warp takes a row, and its lanes combine their sums by shuffles. 264 blocks of eight warps, two for each
; multiprocessor of an H200, take all rows in turns: the sums over a block's rows are in shared memory, where the warps
; add by atomics, and go to memory once for each block instead of once for each row. C is at most 2,048, which is 16 KB.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:64 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./layernorm-backward.lisp" :as layernorm-backward] ["../ladder.lisp" :as ladder])
(require-macros "./layernorm-backward.lisp" "../ladder.lisp")

(defkernel back [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: dy memref<?x?xf32>)
                 (: dx memref<?x?xf32>) (: dweight memref<?xf32>) (: dbias memref<?xf32>)]
  (def sums (shared f32 [2 2048]))
  (def warps (/ (block-dim :x) (warp-size)))
  (def columns (memref.dim x 1))
  (def each (/ (: 1.0 f32) (cast f32 columns)))
  (for [c (thread-id :x) columns (block-dim :x)]
    (memref.store (: 0.0 f32) sums 0 c)
    (memref.store (: 0.0 f32) sums 1 c))
  (barrier)
  (for [row (+ (* (block-id :x) warps) (warp-id)) (memref.dim x 0) (* (grid-dim :x) warps)]
    (def mean (* each (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) columns (warp-size)]
                                          (+ s (memref.load x row c))))))
    (def variance (* each (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) columns (warp-size)]
                                              (def d (- (memref.load x row c) mean))
                                              (+ s (* d d))))))
    (def scale (math.rsqrt (+ variance 1e-5)))
    (def [g gn] (fold [g (: 0.0 f32) gn (: 0.0 f32)] [c (lane-id) columns (warp-size)]
      (def of-c (* (memref.load dy row c) (memref.load weight c)))
      [(+ g of-c) (+ gn (* of-c scale (- (memref.load x row c) mean)))]))
    (def [all-g all-gn] [(* each (warp-reduce :add g)) (* each (warp-reduce :add gn))])
    (for [c (lane-id) columns (warp-size)]
      (def d (memref.load dy row c))
      (def n (* scale (- (memref.load x row c) mean)))
      (memref.store (* scale (- (* d (memref.load weight c)) (+ all-g (* n all-gn)))) dx row c)
      (atomic-add (* d n) sums [0 c])
      (atomic-add d sums [1 c])))
  (barrier)
  (for [c (thread-id :x) columns (block-dim :x)]
    (atomic-add (memref.load sums 0 c) dweight [c])
    (atomic-add (memref.load sums 1 c) dbias [c])))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: dy memref<?x?xf32>)
           (: dx memref<?x?xf32>) (: dweight memref<?xf32>) (: dbias memref<?xf32>)]
  (parallel [c (memref.dim dweight 0)]
    (memref.store (: 0.0 f32) dweight c)
    (memref.store (: 0.0 f32) dbias c))
  (launch back {:grid [(min (: 264 index) (/ (+ (memref.dim x 0) 7) 8))] :block [256]} x weight dy dx
          dweight dbias))

; CHECK: ok
; CHECK-NEXT: ok
; CHECK-NEXT: ok
(define-layernorm-backward step)
