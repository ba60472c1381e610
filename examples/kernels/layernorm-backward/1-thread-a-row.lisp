; Layer norm backward, step 1: a thread a row.
;
; The loops of the formula, with a thread for each row, as in step 1 of the ladder `layer-norm` and as slow. The sums
; over rows are by atomic additions to memory, 2 C of them for each row, where all threads add to the same C places; in
; any order, so that two runs may differ by rounding.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./layernorm-backward.lisp" :as layernorm-backward] ["../ladder.lisp" :as ladder])
(require-macros "./layernorm-backward.lisp" "../ladder.lisp")

(defkernel back [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: dy memref<?x?xf32>)
                 (: dx memref<?x?xf32>) (: dweight memref<?xf32>) (: dbias memref<?xf32>)]
  (def row (+ (* (block-id :x) (block-dim :x)) (thread-id :x)))
  (def columns (memref.dim x 1))
  (when (< row (memref.dim x 0))
    (def each (/ (: 1.0 f32) (cast f32 columns)))
    (def mean (* each (fold [s (: 0.0 f32)] [c 0 columns] (+ s (memref.load x row c)))))
    (def variance (* each (fold [s (: 0.0 f32)] [c 0 columns]
                            (def d (- (memref.load x row c) mean))
                            (+ s (* d d)))))
    (def scale (math.rsqrt (+ variance 1e-5)))
    (def [g gn] (fold [g (: 0.0 f32) gn (: 0.0 f32)] [c 0 columns]
      (def of-c (* (memref.load dy row c) (memref.load weight c)))
      [(+ g of-c) (+ gn (* of-c scale (- (memref.load x row c) mean)))]))
    (for [c 0 columns]
      (def d (memref.load dy row c))
      (def n (* scale (- (memref.load x row c) mean)))
      (memref.store (* scale (- (* d (memref.load weight c)) (* each (+ g (* n gn))))) dx row c)
      (atomic-add (* d n) dweight [c])
      (atomic-add d dbias [c]))))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: dy memref<?x?xf32>)
           (: dx memref<?x?xf32>) (: dweight memref<?xf32>) (: dbias memref<?xf32>)]
  (parallel [c (memref.dim dweight 0)]
    (memref.store (: 0.0 f32) dweight c)
    (memref.store (: 0.0 f32) dbias c))
  (launch back {:grid [(/ (+ (memref.dim x 0) 127) 128)] :block [128]} x weight dy dx dweight dbias))

; CHECK: ok
; CHECK-NEXT: ok
; CHECK-NEXT: ok
(define-layernorm-backward step)
