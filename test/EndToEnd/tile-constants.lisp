; A constant of a tile program that only the run knows: the launch takes the program for its value, and a value that is
; not listed ends the program with one line.
; RUN: lispier run %s 1 2 3 4 | FileCheck %s --check-prefix=FOUR
; RUN: lispier run --target=sim %s 1 2 3 4 5 6 7 8 | FileCheck %s --check-prefix=EIGHT
; RUN: not lispier run %s 1 2 3 4 5 2>&1 | FileCheck %s --check-prefix=FIVE
; RUN: not lispier run --target=sim %s 1 2 3 4 5 2>&1 | FileCheck %s --check-prefix=FIVE
(require-dialect memref linalg)

(deftile ones {:const [n]} [(: m memref<?xf32>)]
  (store (full f32 [n] 1.0) m [0]))

; FOUR: 4 ones
; EIGHT: 8 ones
; FIVE: {{^.*}}tile-constants.lisp:[[#@LINE+5]]:28: error: assertion failed: the constant `n` of `ones` is none of 4, 8{{$}}
; FIVE-NOT: {{.}}
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (memref.alloc {:result memref<?xf32>} (: 16 index)))
  (linalg.fill (: 0.0 f32) m)
  (launch ones {:const {:n (argc :among [4 8])}} m)
  (println "%g ones" (fold [s (: 0.0 f32)] [i 0 16] (+ s (memref.load m i)))))
