; Operands in the wrong place.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect gpu llvm)

; Operands are no attributes, and LLVM's function types are not the language's.
; CHECK: :[[#@LINE+2]]:54: error[attr-unknown]: `:asyncDependencies` of `gpu.wait` is operands, not an attribute
; CHECK: hint: operands stand behind the map: (gpu.wait {...} asyncDependencies)
(defn token [] (gpu.wait {:result "!gpu.async.token" :asyncDependencies tok}))
; CHECK: :[[#@LINE+2]]:{{.*}}: error[attr-kind]: `:function_type` of `llvm.func` cannot be (-> [i64] [!llvm.ptr])
; CHECK: hint: an LLVM function type is written "!llvm.func<ptr (i64)>"
(llvm.func {:sym_name "g" :function_type (-> [i64] [!llvm.ptr])} (region))

; A single operand is one: verifiers of ops read it without looking.
; CHECK: :[[#@LINE+3]]:3: error[op-segments]: `gridSizeX` of `gpu.launch_func` is one operand, not 0
(defn no-grid [(: n index)]
  ; The groups are vectors.
  (gpu.launch_func {:kernel @a::@b} [] [] [n n] [n] [n] [n] [n] [] [] [] [] [] []))
; CHECK: :[[#@LINE+2]]:3: error[op-segments]: `gridSizeX` of `gpu.launch_func` is one operand, not 0
(defn no-size [(: n index)]
  (gpu.launch_func {:kernel @a::@b :operandSegmentSizes [0 0 2 1 1 1 1 0 0 0 0 0 0]} n n n n n n))
