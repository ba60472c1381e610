; A layer of Llama is nine kernels on a GPU, also with BF16 activations: what is appended to the cache is a part of what
; one kernel made, in the cache's type, so attention appends it itself. Nothing is copied: the host would do that, between
; two kernels.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o %t.mlir 2>&1 | FileCheck %s
; RUN: FileCheck %s --check-prefix=CACHE <%t.mlir
(require-dialect llvm memref)
(require ["../../../examples/llama/model.lisp" :as model])

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (model/load-model (ptr-load !llvm.ptr argv)))
  (def f (model/frequencies 32 500000.0 32.0 1.0 4.0 64.0))
  (def n (cast index argc))  ; As from a configuration: the compiler knows no size.
  (def s (Settings {:groups n :queries (* 2 n) :head-size (* 32 n) :epsilon 1e-5 :scale 0.125
                    :embedding-scale 1.0 :frequencies f :local-frequencies f :windows (full i32 [n] 1073741824)}))
  (def keys (zeros bf16 [n n n (* 32 n)]))
  (def values (zeros bf16 [n n n (* 32 n)]))
  (def tokens (device-alloc memref<?xi32> [n]))
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
; CACHE-NOT: memref.copy {{.*}}strided
; CACHE: call @__template_nn.attention
; CACHE-NOT: memref.copy {{.*}}strided
