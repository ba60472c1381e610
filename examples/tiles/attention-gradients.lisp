; The tile programs of attention-backward.lisp, from the saved log of sums: probabilities are computed again, tile by
; tile. One program gives dq, with the keys in its loop; the other dk and dv, with the queries in its loop. Causal;
; [heads, time, d] as in attention.lisp.
; RUN: lispier check %s
(require-dialect memref math)

; p = exp(scale s - lse), by powers of two; ds = p (dp - delta).
(defn probability [s lse scale]
  (def log2e (: 1.4426950408889634 f32))
  (math.exp2 (- (* (* scale log2e) s) (* lse log2e))))

; Only the last blocks of keys of a block of queries need the mask. Blocks with most keys run first.
(deftile attention-dq {:const [bm bn d] :warps 4 :stages 2
                       :tune {:bm [64 32 128] :bn [64 32 128] :warps [4 8] :stages [2 3]}}
  [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
   (: lse memref<?x?xf32>) (: delta memref<?x?xf32>) (: dq memref<?x?x?xf32>) (: scale f32)]
  (def i (* bm (- (- (num-programs 0) 1) (program-id 0))))
  (def h (program-id 1))
  (def queries (load q [h i 0] [bm d]))
  (def gradient (load do [h i 0] [bm d]))
  (def logs (reshape (load lse [h i] [bm]) [bm 1]))
  (def means (reshape (load delta [h i] [bm]) [bm 1]))
  (def diagonal (* bn (/ i bn)))
  (def sums (fold [sums (zeros f32 [bm d])] [j 0 diagonal bn]
    (def keys (load k [h j 0] [bn d]))
    (def p (probability (dot queries keys :transpose-b true) logs scale))
    (def ds (* p (- (dot gradient (load v [h j 0] [bn d]) :transpose-b true) means)))
    (dot (cast bf16 ds) keys sums)))
  (def sums (fold [sums sums] [j diagonal (+ i bm) bn]
    (def keys (load k [h j 0] [bn d]))
    (def seen (<= (+ j (iota index [1 bn] :axis 1)) (+ i (iota index [bm 1] :axis 0))))
    (def p (where seen (probability (dot queries keys :transpose-b true) logs scale) 0.0))
    (def ds (* p (- (dot gradient (load v [h j 0] [bn d]) :transpose-b true) means)))
    (dot (cast bf16 ds) keys sums)))
  (store (* scale sums) dq [h i 0]))

; Scores are computed transposed, keys by queries, so that p and ds are factors of the next products in the registers
; where they are. Queries past the end give nothing, since their gradients, logs and means are zeros.
(deftile attention-dk-dv {:const [bm bn d] :warps 4 :stages 2
                          :tune {:bm [64 32 128] :bn [64 32 128] :warps [4 8] :stages [2 3]}}
  [(: q memref<?x?x?xbf16>) (: k memref<?x?x?xbf16>) (: v memref<?x?x?xbf16>) (: do memref<?x?x?xbf16>)
   (: lse memref<?x?xf32>) (: delta memref<?x?xf32>) (: dk memref<?x?x?xf32>) (: dv memref<?x?x?xf32>) (: scale f32)]
  (def j (* bn (program-id 0)))
  (def h (program-id 1))
  (def time (memref.dim q 1))
  (def keys (load k [h j 0] [bn d]))
  (def values (load v [h j 0] [bn d]))
  (def whole (* bm (/ (+ j bn (- bm 1)) bm)))
  (def [dks dvs] (fold [dks (zeros f32 [bn d]) dvs (zeros f32 [bn d])] [i (* bm (/ j bm)) whole bm]
    (def queries (load q [h i 0] [bm d]))
    (def gradient (load do [h i 0] [bm d]))
    (def seen (<= (+ j (iota index [bn 1] :axis 0)) (+ i (iota index [1 bm] :axis 1))))
    (def p (where seen (probability (dot keys queries :transpose-b true) (load lse [h i] [bm]) scale) 0.0))
    (def ds (* p (- (dot values gradient :transpose-b true) (load delta [h i] [bm]))))
    [(dot (cast bf16 ds) queries dks) (dot (cast bf16 p) gradient dvs)]))
  (def [dks dvs] (fold [dks dks dvs dvs] [i whole time bm]
    (def queries (load q [h i 0] [bm d]))
    (def gradient (load do [h i 0] [bm d]))
    (def p (probability (dot keys queries :transpose-b true) (load lse [h i] [bm]) scale))
    (def ds (* p (- (dot values gradient :transpose-b true) (load delta [h i] [bm]))))
    [(dot (cast bf16 ds) queries dks) (dot (cast bf16 p) gradient dvs)]))
  (store (* scale dks) dk [h j 0])
  (store dvs dv [h j 0]))

; Seeds. Measured on an H200 for 96 heads of 1024 and 4096 positions; for other chips what their registers and 99 KB of
; shared memory hold, not measured.
(tuned attention-dq {:const {:bm 64 :bn 64 :warps 4 :stages 2}})
(tuned attention-dk-dv {:const {:bm 32 :bn 64 :warps 4 :stages 2}})
(tuned attention-dq {:const {:bm 32 :bn 32 :warps 4 :stages 2} :targets [gfx1100]})
(tuned attention-dk-dv {:const {:bm 32 :bn 32 :warps 4 :stages 2} :targets [gfx1100]})
(tuned attention-dq {:const {:bm 64 :bn 64 :warps 4 :stages 2} :targets [sm_90a] :us 64.7})
(tuned attention-dk-dv {:const {:bm 64 :bn 64 :warps 4 :stages 2} :targets [sm_90a] :us 93.8})
