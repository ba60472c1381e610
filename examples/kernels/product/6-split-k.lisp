; Product, step 6: the summed dimension split.
;
; Four programs share a block of c: each sums a quarter of K, and adds what it has by atomic additions to c, which is 0
; before. For a product whose c has fewer blocks than the GPU has multiprocessors, such as one of few rows, this is what
; makes all of them work. At the shape that is measured c has enough blocks, so that it only costs: c is written five
; times. The sums are added in any order, so that two runs may differ by rounding.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
(require-dialect memref math)
(require ["./product.lisp" :as product] ["../ladder.lisp" :as ladder]
         ["../../tiles/product-tiles.lisp" :as product-tiles])
(require-macros "./product.lisp" "../ladder.lisp")

(defn step [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (parallel [i (memref.dim c 0) j (memref.dim c 1)] (memref.store (: 0.0 f32) c i j))
  (launch product-tiles/split-k
    {:grid [(/ (+ (memref.dim c 0) 63) 64) (/ (+ (memref.dim c 1) 63) 64) 4] :const {:bm 64 :bn 64 :bk 32}} a b c))

; CHECK: ok
(define-product step)
