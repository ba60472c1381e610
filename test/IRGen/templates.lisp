; RUN: lispier --emit=module %s | FileCheck %s

; A template is a private function over the op's operands, marked for lispier-select-templates; the attributes that it
; asks for are further parameters under their own names.
(require-dialect nn memref)

; CHECK: func.func private @__template_nn.add_0(%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>)
; CHECK-SAME: attributes {nn.template = "nn.add", nn.template_targets = ["cpu", "sim"]}
; CHECK: memref.store
(deftemplate nn.add {:for [cpu sim]} [(: a "memref<?xf32>") (: b "memref<?xf32>") (: out "memref<?xf32>")]
  (for [i 0 (memref.dim out 0)]
    (memref.store (+ (memref.load a i) (memref.load b i)) out i)))

; CHECK: func.func private @__template_nn.linear_0(
; CHECK-SAME: i64, %[[ACTIVATION:[a-z0-9]+]]: i64) attributes
; CHECK-SAME: nn.template_attributes = ["constant_weights", "activation"]
; CHECK-SAME: nn.template_values = ["activation"]
; CHECK: arith.cmpi eq, %[[ACTIVATION]]
(deftemplate nn.linear {:for [cpu] :attrs [constant_weights] :values [activation]}
  [(: x "memref<?x?xf32>") (: w "memref<?x?xf32>") (: bias "memref<?xf32>") (: residual "memref<?x?xf32>")
   (: out "memref<?x?xf32>")]
  (if (= activation (: 2 i64)) (memref.store (: 0.0 f32) out 0 0)))

; The sizes that it has code for: a parameter by its number, a dimension, the sizes.
; CHECK: func.func private @__template_nn.softmax_0(
; CHECK-SAME: nn.template_sizes = [array<i64: 1, 0, 64, 128>]
(deftemplate nn.softmax {:for [cpu] :sizes [[out 0 64 128]]} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")]
  (memref.store (: 0.0 f32) out 0 0))

; The kinds of groups of tensor ops for which it replaces a generated kernel.
; CHECK: func.func private @__template_nn.layer_norm_0(
; CHECK-SAME: nn.template_groups = ["layer-norm", "layer-norm-before-product"]
(deftemplate nn.layer_norm {:for [cpu] :groups [layer-norm layer-norm-before-product]}
  [(: x "memref<?x?xf32>") (: w "memref<?xf32>") (: b "memref<?xf32>") (: out "memref<?x?xf32>") (: epsilon f32)]
  (memref.store epsilon out 0 0))
