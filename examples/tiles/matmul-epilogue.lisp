; c = epilogue(a b + bias): a product in 16 bits whose sums are in f32, and what is done to them before they are stored.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check])

; Functions without types take tiles and numbers alike: the reference calls the same function. A constant of a tile
; program may be the name of a function, or of a type.
(defn gelu [x] (* 0.5 x (+ 1.0 (tanh (* 0.7978845608 (+ x (* 0.044715 x x x)))))))

(deftile matmul {:const [bm bn bk epilogue] :stages 3 :warps 4 :tune {:bm [64 128] :bn [64 128 256] :bk [32 64]}}
  [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: bias memref<?xf32>) (: c memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (def sums (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
    (dot (load a [i k] [bm bk]) (load b [k j] [bk bn]) acc)))
  (store (epilogue (+ sums (load bias [j] [bn]))) c [i j]))

(defn product [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: bias memref<?xf32>) (: c memref<?x?xf32>)]
  (launch matmul
    {:grid [(/ (+ (memref.dim c 0) 31) 32) (/ (+ (memref.dim c 1) 31) 32)] :const {:bm 32 :bn 32 :bk 32 :epilogue gelu}}
    a b bias c))

(defn reference [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: bias memref<?xf32>) (: c memref<?x?xf32>)]
  (for [i 0 (memref.dim c 0)] (for [j 0 (memref.dim c 1)]
    (def s (fold [s (memref.load bias j)] [k 0 (memref.dim a 1)]
      (+ s (* (cast f32 (memref.load a i k)) (cast f32 (memref.load b k j))))))
    (memref.store (gelu s) c i j))))

; The sums are in another order: f32's rounding, 2^-24, of each of 90 terms below 2.
; CHECK: matmul: ok
(defn main []
  (def a (check/rounded (check/filled 1 70 90)))
  (def b (check/rounded (check/filled 2 90 50)))
  (def bias (memref.alloc {:result memref<?xf32>} (: 50 index)))
  (for [j 0 50] (memref.store (check/value 3 j 0) bias j))
  (def c (check/matrix 70 50))
  (def d (check/matrix 70 50))
  (product a b bias c)
  (reference a b bias d)
  (check/report (cstring "matmul") (check/largest-difference c d) 2e-5))
