; An index that is outside ends the program where errors are reported, on a CPU, where it would read other memory, and on
; the simulator, with the index, the axis, its size and the calls: of rows, of single elements, along another axis, of
; indices that are made in the same kernel, and of those that are the places of elements. One on the border is inside.
; RUN: sed "s/CALL/(println (rows t (load m)))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=ROWS
; RUN: not lispier run --target=sim %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-ROWS
; RUN: not lispier run --target=sim:sm_80 %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-ROWS
; RUN: sed "s/CALL/(println (single (reshape t [12]) (load m)))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=SINGLE
; RUN: not lispier run --fuse=false %t.lisp 2>&1 | FileCheck %s --check-prefix=SINGLE
; RUN: not lispier run --target=sim %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-SINGLE
; RUN: not lispier run --target=sim:gfx942 %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-SINGLE
; RUN: sed "s/CALL/(println (columns t (load m)))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=COLUMNS
; RUN: not lispier run --target=sim %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-COLUMNS
; RUN: sed "s/CALL/(println (rows t (+ 3 (iota i32 [2]))))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=BEHIND
; RUN: not lispier run --target=sim %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-BEHIND
; RUN: sed "s/CALL/(println (single (reshape t [12]) (+ 10 (iota i32 [4]))))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=MADE
; RUN: not lispier run --target=sim %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-MADE
; RUN: not lispier run --target=sim:sm_90a %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-MADE
; RUN: sed "s/CALL/(println (places (reshape t [12])))/" %s > %t.lisp && not lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=PLACES
; RUN: not lispier run --target=sim %t.lisp 2>&1 | FileCheck %s --check-prefix=SIM-PLACES
; RUN: sed "s/CALL/(println (rows t (+ 2 (iota i32 [2])))) (println (single (reshape t [12]) (+ 8 (iota i32 [4]))))/" %s > %t.lisp
; RUN: lispier run %t.lisp 2>&1 | FileCheck %s --check-prefix=LAST
; RUN: lispier run --target=sim %t.lisp 2>&1 | FileCheck %s --check-prefix=LAST
; RUN: lispier run --target=sim:sm_80 %t.lisp 2>&1 | FileCheck %s --check-prefix=LAST
(require-dialect memref)
; ROWS: :[[#@LINE+4]]:{{[0-9]+}}: error[tensor-range]: the index -1 is outside of axis 0, which has 4 elements
; ROWS: : note: called from here
; SIM-ROWS: :[[#@LINE+2]]:{{[0-9]+}}: error[sim-bounds]: the index -1 is outside of axis 0, which has 4 elements
; SIM-ROWS: : note: called from here
(defn rows [(: table (tensor v c f32)) (: at (tensor n i32))] -> (tensor n c f32) (gather table at))
; BEHIND: error[tensor-range]: the index 4 is outside of axis 0, which has 4 elements
; SIM-BEHIND: error[sim-bounds]: the index 4 is outside of axis 0, which has 4 elements
; SINGLE: :[[#@LINE+4]]:{{[0-9]+}}: error[tensor-range]: the index -1 is outside of axis 0, which has 12 elements
; SIM-SINGLE: :[[#@LINE+3]]:{{[0-9]+}}: error[sim-bounds]: the index -1 is outside of axis 0, which has 12 elements
; MADE: :[[#@LINE+2]]:{{[0-9]+}}: error[tensor-range]: the index 12 is outside of axis 0, which has 12 elements
; SIM-MADE: :[[#@LINE+1]]:{{[0-9]+}}: error[sim-bounds]: the index {{1[23]}} is outside of axis 0, which has 12 elements
(defn single [(: table (tensor v f32)) (: at (tensor n i32))] -> (tensor n f32) (gather table at))
; COLUMNS: :[[#@LINE+2]]:{{[0-9]+}}: error[tensor-range]: the index -1 is outside of axis 1, which has 3 elements
; SIM-COLUMNS: :[[#@LINE+1]]:{{[0-9]+}}: error[sim-bounds]: the index -1 is outside of axis 1, which has 3 elements
(defn columns [(: table (tensor v c f32)) (: at (tensor n i32))] -> (tensor v n f32) (gather table at :axis 1))
; PLACES: error[tensor-range]: the index 12 is outside of axis 0, which has 12 elements
; SIM-PLACES: error[sim-bounds]: the index 12 is outside of axis 0, which has 12 elements
(defn places [(: table (tensor v f32))] -> (tensor 20 f32) (gather table (iota index [20])))
; LAST: {{^ \[9 10 11\]\]$}}
; LAST: [8 9 10 11]
(defn main []
  (def t (reshape (iota f32 [12]) [4 3]))
  (def m (memref.alloc {:result memref<2xi32>}))
  (memref.store (: 1 i32) m 0)
  (memref.store (: -1 i32) m 1)
  CALL)
