; Offsets in tensors of more than 2^31 elements are computed in 64 bits: the number of a block, and an index that is read,
; are widened before they are multiplied.
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o - | FileCheck %s

; CHECK-LABEL: .visible .entry line_0(
; CHECK: mov.u32 [[BLOCK:%r[0-9]+]], %ctaid.x;
; CHECK: mul.wide.u32 %rd{{[0-9]+}}, [[BLOCK]], 4096;
(defn line [(: x (tensor 3000000000 i8))] (+ x 1))

; CHECK-LABEL: .visible .entry square_0(
; CHECK: mov.u32 [[BLOCK:%r[0-9]+]], %ctaid.x;
; CHECK: mul.wide.u32 %rd{{[0-9]+}}, [[BLOCK]], 4096;
(defn square [(: x (tensor 65536 65536 i8))] (+ x 1))

; CHECK-LABEL: .visible .entry rows_0(
; CHECK: mov.u32 [[BLOCK:%r[0-9]+]], %ctaid.x;
; CHECK: mul.wide.u32 %rd{{[0-9]+}}, [[BLOCK]], 65536;
(defn rows [(: x (tensor 65536 65536 i8))] (max x :axis 1))

; CHECK-LABEL: .visible .entry turned_0(
; CHECK: mov.u32 [[BLOCK:%r[0-9]+]], %ctaid.x;
; CHECK: mul.wide.u32 %rd{{[0-9]+}}, [[BLOCK]], 64;
; CHECK: shl.b64 %rd{{[0-9]+}}, %rd{{[0-9]+}}, 16;
(defn turned [(: x (tensor 65536 65536 i8))] (transpose x))

; CHECK-LABEL: .visible .entry picked_0(
; CHECK: ld.global.b32 [[INDEX:%r[0-9]+]],
; CHECK: mul.wide.{{[su]}}32 %rd{{[0-9]+}}, [[INDEX]], 65536;
(defn picked [(: x (tensor 65536 65536 i8)) (: i (tensor n i32))] (gather x i))
