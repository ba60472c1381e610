; Layer norm backward, step 3: two tile programs.
;
; Each of 264 programs takes rows in turns, a row in registers at a time, and keeps its sums of dweight and dbias in
; registers, too; it writes them as a row of its own, and a second program adds the rows. Nothing is atomic, so that two
; runs give the same bits, and each number is read once.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./layernorm-backward.lisp" :as layernorm-backward] ["../ladder.lisp" :as ladder]
         ["../column-sums.lisp" :as column-sums])
(require-macros "./layernorm-backward.lisp" "../ladder.lisp")

(deftile back {:const [columns] :warps 4}
  [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)
   (: dweights memref<?x?xf32>) (: dbiases memref<?x?xf32>)]
  (def n (memref.dim x 1))
  (def size (cast f32 n))
  (def w (load weight [0] [columns]))
  (def [of-weight of-bias]
    (fold [of-weight (zeros f32 [columns]) of-bias (zeros f32 [columns])]
      [row (program-id 0) (memref.dim x 0) (num-programs 0)]
      (def v (load x [row 0] [columns]))
      (def d (load dy [row 0] [columns]))
      (def centred (where (< (iota index [columns]) n) (- v (/ (sum v) size)) 0.0))
      (def scale (rsqrt (+ (/ (sum (* centred centred)) size) 1e-5)))
      (def normal (* centred scale))
      (def g (* d w))
      (store (* scale (- g (+ (/ (sum g) size) (* normal (/ (sum (* g normal)) size))))) dx [row 0])
      [(+ of-weight (* d normal)) (+ of-bias d)]))
  (store of-weight dweights [(program-id 0) 0])
  (store of-bias dbiases [(program-id 0) 0]))

(defn step [(: x memref<?x?xf32>) (: weight memref<?xf32>) (: bias memref<?xf32>) (: dy memref<?x?xf32>)
           (: dx memref<?x?xf32>) (: dweight memref<?xf32>) (: dbias memref<?xf32>)]
  (def [rows columns] [(memref.dim x 0) (memref.dim x 1)])
  (def programs (min (: 264 index) rows))
  (def dweights (device-alloc memref<?x?xf32> [programs columns]))
  (def dbiases (device-alloc memref<?x?xf32> [programs columns]))
  (launch back {:grid [programs] :const {:columns (next-power-of-2 columns :among [256 512 1024 2048])}}
          x weight dy dx dweights dbiases)
  (column-sums/add-rows dweights dweight)
  (column-sums/add-rows dbiases dbias)
  (device-free! dweights)
  (device-free! dbiases))

; CHECK: ok
; CHECK-NEXT: ok
; CHECK-NEXT: ok
(define-layernorm-backward step)
