; The code of macros may use the processor that expands them, like that of the program.
; RUN: lispier run %s | FileCheck %s
; REQUIRES: avx2
(require-dialect x86vector vector arith)
(extern :value-ffi)
(extern-fn value_list_first (-> [!llvm.ptr] [!llvm.ptr]))

(defn rounded [(: arguments !llvm.ptr)] -> !llvm.ptr
  (def four (vector.broadcast {:result vector<8xf32>} (: 16.0 f32)))
  (def quarter (vector.extract {:static_position [0] :result f32} (x86vector.avx.rsqrt four)))
  (if (< quarter 0.5) `(+ ~(value_list_first arguments) 1) `(+ ~(value_list_first arguments) 2)))
(defmacro rounded)

; CHECK: 6
(defn main [] -> i64 (rounded (: 5 i64)))
