; The IR of the forms on tensors: one linalg op for each.
; RUN: lispier --emit=module %s | FileCheck %s

; CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
; CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
; CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>

; Sizes of one name are compared at the entry, once; then they are one value.
; CHECK-LABEL: func.func @shift(%arg0: tensor<?x?xbf16>, %arg1: tensor<?xf32>, %arg2: f32) -> tensor<?x?xf32>
; CHECK: %[[T:.*]] = tensor.dim %arg0, %c0
; CHECK: %[[C:.*]] = tensor.dim %arg0, %c1
; CHECK: %[[D:.*]] = tensor.dim %arg1
; CHECK: arith.cmpi eq, %[[C]], %[[D]]
; CHECK: scf.if
; CHECK: llvm.call @lispier_rt_check_failed
; CHECK: %[[INIT:.*]] = tensor.empty(%[[T]], %[[C]]) : tensor<?x?xf32>
; CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[COLUMN]], #[[ROWS]]], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<?x?xbf16>, tensor<?xf32>) outs(%[[INIT]]
; CHECK: %[[WIDE:.*]] = arith.extf %in fastmath<contract> : bf16 to f32
; CHECK: %[[SUM:.*]] = arith.addf %[[WIDE]], %in_{{.*}} : f32
; CHECK: arith.addf %[[SUM]], %arg2 : f32
; CHECK-NOT: scf.if
; CHECK: return
(defn shift [(: x (tensor t c bf16)) (: b (tensor c f32)) (: s f32)] -> (tensor t c f32) (+ x b s))

; A dimension of 1 that is repeated is dropped; 16-bit floats are added in f32.
; CHECK-LABEL: func.func @centered(%arg0: tensor<?x8xbf16>) -> tensor<?x8xbf16>
; CHECK: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
; CHECK: linalg.fill ins(%[[ZERO]]
; CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[ROW]]], iterator_types = ["parallel", "reduction"]} ins(%arg0
; CHECK: arith.extf {{.*}} fastmath<contract>
; CHECK: arith.addf
; CHECK: linalg.generic
; CHECK: %[[MEAN:.*]] = arith.mulf %in, %{{.*}} : f32
; CHECK: arith.truncf %[[MEAN]] fastmath<contract> : f32 to bf16
; CHECK: %[[KEPT:.*]] = tensor.expand_shape
; CHECK: %[[DROPPED:.*]] = tensor.collapse_shape %[[KEPT]]
; CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[ROW]], #[[ROWS]]], {{.*}} ins(%arg0, %[[DROPPED]]
; CHECK: %[[LESS:.*]] = arith.subf %{{.*}} : f32
; CHECK: arith.truncf %[[LESS]] fastmath<contract> : f32 to bf16
(defn centered [(: x (tensor t 8 bf16))] (- x (mean x :axis 1 :keep true)))

; The result of a call has the sizes that its arguments are known to have.
; CHECK-LABEL: func.func @caller
; CHECK: %[[R:.*]] = call @shift
; CHECK: tensor.cast %[[R]] : tensor<?x?xf32> to tensor<4x?xf32>
(defn caller [(: x (tensor 4 n bf16)) (: b (tensor n f32))] (shift x b 1.0))
