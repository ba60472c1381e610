; Constants that are names.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(deftile p {:const [f]} [(: m memref<?xf32>)]
  ; CHECK-DAG: :[[#@LINE+3]]:11: error[parse-head]: `f` is a value of type index, and not a function
  ; CHECK-DAG: :[[#@LINE+7]]:3: note: the launch that asks for f = 4
  ; CHECK-DAG: :[[#@LINE-3]]:21: note: it is bound here
  (store (f (load m [0] [4])) m [0]))
(defn main [(: m memref<?xf32>)]
  ; CHECK-DAG: :[[#@LINE+2]]:25: error[tile-constant]: the constant `f` of `p` is `tahn`, which is no value, function or type
  ; CHECK-DAG: :[[#@LINE-7]]:1: note: `p` is defined here
  (launch p {:const {:f tahn}} m)
  (launch p {:const {:f 4}} m))
