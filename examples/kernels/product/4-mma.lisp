; Product, step 4: tensor cores, a warp at a time.
;
; A tile program (examples/tiles/product-tiles.lisp): the loop of step 2 on tiles. Its two warps multiply by mma.sync,
; of which one instruction takes 16x16 and 16x8 numbers from the registers of a warp; ldmatrix brings them there from
; shared memory, where asynchronous copies put them two steps of the loop ahead. Rows of shared memory are permuted, so
; that no two lanes want the same bank. On AMD's chips it is MFMA or WMMA.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s | FileCheck %s --check-prefix=PTX
; PTX: cp.async.cg.shared.global
; PTX: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
(require-dialect memref math)
(require ["./product.lisp" :as product] ["../ladder.lisp" :as ladder]
         ["../../tiles/product-tiles.lisp" :as product-tiles])
(require-macros "./product.lisp" "../ladder.lisp")

(defn step [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def high (/ (+ (memref.dim c 0) 63) 64))
  (def wide (/ (+ (memref.dim c 1) 95) 96))
  (launch product-tiles/product-of-2-warps
    {:grid [(* high wide)] :const {:bm 64 :bn 96 :bk 32}} a b c))

; CHECK: ok
(define-product step)
