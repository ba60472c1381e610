;;; tuned-products.lisp - the time of a BF16 product c = a b^T whose tile sizes are left to the compiler.
;;; tuned-products M N K: prints `seed: microseconds`, with what the forms `tuned` below name for the chip and sizes.
;;; `lispier tune` compares that with all combinations:
;;;   lispier tune --target=cuda:sm_90a tuned-products.lisp -- 4096 4096 4096
(require-dialect memref gpu llvm)
(require ["./timing.lisp" :as timing])
(require-macros "../../../examples/kernels/device-time.lisp")

(deftile product {:const [bm bn] :stages 3 :warps 8
                  :tune {:bm [128 64] :bn [128 96 192 256] :warps [8 4] :stages [3 4]}}
  [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xbf16>)]
  (def [i j] (timing/block-origin c bm bn))
  (store (cast bf16 (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) 64]
           (dot (load a [i k] [bm 64]) (transpose (load b [j k] [bn 64])) acc)))
         c [i j]))

; Seeds: measured on an H200 (sm_90a) for each shape; elsewhere what fits into the registers and 99 KB of shared memory
; of any chip.
(tuned product {:const {:bm 64 :bn 96 :warps 4 :stages 3}})
(tuned product {:const {:bm 128 :bn 96 :warps 4 :stages 3}
                :targets [sm_90a] :sizes [1024 768 3072 768 1024 3072] :us 14.4})
(tuned product {:const {:bm 64 :bn 96 :warps 4 :stages 4}
                :targets [sm_90a] :sizes [1024 3072 768 3072 1024 768] :us 18.0})
(tuned product {:const {:bm 128 :bn 256 :warps 8 :stages 4}
                :targets [sm_90a] :sizes [4096 4096 4096 4096 4096 4096] :us 208.6})

(defn multiply [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xbf16>)]
  (launch product {:grid [(* (timing/blocks (memref.dim c 1) bn) (timing/blocks (memref.dim c 0) bm))]} a b c))

(defn main [(: count i64) (: words !llvm.ptr)]
  (def m (timing/size (cstring "tuned-products M N K") count words (: 0 i64)))
  (def n (timing/size (cstring "tuned-products M N K") count words (: 1 i64)))
  (def depth (timing/size (cstring "tuned-products M N K") count words (: 2 i64)))
  (def a (timing/random-bf16 m depth 1))
  (def b (timing/random-bf16 n depth 2))
  (def c (timing/random-bf16 m n 4))
  (let [time (time-of 50 (multiply a b c))]
    (println "seed: %.2f us" time)))
