; Files of NumPy that are not what is asked for.
; RUN: rm -rf %t && split-file %s %t && cd %t
; RUN: lispier run save.lisp x.npy
; RUN: not lispier run load.lisp none 2>&1 | FileCheck %s --check-prefix=NONE
; NONE: load.lisp:2:12: error[tensor-file]: none: the file cannot be read
; RUN: not lispier run load.lisp load.lisp 2>&1 | FileCheck %s --check-prefix=TEXT
; TEXT: error[tensor-file]: load.lisp: this is no .npy file
; RUN: head -c 20 x.npy > header.npy
; RUN: not lispier run load.lisp header.npy 2>&1 | FileCheck %s --check-prefix=HEADER
; HEADER: error[tensor-file]: header.npy: the header of the .npy file cannot be read
; RUN: head -c -3 x.npy > cut.npy
; RUN: not lispier run load.lisp cut.npy 2>&1 | FileCheck %s --check-prefix=CUT
; CUT: error[tensor-file]: cut.npy: the file ends before its last element
; RUN: cp x.npy longer.npy && printf x >> longer.npy
; RUN: not lispier run load.lisp longer.npy 2>&1 | FileCheck %s --check-prefix=LONGER
; LONGER: error[tensor-file]: longer.npy: the file has bytes after its last element
; RUN: env LC_ALL=C sed 's/(2, 3,)/(-2,3,)/' x.npy > negative.npy
; RUN: not lispier run load.lisp negative.npy 2>&1 | FileCheck %s --check-prefix=NEGATIVE
; NEGATIVE: error[tensor-file]: negative.npy: the shape in the header of the .npy file is no list of sizes, such as (2, 3)
; RUN: env LC_ALL=C sed 's/(2, 3,)/(2;3,) /' x.npy > list.npy
; RUN: not lispier run load.lisp list.npy 2>&1 | FileCheck %s --check-prefix=LIST
; LIST: error[tensor-file]: list.npy: the shape in the header of the .npy file is no list of sizes
; RUN: env LC_ALL=C sed 's/<f4/>f4/' x.npy > big.npy
; RUN: not lispier run load.lisp big.npy 2>&1 | FileCheck %s --check-prefix=BIG
; BIG: error[tensor-file]: big.npy: the elements are '>f4', and '<f4' is asked for
; RUN: env LC_ALL=C sed 's/False/True /' x.npy > columns.npy
; RUN: not lispier run load.lisp columns.npy 2>&1 | FileCheck %s --check-prefix=COLUMNS
; COLUMNS: error[tensor-file]: columns.npy: the header of the .npy file cannot be read, or its elements are in column order
; RUN: not lispier run row.lisp x.npy 2>&1 | FileCheck %s --check-prefix=RANK
; RANK: error[tensor-file]: x.npy: the file has the shape [2 3], and (tensor _ f32) is asked for
; RUN: not lispier run more.lisp x.npy 2>&1 | FileCheck %s --check-prefix=SIZE
; SIZE: more.lisp:1:{{[0-9]+}}: error[tensor-file]: x.npy: the file has the shape [2 3], and (tensor _ 4 f32) is asked for

;--- save.lisp
(defn main [(: count i64) (: paths !llvm.ptr)] (save-npy (zeros f32 [2 3]) (ptr-load !llvm.ptr paths)))
;--- load.lisp
(defn main [(: count i64) (: paths !llvm.ptr)]
  (println (load-npy (tensor _ 3 f32) (ptr-load !llvm.ptr paths))))
;--- row.lisp
(defn main [(: count i64) (: paths !llvm.ptr)] (println (load-npy (tensor _ f32) (ptr-load !llvm.ptr paths))))
;--- more.lisp
(defn main [(: count i64) (: paths !llvm.ptr)] (println (load-npy (tensor _ 4 f32) (ptr-load !llvm.ptr paths))))
