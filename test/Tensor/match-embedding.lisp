; Rows of two tables, where the numbers of one of them count from a position in memory, are nn.embedding.
; DEFINE: %{groups} = lispier --emit=module %s -o - | lispier-opt --lispier-inline-tensor-calls --canonicalize --cse --lispier-simplify-shapes --lispier-fuse-elementwise --canonicalize --cse --lispier-form-groups --lispier-bufferize-tensors
; RUN: %{groups} --lispier-match-kernels | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE

; Tables that are parts of a larger one, either first.
; CHECK-LABEL: func.func @embedded(
; CHECK: nn.embedding %arg2, %{{.*}}, %{{.*}} at %{{.*}} into
; CHECK-NOT: group.kernel "embedded_
; CHECK: return
(defn embedded [(: tables (tensor 2 v c bf16)) (: wpe (tensor p c bf16)) (: tokens (tensor t i32)) (: position (tensor 1 i32))]
  (def places (+ position (iota i32 [t])))
  (+ (cast f32 (embedding wpe places)) (cast f32 (embedding (at tables 1) tokens))))

; Places that do not count by one, that do not begin in memory, or that are needed elsewhere; a difference.
; CHECK-LABEL: func.func @sparse(
; CHECK-NOT: nn.embedding
; CHECK: return
(defn sparse [(: wte (tensor v c f32)) (: wpe (tensor p c f32)) (: tokens (tensor t i32)) (: position (tensor 1 i32))]
  (+ (embedding wte tokens) (embedding wpe (+ position (* 2 (iota i32 [t]))))))
; CHECK-LABEL: func.func @given(
; CHECK-NOT: nn.embedding
; CHECK: return
(defn given [(: wte (tensor v c f32)) (: wpe (tensor p c f32)) (: tokens (tensor t i32)) (: places (tensor t i32))]
  (+ (embedding wte tokens) (embedding wpe places)))
; CHECK-LABEL: func.func @shown(
; CHECK-NOT: nn.embedding
; CHECK: return
(defn shown [(: wte (tensor v c f32)) (: wpe (tensor p c f32)) (: tokens (tensor t i32)) (: position (tensor 1 i32))]
  (def places (+ position (iota i32 [t])))
  [places (+ (embedding wte tokens) (embedding wpe places))])
; CHECK-LABEL: func.func @difference(
; CHECK-NOT: nn.embedding
; CHECK: return
(defn difference [(: wte (tensor v c f32)) (: wpe (tensor p c f32)) (: tokens (tensor t i32)) (: position (tensor 1 i32))]
  (- (embedding wte tokens) (embedding wpe (+ position (iota i32 [t])))))

(defn main []
  (def wpe (iota bf16 [6 2] :axis 0))
  (def tables (+ (iota bf16 [2 8 2] :axis 1) (* 64.0 (iota bf16 [2 1 1] :axis 0))))
  ; VALUE: [66 66]
  ; VALUE-NEXT: [74 74]
  ; VALUE-NEXT: [69 69]
  (println (embedded tables wpe (: [0 7 1] tensor<3xi32>) (: [2] tensor<1xi32>))))
