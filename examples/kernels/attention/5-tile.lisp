; Attention, step 5: a tile program.
;
; That of examples/tiles/attention-tiles.lisp: step 3 with blocks of rows instead of rows, whose two products run on
; tensor cores. It takes heads of BF16, so that heads are taken apart as in step 2, and the result put back; sums and
; the softmax are in F32. Queries, keys, values and probabilities are rounded to BF16, by at most 2^-8 of each.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math vector)
(require ["./attention.lisp" :as attention] ["../ladder.lisp" :as ladder]
         ["../../tiles/attention-tiles.lisp" :as attention-tiles])
(require-macros "./attention.lisp" "../ladder.lisp")

(defn step [(: x memref<?x?xf32>) (: y memref<?x?xf32>) (: batch index) (: heads index) (: groups index)]
  (def time (/ (memref.dim x 0) batch))
  (def all (* batch heads))
  (def few (* batch groups))
  (def q (device-alloc memref<?x?x?xbf16> [all time 64]))
  (def k (device-alloc memref<?x?x?xbf16> [few time 64]))
  (def v (device-alloc memref<?x?x?xbf16> [few time 64]))
  (def o (device-alloc memref<?x?x?xf32> [all time 64]))
  (def lse (device-alloc memref<?x?xf32> [all time]))
  (parallel [h all t time d 64]
    (memref.store (cast bf16 (memref.load x (+ t (* time (/ h heads))) (+ d (* 64 (% h heads))))) q h t d))
  (parallel [h few t time d 64]
    (def row (+ t (* time (/ h groups))))
    (def key (+ d (* 64 (+ heads (% h groups)))))
    (memref.store (cast bf16 (memref.load x row key)) k h t d)
    (memref.store (cast bf16 (memref.load x row (+ key (* 64 groups)))) v h t d))
  (launch attention-tiles/attention
    {:grid [(/ (+ time 63) 64) all] :const {:bm 64 :bn 64 :d 64 :causal 1}} q k v o lse (: 0.125 f32) time)
  (parallel [row (memref.dim x 0) c (* 64 heads)]
    (memref.store (memref.load o (+ (/ c 64) (* heads (/ row time))) (% row time) (% c 64)) y row c))
  (device-free! q)
  (device-free! k)
  (device-free! v)
  (device-free! o)
  (device-free! lse))

; CHECK: ok
(define-attention step 1 8e-3)
