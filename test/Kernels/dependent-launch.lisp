; Programmatic dependent launch: weights that are constant are loaded before the wait for the preceding kernels, other
; operands after it.
; RUN: rm -f ./-.json
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o - | FileCheck %s --check-prefix=OLD
; Standard output has no description beside it.
; RUN: not ls ./-.json
(require-dialect nn memref)

; OLD-NOT: griddepcontrol

; CHECK-LABEL: .entry gemv(
; CHECK: griddepcontrol.launch_dependents
; CHECK: ld.global.v4.b32
; CHECK: griddepcontrol.wait
; CHECK: ld.global.v4.b32
(defn constant-weights [(: x memref<1x768xbf16>) (: w memref<96x768xbf16>) (: out memref<1x96xbf16>)]
  (nn.linear {:constant_weights true} x w [] [] out))

; CHECK-LABEL: .entry gemv_2(
; CHECK: griddepcontrol.launch_dependents
; CHECK-NOT: ld.global
; CHECK: griddepcontrol.wait
; CHECK: ld.global.v4.b32
(defn weights [(: x memref<1x768xbf16>) (: w memref<96x768xbf16>) (: out memref<1x96xbf16>)]
  (nn.linear x w [] [] out))

; Of one token of attention the addresses of the first keys and values are computed before the wait, which prefetches them:
; after it come loads, and no product of 64 bits before the last of them.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=EARLY
; EARLY-LABEL: .entry attention_one(
; EARLY: griddepcontrol.launch_dependents
; EARLY-COUNT-8: prefetch.global.L2
; EARLY: griddepcontrol.wait
; EARLY-NOT: mul.
; EARLY-COUNT-8: ld.global.v4.b32

; One block per head if the cache is short, else a cluster whose blocks read each other's results.
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=CLUSTER
; CLUSTER-LABEL: .entry attention_one(
; CLUSTER-NOT: cluster
; CLUSTER: bar.sync
; CLUSTER-LABEL: .entry attention_one_0(
; CLUSTER: .reqnctapercluster 8
; CLUSTER: barrier.cluster.arrive.aligned
; CLUSTER: barrier.cluster.wait.aligned
; CLUSTER-COUNT-3: ld.shared::cluster.b32
; CLUSTER: barrier.cluster.arrive.aligned
(defn attend [(: q memref<1x?x64xbf16>) (: k memref<1x?x64xbf16>) (: v memref<1x?x64xbf16>) (: keys memref<?x?x64xbf16>)
              (: values memref<?x?x64xbf16>) (: position memref<1xi32>) (: out memref<1x?x64xbf16>)]
  (nn.attention q k v keys values position out))

; Many tokens: copies of the first stages of constant weights start before the wait, copies of rows of x after it.
; MANY-LABEL: .entry matmul_wgmma_bf16_bf16_
; MANY: griddepcontrol.launch_dependents
; MANY: cp.async.cg.shared.global
; MANY: griddepcontrol.wait
; MANY: cp.async.cg.shared.global
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=MANY
(defn matrix-constant-weights [(: x memref<1024x768xbf16>) (: w memref<768x768xbf16>) (: out memref<1024x768xbf16>)]
  (nn.linear {:constant_weights true} x w [] [] out))

; MANY-LABEL: .entry matmul_wgmma_bf16_bf16_{{.*}}_
; MANY: griddepcontrol.launch_dependents
; MANY-NOT: cp.async
; MANY: griddepcontrol.wait
; MANY: cp.async.cg.shared.global
(defn matrix-weights [(: x memref<1024x768xbf16>) (: w memref<768x768xbf16>) (: out memref<1024x768xbf16>)]
  (nn.linear x w [] [] out))

; Tile programs: rows of constant weights are read before the wait.
; TILES-LABEL: .entry layer_norm_rows_f32_bf16_f32_4_768(
; TILES: griddepcontrol.launch_dependents
; TILES-NOT: ld.global.v4.b32
; TILES: ld.global.v4.b16
; TILES-NOT: ld.global.v4.b32
; TILES: griddepcontrol.wait
; TILES: ld.global.v4.b32
; TILES-NOT: ld.global.v4.b16
; TILES: st.global
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=TILES
(defn norm-constant-weights [(: x memref<1024x768xf32>) (: w memref<768xbf16>) (: b memref<768xbf16>)
                             (: out memref<1024x768xf32>)]
  (nn.layer_norm {:constant_weights true} x w b out (: 1e-5 f32)))
