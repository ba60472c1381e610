; A layer of Llama is nine kernels on a GPU, also with BF16 activations: what is appended to the cache is a part of what
; one kernel made, in the cache's type, so attention appends it itself.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o %t.mlir 2>&1 | FileCheck %s
; RUN: FileCheck %s --check-prefix=CACHE <%t.mlir
(require-dialect llvm memref)
(require ["../../../examples/llama/model.lisp" :as model])

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (model/load-model (ptr-load !llvm.ptr argv)))
  (def f (model/frequencies 32 500000.0 32.0 1.0 4.0 64.0))
  (def s (Settings {:groups (: 2 index) :queries (: 4 index) :head-size (: 64 index) :epsilon 1e-5 :scale 0.125
                    :embedding-scale 1.0 :frequencies f :local-frequencies f :windows (full i32 [4] 1073741824)}))
  (def keys (zeros bf16 [4 2 4 64]))
  (def values (zeros bf16 [4 2 4 64]))
  (def tokens (device-alloc memref<?xi32> [(cast index argc)]))
  (def position (device-alloc memref<1xi32> []))
  (def logits (model/forward m s keys values tokens position :type bf16))
  (println "%f" (at logits 0 0)))

; CHECK: model.lisp:58:{{.*}} kernel main_{{[0-9]+}}, row
; CHECK: model.lisp:53:{{.*}} kernel main_{{[0-9]+}}, nn.linear
; CHECK: model.lisp:92:{{.*}} kernel main_{{[0-9]+}}, elementwise
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel main_{{[0-9]+}}, nn.attention
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel main_{{[0-9]+}}, nn.linear
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel main_{{[0-9]+}}, row
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel main_{{[0-9]+}}, nn.linear
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel main_{{[0-9]+}}, elementwise
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel main_{{[0-9]+}}, nn.linear
; CACHE-COUNT-1: call @__template_nn.attention
