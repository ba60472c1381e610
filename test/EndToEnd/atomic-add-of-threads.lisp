; (atomic-add value memref [index ...]) of one number, in a kernel of threads.
; RUN: split-file --leading-lines %s %t
; RUN: lispier run %t/right.lisp | FileCheck %s
; RUN: lispier run --target=sim %t/right.lisp | FileCheck %s
; RUN: not lispier check %t/errors.lisp 2>&1 | FileCheck %s --check-prefix=ERRORS
;--- right.lisp
(defkernel histogram [(: x (tensor n i32)) (: counts memref<3xi32>) (: sum memref<1xf32>)]
  (def i (+ (thread-id :x) (* (block-id :x) 32)))
  (when (< i n)
    (atomic-add 1 counts [(cast index (at x i))])
    (atomic-add 0.5 sum [0])))
(defn main []
  (def counts (to-memref (zeros i32 [3])))
  (def sum (to-memref (zeros f32 [1])))
  (launch histogram {:grid [4] :block [32]} (% (iota i32 [100]) 3) counts sum)
  ; CHECK: {{^\[34 33 33\]$}}
  ; CHECK: {{^\[50\]$}}
  (println counts)
  (println sum))
;--- errors.lisp
(defkernel masked [(: x memref<3xi32>)]
  ; ERRORS: errors.lisp:[[#@LINE+2]]:39: error[macro-shape]: a mask is for tiles, and this adds one number
  ; ERRORS: hint: write (when condition (atomic-add value memref [index ...]))
  (atomic-add 1 x [(: 0 index)] :mask true))
; ERRORS: error[parse-head]: {{.*}}`atomicAdd`
; ERRORS: (atomic-add value memref [index ...])
(defkernel of-cuda [(: x memref<3xi32>)] (atomicAdd x 1))
(defn main [] (println 1))
