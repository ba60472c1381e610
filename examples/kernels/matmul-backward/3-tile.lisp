; Matmul backward, step 3: tile programs.
;
; The loop of step 2 on tiles that the compiler gives to registers and tensor cores. F32 factors are taken as two terms
; of BF16 each, whose products are within 2^-15; `:precision f32` would leave tensor cores idle. The transposed factor
; is read as it lies in memory and transposed on the way to registers.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
(require-dialect memref math)
(require ["./matmul-backward.lisp" :as matmul-backward] ["../ladder.lisp" :as ladder]
         ["../column-sums.lisp" :as column-sums])
(require-macros "./matmul-backward.lisp" "../ladder.lisp")

(deftile back-to-x {:const [bm bn bk] :warps 8 :stages 2}
  [(: weight memref<?x?xf32>) (: dy memref<?x?xf32>) (: dx memref<?x?xf32>)]
  (def i (* bm (program-id 1)))
  (def j (* bn (program-id 0)))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim dy 1) bk]
           (dot (load dy [i k] [bm bk]) (load weight [k j] [bk bn]) acc :precision bf16x3))
         dx [i j]))

(deftile back-to-weight {:const [bm bn bk] :warps 8 :stages 2}
  [(: x memref<?x?xf32>) (: dy memref<?x?xf32>) (: dweight memref<?x?xf32>)]
  (def i (* bm (program-id 1)))
  (def j (* bn (program-id 0)))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim dy 0) bk]
           (dot (load dy [k i] [bk bm]) (load x [k j] [bk bn]) acc :transpose-a true :precision bf16x3))
         dweight [i j]))

(defn step [(: x memref<?x?xf32>) (: weight memref<?x?xf32>) (: bias memref<?xf32>) (: dy memref<?x?xf32>)
           (: dx memref<?x?xf32>) (: dweight memref<?x?xf32>) (: dbias memref<?xf32>)]
  (def columns (/ (+ (memref.dim x 1) 127) 128))
  (launch back-to-x {:grid [columns (/ (+ (memref.dim x 0) 127) 128)] :const {:bm 128 :bn 128 :bk 32}} weight dy dx)
  (launch back-to-weight {:grid [columns (/ (+ (memref.dim weight 0) 127) 128)] :const {:bm 128 :bn 128 :bk 32}}
          x dy dweight)
  (column-sums/add-rows dy dbias))

; CHECK: ok
; CHECK-NEXT: ok
; CHECK-NEXT: ok
(define-matmul-backward step 2e-4)
