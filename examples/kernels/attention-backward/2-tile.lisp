; Attention backward, step 2: tile programs.
;
; Those of examples/tiles: attention, which gives the result and the log of its sums, and two for the gradients, which
; compute probabilities again, tile by tile: one with the keys in its loop for dq, one with the queries in its loop for
; dk and dv. No score is in memory. They take heads of BF16, so that heads are taken apart before and put back after;
; sums are in F32. Factors, probabilities and ds are rounded to BF16, by at most 2^-9 of each.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./attention-backward.lisp" :as attention-backward] ["../ladder.lisp" :as ladder]
         ["../../tiles/attention-tiles.lisp" :as attention-tiles]
         ["../../tiles/attention-gradients.lisp" :as gradients])
(require-macros "./attention-backward.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: batch index) (: heads index)
           (: groups index)]
  (def time (/ (memref.dim x 0) batch))
  (def all (* batch heads))
  (def q (device-alloc memref<?x?x?xbf16> [all time 64]))
  (def k (device-alloc memref<?x?x?xbf16> [all time 64]))
  (def v (device-alloc memref<?x?x?xbf16> [all time 64]))
  (def do (device-alloc memref<?x?x?xbf16> [all time 64]))
  (def o (device-alloc memref<?x?x?xf32> [all time 64]))
  (def [lse delta] [(device-alloc memref<?x?xf32> [all time]) (device-alloc memref<?x?xf32> [all time])])
  (def [dq dk] [(device-alloc memref<?x?x?xf32> [all time 64]) (device-alloc memref<?x?x?xf32> [all time 64])])
  (def dv (device-alloc memref<?x?x?xf32> [all time 64]))
  (parallel [h all t time d 64]
    (def row (+ t (* time (/ h heads))))
    (def c (+ d (* 64 (% h heads))))
    (memref.store (cast bf16 (memref.load x row c)) q h t d)
    (memref.store (cast bf16 (memref.load x row (+ c (* 64 heads)))) k h t d)
    (memref.store (cast bf16 (memref.load x row (+ c (* 128 heads)))) v h t d)
    (memref.store (cast bf16 (memref.load dy row c)) do h t d))
  (launch attention-tiles/attention {:grid [(/ (+ time 63) 64) all] :const {:bm 64 :bn 64 :d 64 :causal 1}}
          q k v o lse (: 0.125 f32) time)
  (parallel [h all t time]
    (memref.store (fold [s (: 0.0 f32)] [d 0 64] (+ s (* (memref.load o h t d) (cast f32 (memref.load do h t d)))))
                  delta h t))
  (launch gradients/attention-dq {:grid [(/ (+ time 63) 64) all] :const {:bm 64 :bn 64 :d 64}}
          q k v do lse delta dq (: 0.125 f32))
  (launch gradients/attention-dk-dv {:grid [(/ (+ time 63) 64) all] :const {:bm 64 :bn 64 :d 64}}
          q k v do lse delta dk dv (: 0.125 f32))
  (parallel [h all t time d 64]
    (def row (+ t (* time (/ h heads))))
    (def c (+ d (* 64 (% h heads))))
    (memref.store (memref.load dq h t d) dx row c)
    (memref.store (memref.load dk h t d) dx row (+ c (* 64 heads)))
    (memref.store (memref.load dv h t d) dx row (+ c (* 128 heads))))
  (device-free! q) (device-free! k) (device-free! v) (device-free! do) (device-free! o)
  (device-free! lse) (device-free! delta) (device-free! dq) (device-free! dk) (device-free! dv))

; CHECK: ok
(define-attention-backward step 3e-2)
