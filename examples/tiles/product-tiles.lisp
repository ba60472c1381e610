; Tile programs of products of matrices, for matmul-batched.lisp and for the ladder of examples/kernels.
; RUN: lispier check %s
(require-dialect memref)

; c = a b, with a number of warps. Eight rows of blocks follow each other column by column: what runs at the same time
; reads the same rows and columns.
(defmacro define-product-tile [name warps]
  `(deftile ~name {:const [bm bn bk] :stages 3 :warps ~warps}
     [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
     (def rows (/ (+ (memref.dim c 0) (- bm 1)) bm))
     (def columns (/ (+ (memref.dim c 1) (- bn 1)) bn))
     (def first (* 8 (/ (program-id 0) (* 8 columns))))
     (def high (min 8 (- rows first)))
     (def within (% (program-id 0) (* 8 columns)))
     (def i (* bm (+ first (% within high))))
     (def j (* bn (/ within high)))
     (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
              (dot (load a [i k] [bm bk]) (load b [k j] [bk bn]) acc))
            c [i j])))

(define-product-tile product-of-2-warps 2)
(define-product-tile product-of-8-warps 8)

; c += a b: a program sums every `splits`-th part of the summed dimension.
(deftile split-k {:const [bm bn bk] :stages 2}
  [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (def splits (num-programs 2))
  (def sums (fold [acc (zeros f32 [bm bn])] [k (* bk (program-id 2)) (memref.dim a 1) (* bk splits)]
    (dot (load a [i k] [bm bk]) (load b [k j] [bk bn]) acc)))
  (atomic-add sums c [(+ i (iota index [bm 1] :axis 0)) (+ j (iota index [bn]))]))
