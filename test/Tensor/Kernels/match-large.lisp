; Of products of BF16 whose sizes only a call knows, hand-written kernels compute those with few results: with as many as a
; wide product has, the group stays. What follows the product makes the limit another one.
; RUN: lispier --emit=module %s -o - | lispier-opt --lispier-inline-tensor-calls --canonicalize --cse --convert-elementwise-to-linalg --lispier-form-structures --lispier-simplify-shapes --lispier-fuse-elementwise --canonicalize --cse --lispier-form-groups --lispier-bufferize-tensors --lispier-match-kernels="multiprocessors=132 groups=one-row-product,product,one-row-products wide-product=8000 wide-finished-product=4000" --canonicalize --cse | FileCheck %s

; CHECK-LABEL: func.func @alone(
; CHECK: %[[LEAST:.*]] = arith.constant 8000 : index
; CHECK: %[[OUT:.*]] = memref.alloc(%[[ROWS:.*]], %[[COLUMNS:.*]]) {alignment
; CHECK: %[[ELEMENTS:.*]] = arith.muli %[[ROWS]], %[[COLUMNS]] : index
; CHECK: %[[MANY:.*]] = arith.cmpi uge, %[[ELEMENTS]], %[[LEAST]] : index
; CHECK: scf.if %[[MANY]] {
; CHECK-NEXT: group.kernel "alone_0"
; CHECK-SAME: group.large
; CHECK: } else {
; CHECK-NEXT: nn.linear %arg0, %arg1 into %[[OUT]]
(defn alone [(: x (tensor t k bf16)) (: w (tensor n k bf16))] (cast bf16 (einsum "tk,nk->tn" x w :out f32)))

; Of known columns.
; CHECK-LABEL: func.func @finished(
; CHECK: %[[LEAST:.*]] = arith.constant 4000 : index
; CHECK: %[[MANY:.*]] = arith.cmpi uge, %{{.*}}, %[[LEAST]] : index
; CHECK: scf.if %[[MANY]] {
; CHECK-NEXT: group.kernel "finished_0"
; CHECK-SAME: group.large
; CHECK: } else {
; CHECK-NEXT: nn.linear %arg0, %arg1 bias %arg2 into %{{.*}} {activation = #nn<activation gelu_tanh>
(defn finished [(: x (tensor t 96 bf16)) (: w (tensor 64 96 bf16)) (: b (tensor 64 bf16))]
  (cast bf16 (gelu (+ (einsum "tk,nk->tn" x w :out f32) b))))

; Products of one row are joined; beside them are those of several, each with its large results.
; CHECK-LABEL: func.func @joined(
; CHECK: nn.linears
; CHECK: } else {
; CHECK: arith.cmpi uge
; CHECK: group.kernel "joined_0"
; CHECK: } else {
; CHECK-NEXT: nn.linear {{.*}} several_rows
; CHECK: arith.cmpi uge
; CHECK: group.kernel "joined_1"
; CHECK: } else {
; CHECK-NEXT: nn.linear {{.*}} several_rows
(defn joined [(: x (tensor t 96 bf16)) (: w (tensor 64 96 bf16)) (: v (tensor 32 96 bf16))]
  [(cast bf16 (einsum "tk,nk->tn" x w :out f32)) (cast bf16 (einsum "tk,nk->tn" x v :out f32))])

; Rows of 100 numbers are no whole copies; of known sizes the result has too few, or enough.
; CHECK-LABEL: func.func @unaligned(
; CHECK-NOT: group.kernel "
; CHECK: nn.linear
; CHECK-NOT: group.kernel "
; CHECK: return
(defn unaligned [(: x (tensor t 100 bf16)) (: w (tensor 64 100 bf16))] (cast bf16 (einsum "tk,nk->tn" x w :out f32)))
; CHECK-LABEL: func.func @few(
; CHECK-NOT: group.kernel "
; CHECK: nn.linear
; CHECK: return
(defn few [(: x (tensor 60 96 bf16)) (: w (tensor 64 96 bf16)) (: b (tensor 64 bf16))]
  (cast bf16 (+ (einsum "tk,nk->tn" x w :out f32) b)))
; CHECK-LABEL: func.func @many(
; CHECK-NOT: nn.linear
; CHECK: group.kernel "many_0"
; CHECK-NOT: group.large
; CHECK: return
(defn many [(: x (tensor 64 96 bf16)) (: w (tensor 64 96 bf16)) (: b (tensor 64 bf16))]
  (cast bf16 (+ (einsum "tk,nk->tn" x w :out f32) b)))
