; Product, step 5: tensor cores, four warps at a time.
;
; The same program with eight warps and larger tiles. On a chip with wgmma, each four of them multiply 64 rows by up to
; 256 columns with one instruction, that reads both factors from shared memory itself, and runs while the warps go on:
; half of what a block had to read into registers stays where it was copied. Elsewhere it is step 4 with other sizes.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s | FileCheck %s --check-prefix=PTX
; PTX: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f32.bf16.bf16
(require-dialect memref math)
(require ["./product.lisp" :as product] ["../ladder.lisp" :as ladder]
         ["../../tiles/product-tiles.lisp" :as product-tiles])
(require-macros "./product.lisp" "../ladder.lisp")

(defn step [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def high (/ (+ (memref.dim c 0) 127) 128))
  (def wide (/ (+ (memref.dim c 1) 255) 256))
  (launch product-tiles/product-of-8-warps
    {:grid [(* high wide)] :const {:bm 128 :bn 256 :bk 64}} a b c))

; CHECK: ok
(define-product step)
