; Operands in the wrong place.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect arith gpu llvm memref scf)

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

; The place and the code of an error are those of the part that ODS, or an interface of the op, does not allow.
; CHECK: :[[#@LINE+2]]:68: error[op-operands]: `memref.store`: operand #2 must be variadic of index, but got 'f32'
; CHECK-NEXT: defn index-type
(defn index-type [(: m memref<4xf32>) (: x f32)] (memref.store x m x))
; CHECK: :[[#@LINE+1]]:45: error[op-operands]: `memref.store`: store index operand count not equal to memref rank
(defn index-count [(: m memref<4xf32>)] (do (memref.store 1.0 m 0 0)))
; CHECK: :[[#@LINE+1]]:51: error[type-mismatch]: `arith.addi`: requires the same type for all operands and results
(defn same-types [(: x i32) (: y i64)] -> i32 (do (arith.addi x y)))
; CHECK: :[[#@LINE+1]]:59: error[op-results]: `arith.addf`
(defn result-type [(: x f32)] -> f32 (arith.addf {:result i32} x x))
; CHECK: :[[#@LINE+1]]:29: error[op-regions]: `scf.condition`
(defn parent [(: c i1)] (do (scf.condition c)))
; CHECK: :[[#@LINE+1]]:21: error[op-regions]: `memref.alloca_scope`: region #0
(defn blocks [] (do (memref.alloca_scope)))
