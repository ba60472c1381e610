; A CPU ends the program at an index that is outside, where it would read other memory: of rows, of single elements, and
; along another axis. An index on the border is inside.
; RUN: sed "s/CALL/(println (rows t (load m)))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=ROWS
; RUN: sed "s/CALL/(println (single (reshape t [12]) (load m)))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=SINGLE
; RUN: sed "s/CALL/(println (columns t (load m)))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=COLUMNS
; RUN: sed "s/CALL/(println (rows t (+ 3 (iota i32 [2]))))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=ROWS
; RUN: sed "s/CALL/(println (rows t (+ 2 (iota i32 [2]))))/" %s > %t.lisp && lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=LAST
(require-dialect memref)
; ROWS: :[[#@LINE+1]]:{{[0-9]+}}: error: assertion failed: an index of `gather` is outside of the tensor
(defn rows [(: table (tensor v c f32)) (: at (tensor n i32))] -> (tensor n c f32) (gather table at))
; SINGLE: :[[#@LINE+1]]:{{[0-9]+}}: error: assertion failed: an index of `gather` is outside of the tensor
(defn single [(: table (tensor v f32)) (: at (tensor n i32))] -> (tensor n f32) (gather table at))
; COLUMNS: :[[#@LINE+1]]:{{[0-9]+}}: error: assertion failed: an index of `gather` is outside of the tensor
(defn columns [(: table (tensor v c f32)) (: at (tensor n i32))] -> (tensor v n f32) (gather table at :axis 1))
; LAST: {{^ \[9 10 11\]\]$}}
(defn main []
  (def t (reshape (iota f32 [12]) [4 3]))
  (def m (memref.alloc {:result memref<2xi32>}))
  (memref.store (: 1 i32) m 0)
  (memref.store (: -1 i32) m 1)
  CALL)
