; One memref as two parameters of a tile program, which reads through one what it has written through the other.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref)
(deftile scaled {:const [n]} [(: x memref<?xf32>) (: y memref<?xf32>)]
  (def i (* n (program-id 0)))
  (store (* 2.0 (load x [i] [n])) y [i])
  (store (+ 1.0 (load x [(* n (program-id 0))] [n])) y [i]))
(deftile shifted [(: x memref<?xf32>) (: y memref<?xf32>)]
  (store (load y [0] [8]) x [0])
  (if (> (program-id 0) 0) (store (load y [4] [8]) x [16])))
; In place, apart, read through the parameter that is written, and in a loop: no errors.
(deftile in-place {:const [n]} [(: x memref<?xf32>) (: y memref<?xf32>)]
  (def i (* n (program-id 0)))
  (store (* 2.0 (load x [i] [n])) y [i]))
(deftile apart [(: x memref<?xf32>) (: y memref<?xf32>)]
  (store (load x [0] [8]) y [0])
  (store (load x [8] [8]) y [8])
  (store (load y [0] [8]) y [16]))
(deftile looped [(: x memref<?xf32>) (: y memref<?xf32>)]
  (for [i 0 32 8] (store (* 2.0 (load x [i] [8])) y [i])))

(defn main [(: m memref<?xf32>) (: o memref<?xf32>)]
  ; CHECK: :[[#@LINE+5]]:46: error[tile-launch]: this argument and argument 1 are the same memory, of which `scaled` reads through `x` what it has written through `y`: it may find the old or the new numbers
  ; CHECK: :[[#@LINE+4]]:44: note: the other argument is here
  ; CHECK: :6:3: note: this writes
  ; CHECK: :7:17: note: this reads afterwards
  ; CHECK: hint: give one of them memory of its own, read before the write, or read through `y`
  (launch scaled {:grid [1] :const {:n 8}} m m)
  ; CHECK: :[[#@LINE+2]]:33: error[tile-launch]: this argument and argument 1 are the same memory, of which `shifted` reads through `y` what it has written through `x`
  ; CHECK: hint: give one of them memory of its own, read before the write, or read through `x`
  (launch shifted {:grid [1]} m m)
  (launch scaled {:grid [1] :const {:n 8}} m o)
  (launch in-place {:grid [1] :const {:n 8}} m m)
  (launch apart {:grid [1]} m m)
  (launch looped {:grid [1]} m m))
; CHECK-NOT: error[
