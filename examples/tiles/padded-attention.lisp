; Causal attention over rows that begin with padding: entry (i, j) counts when padding <= j <= i, and rows before the
; padding's end are 0. First the softmax alone, then with the product by v, then with the scores in one program.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check])

; The softmax of the entries that count; where none does, 0.
(defn padded-softmax [s row column padding]
  (def counts (and (<= padding column) (<= column row)))
  (def kept (where counts s -inf))
  (def most (max (max kept :axis 1 :keep true) -1e30))
  (def e (exp (- kept most)))
  (def total (sum e :axis 1 :keep true))
  (where (> total 0.0) (/ e total) 0.0))

(deftile softmax {:const [bm columns]} [(: s memref<?x?xf32>) (: y memref<?x?xf32>) (: padding index)]
  (def i (* bm (program-id 0)))
  (def row (+ i (iota index [bm 1] :axis 0)))
  (store (padded-softmax (load s [i 0] [bm columns]) row (iota index [columns]) padding) y [i 0]))

(deftile softmax-product {:const [bm columns d]}
  [(: s memref<?x?xf32>) (: v memref<?x?xf32>) (: y memref<?x?xf32>) (: padding index)]
  (def i (* bm (program-id 0)))
  (def row (+ i (iota index [bm 1] :axis 0)))
  (def p (padded-softmax (load s [i 0] [bm columns]) row (iota index [columns]) padding))
  (store (dot p (load v [0 0] [columns d])) y [i 0]))

(deftile attention {:const [bm columns d]}
  [(: q memref<?x?xf32>) (: k memref<?x?xf32>) (: v memref<?x?xf32>) (: y memref<?x?xf32>) (: padding index)
   (: scale f32)]
  (def i (* bm (program-id 0)))
  (def row (+ i (iota index [bm 1] :axis 0)))
  (def s (* scale (dot (load q [i 0] [bm d]) (load k [0 0] [columns d]) :transpose-b true)))
  (def p (padded-softmax s row (iota index [columns]) padding))
  (store (dot p (load v [0 0] [columns d])) y [i 0]))

(defn reference [(: s memref<?x?xf32>) (: padding index) (: y memref<?x?xf32>)]
  (def n (memref.dim s 0))
  (for [i 0 n]
    (for [j 0 n] (memref.store 0.0 y i j))
    (def most (fold [m (: -inf f32)] [j padding (+ i 1)] (max m (memref.load s i j))))
    (def total (fold [t (: 0.0 f32)] [j padding (+ i 1)] (+ t (exp (- (memref.load s i j) most)))))
    (for [j padding (+ i 1)] (memref.store (/ (exp (- (memref.load s i j) most)) total) y i j))))

(defn product [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: c memref<?x?xf32>)]
  (for [i 0 (memref.dim c 0)] (for [j 0 (memref.dim c 1)]
    (memref.store (fold [s (: 0.0 f32)] [k 0 (memref.dim a 1)] (+ s (* (memref.load a i k) (memref.load b k j)))) c i
      j))))

; CHECK: softmax: ok
; CHECK: softmax and product: ok
; CHECK: attention: ok
(defn main []
  (def n (: 50 index))
  (def d (: 32 index))
  (def padding (: 7 index))
  (def [q k v] [(check/filled 1 n d) (check/filled 2 n d) (check/filled 3 n d)])
  (def [s p expected] [(check/matrix n n) (check/matrix n n) (check/matrix n n)])
  (def kt (check/matrix d n))
  (for [i 0 n] (for [j 0 d] (memref.store (memref.load k i j) kt j i)))
  (product q kt s)
  (for [i 0 n] (for [j 0 n] (memref.store (* 0.25 (memref.load s i j)) s i j)))
  (reference s padding expected)
  (launch softmax {:grid [4] :const {:bm 16 :columns 64}} s p padding)
  (check/report (cstring "softmax") (check/largest-difference p expected) 1e-6)
  (def [y z] [(check/matrix n d) (check/matrix n d)])
  (product expected v z)
  (launch softmax-product {:grid [4] :const {:bm 16 :columns 64 :d 32}} s v y padding)
  (check/report (cstring "softmax and product") (check/largest-difference y z) 1e-6)
  (launch attention {:grid [4] :const {:bm 16 :columns 64 :d 32}} q k v y padding 0.25)
  (check/report (cstring "attention") (check/largest-difference y z) 1e-5))
