; What only the run can see is one message, with the calls that led there: of this program's functions, which are
; inlined, and of the library's.
; RUN: not lispier run %s 2>&1 | FileCheck %s --check-prefix=NAMES
; RUN: not lispier run --target=sim %s 2>&1 | FileCheck %s --check-prefix=NAMES
; RUN: not lispier run %s other 2>&1 | FileCheck %s --check-prefix=LIBRARY

; NAMES: :[[#@LINE+3]]:40: error[tensor-size]: `weighted`: the size `t` is 2 in `x`, f32 [2 3], and 5 in `w`, bf16 [5]
; NAMES: :[[#@LINE+2]]:17: note: `x` is declared here
; NAMES: :[[#@LINE+11]]:14: note: called from here
(defn weighted [(: x (tensor t 3 f32)) (: w (tensor t bf16))] (einsum "tc,t->c" x w))

; LIBRARY: prelude/tensor/rows.lisp:{{.*}}: error[tensor-range]: `first-places`: the part from 0 to 7 is not inside
; LIBRARY: :[[#@LINE+3]]:20: note: called from here
; LIBRARY: :[[#@LINE+7]]:14: note: called from here
(defn largest [(: x (tensor n f32)) (: k index)] -> (tensor _ f32)
  (let [[values _] (topk x k)] values))

(defn main [(: words i32) (: word !llvm.ptr)]
  (if (= words 0)
    (println (weighted (zeros f32 [2 3]) (zeros bf16 [(+ 5 (cast index words))])))
    (println (largest (zeros f32 [3]) (+ 6 (cast index words))))))
