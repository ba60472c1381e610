; A kernel reads the program's constants: it has a copy of them.
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier --emit=ptx %s | FileCheck %s --check-prefix=PTX
; RUN: lispier --emit=hsaco %s -o %t.hsaco
; PTX: .global .align {{[0-9]+}} .b8 table[16] = {2, 0, 0, 0, 3,
(require-dialect memref)
(memref.global {:sym_name "table" :type memref<4xi32> :initial_value "dense<[2, 3, 5, 7]> : tensor<4xi32>" :constant true})

(defkernel look-up [(: out memref<?xi32>)]
  (def t (thread-id :x))
  (memref.store (memref.load (memref.get_global {:name "table" :result memref<4xi32>}) (% (* t t) 4)) out t))

; CHECK: 2 3 2 3 7
(defn main []
  (def out (device-alloc memref<?xi32> [4]))
  (launch look-up {:block [4]} out)
  (println "%d %d %d %d %d" (memref.load out 0) (memref.load out 1) (memref.load out 2) (memref.load out 3)
           (memref.load (memref.get_global {:name "table" :result memref<4xi32>}) 3)))
