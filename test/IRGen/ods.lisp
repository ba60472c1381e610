; What an op's definition says need not be written: IRGen finds it in tables that are made from MLIR's own.
; RUN: lispier --emit=module %s | FileCheck %s

(require-dialect arith tensor nn llvm memref)

; A comparison that is always true is a word of its enumeration, not the number 1.
; CHECK-LABEL: @always
; CHECK: arith.cmpf true,
(defn always [(: x f32)] -> i1 (arith.cmpf {:predicate true} x x))

; Bare numbers among groups of indices, and one that has a type of its own.
; CHECK-LABEL: @slice
; CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}] [4] [1] : tensor<4xf32> into tensor<8xf32>
(defn slice [(: a tensor<4xf32>) (: b tensor<8xf32>)] -> tensor<8xf32>
  (tensor.insert_slice {:static_offsets array<i64: -9223372036854775808> :static_sizes array<i64: 4>
                        :static_strides array<i64: 1>} a b [2] [] []))

; Groups by the types of the operands; among the divisions that remain, the op's verifier takes one.
; CHECK-LABEL: @divided
; CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}] [4] [1] : tensor<4xf32> into tensor<8xf32>
(defn divided [(: a tensor<4xf32>) (: b tensor<8xf32>) (: i index)] -> tensor<8xf32>
  (tensor.insert_slice {:static_offsets array<i64: -9223372036854775808> :static_sizes array<i64: 4>
                        :static_strides array<i64: 1>} a b i))

; CHECK-LABEL: @norm
; CHECK: %[[EPSILON:.*]] = arith.constant 9.99999974E-6 : f32
; CHECK: nn.layer_norm {{.*}}%[[EPSILON]]
(defn norm [(: x memref<2x8xf32>) (: w memref<8xf32>) (: b memref<8xf32>)]
  (nn.layer_norm x w b x 1e-5))

; The one type that a constraint leaves.
; CHECK-LABEL: @pointer
; CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
(defn pointer [(: n i64)] -> !llvm.ptr (def p (llvm.inttoptr n)) p)

; A block that ends by itself, as the definition of its op says.
; CHECK-LABEL: @scope
; CHECK: memref.alloca_scope {
; CHECK-NEXT: memref.alloca
(defn scope []
  (memref.alloca_scope (region (memref.alloca {:result memref<4xf32>}))))
