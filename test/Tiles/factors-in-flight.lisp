; A product may end in the next step of a loop, unless it reads a factor from registers, which that step overwrites: the
; rows of a weight's gradient, which are columns in memory.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s
; CHECK-LABEL: .entry inputs_0(
; CHECK: wgmma.wait_group.sync.aligned 1
; CHECK-LABEL: .entry weights_0(
; CHECK: ldmatrix.sync.aligned.m8n8.x4.trans
; CHECK-NOT: wgmma.wait_group.sync.aligned 1
; CHECK: ret
(defn inputs [(: x (tensor 4096 2048 bf16)) (: w (tensor 4096 2048 bf16))] (cast bf16 (einsum "nk,ck->nc" x w :out f32)))
(defn weights [(: g (tensor 2048 4096 bf16)) (: x (tensor 2048 4096 bf16))] (cast bf16 (einsum "nc,nk->ck" g x :out f32)))
