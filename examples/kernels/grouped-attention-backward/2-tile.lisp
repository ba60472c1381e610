; Grouped attention backward, step 2: tile programs.
;
; The programs of `attention-backward`, with keys of the head's group: that of dq is one for each head of queries, that
; of dk and dv one for each head of keys, whose loop over queries is in a loop over the heads that share it, so that
; their sums are in registers.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./grouped-attention-backward.lisp" :as grouped-attention-backward] ["../ladder.lisp" :as ladder]
         ["../attention-backward/attention-backward.lisp" :as attention-backward]
         ["../../tiles/attention-tiles.lisp" :as attention-tiles]
         ["../../tiles/attention-gradients.lisp" :as gradients])
(require-macros "./grouped-attention-backward.lisp" "../ladder.lisp")

; Only the last blocks of keys of a block of queries need the mask, which others do not change.
(deftile dq-of {:const [bm bn d] :warps 4 :stages 2}
  [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
   (: lse memref<?x?xf32>) (: delta memref<?x?xf32>) (: dq memref<?x?x?xf32>) (: scale f32) (: shared index)]
  (def i (* bm (- (- (num-programs 0) 1) (program-id 0))))
  (def h (program-id 1))
  (def g (/ h shared))
  (def queries (load q [h i 0] [bm d]))
  (def gradient (load do [h i 0] [bm d]))
  (def logs (reshape (load lse [h i] [bm]) [bm 1]))
  (def means (reshape (load delta [h i] [bm]) [bm 1]))
  (def sums (fold [sums (zeros f32 [bm d])] [j 0 (+ i bm) bn]
    (def keys (load k [g j 0] [bn d]))
    (def seen (<= (+ j (iota index [1 bn] :axis 1)) (+ i (iota index [bm 1] :axis 0))))
    (def p (where seen (gradients/probability (dot queries keys :transpose-b true) logs scale) 0.0))
    (def ds (* p (- (dot gradient (load v [g j 0] [bn d]) :transpose-b true) means)))
    (dot (cast bf16 ds) keys sums)))
  (store (* scale sums) dq [h i 0]))

(deftile dk-dv-of {:const [bm bn d] :warps 4 :stages 2}
  [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
   (: lse memref<?x?xf32>) (: delta memref<?x?xf32>) (: dk memref<?x?x?xf32>) (: dv memref<?x?x?xf32>) (: scale f32)
   (: shared index)]
  (def j (* bn (program-id 0)))
  (def g (program-id 1))
  (def keys (load k [g j 0] [bn d]))
  (def values (load v [g j 0] [bn d]))
  (def [dks dvs] (fold [dks (zeros f32 [bn d]) dvs (zeros f32 [bn d])] [h (* g shared) (* (+ g 1) shared)]
    (fold [dks dks dvs dvs] [i (* bm (/ j bm)) (memref.dim q 1) bm]
      (def queries (load q [h i 0] [bm d]))
      (def gradient (load do [h i 0] [bm d]))
      (def seen (<= (+ j (iota index [bn 1] :axis 0)) (+ i (iota index [1 bm] :axis 1))))
      (def p (where seen (gradients/probability (dot keys queries :transpose-b true) (load lse [h i] [bm]) scale) 0.0))
      (def ds (* p (- (dot values gradient :transpose-b true) (load delta [h i] [bm]))))
      [(dot (cast bf16 ds) queries dks) (dot (cast bf16 p) gradient dvs)])))
  (store (* scale dks) dk [g j 0])
  (store dvs dv [g j 0]))

(defn step [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>) (: batch index) (: heads index)
           (: groups index)]
  (def time (/ (memref.dim x 0) batch))
  (def [all few shared] [(* batch heads) (* batch groups) (/ heads groups)])
  (def q (device-alloc memref<?x?x?xbf16> [all time 64]))
  (def k (device-alloc memref<?x?x?xbf16> [few time 64]))
  (def v (device-alloc memref<?x?x?xbf16> [few time 64]))
  (def do (device-alloc memref<?x?x?xbf16> [all time 64]))
  (def o (device-alloc memref<?x?x?xf32> [all time 64]))
  (def [lse delta] [(device-alloc memref<?x?xf32> [all time]) (device-alloc memref<?x?xf32> [all time])])
  (def [dq dk] [(device-alloc memref<?x?x?xf32> [all time 64]) (device-alloc memref<?x?x?xf32> [few time 64])])
  (def dv (device-alloc memref<?x?x?xf32> [few time 64]))
  (parallel [h all t time d 64]
    (def row (+ t (* time (/ h heads))))
    (def c (+ d (* 64 (% h heads))))
    (memref.store (cast bf16 (memref.load x row c)) q h t d)
    (memref.store (cast bf16 (memref.load dy row c)) do h t d))
  (parallel [h few t time d 64]
    (def row (+ t (* time (/ h groups))))
    (def key (+ d (* 64 (+ heads (% h groups)))))
    (memref.store (cast bf16 (memref.load x row key)) k h t d)
    (memref.store (cast bf16 (memref.load x row (+ key (* 64 groups)))) v h t d))
  (def blocks (/ (+ time 63) 64))
  (launch attention-tiles/attention {:grid [blocks all] :const {:bm 64 :bn 64 :d 64 :causal 1}}
          q k v o lse (: 0.125 f32) time)
  (parallel [h all t time]
    (memref.store (fold [s (: 0.0 f32)] [d 0 64] (+ s (* (memref.load o h t d) (cast f32 (memref.load do h t d)))))
                  delta h t))
  (launch dq-of {:grid [blocks all] :const {:bm 64 :bn 64 :d 64}} q k v do lse delta dq (: 0.125 f32) shared)
  (launch dk-dv-of {:grid [blocks few] :const {:bm 64 :bn 64 :d 64}} q k v do lse delta dk dv (: 0.125 f32) shared)
  (parallel [h all t time d 64]
    (memref.store (memref.load dq h t d) dx (+ t (* time (/ h heads))) (+ d (* 64 (% h heads)))))
  (parallel [h few t time d 64]
    (def row (+ t (* time (/ h groups))))
    (def key (+ d (* 64 (+ heads (% h groups)))))
    (memref.store (memref.load dk h t d) dx row key)
    (memref.store (memref.load dv h t d) dx row (+ key (* 64 groups))))
  (device-free! q) (device-free! k) (device-free! v) (device-free! do) (device-free! o)
  (device-free! lse) (device-free! delta) (device-free! dq) (device-free! dk) (device-free! dv))

; CHECK: ok
(define-grouped-attention-backward step 3e-2)
