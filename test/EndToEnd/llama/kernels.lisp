; A layer of Llama is five kernels on a GPU for one token, and nine for several, also with BF16 activations: what is
; appended to the cache is a part of what one kernel made, in the cache's type, so attention appends it itself. Nothing is
; copied, which would be one more. A window of each layer changes none of this. With one token, a product has the norm
; before it and the gate behind it, and attention rotates its heads. With very many, a product goes by rings.
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %s -o %t.mlir 2>&1 | FileCheck %s
; RUN: FileCheck %s --check-prefix=CACHE <%t.mlir
; RUN: sed 's/:type bf16)/:type bf16 :windows true)/; s|"../../..|"%lispier-source|' %s >%t.windows.lisp
; RUN: lispier --emit=tiles --explain --target=cuda:sm_90a %t.windows.lisp -o %t.windows.mlir 2>&1 | FileCheck %s
; RUN: FileCheck %s --check-prefix=CACHE <%t.windows.mlir
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=COPY
(require-dialect llvm memref)
(require ["../../../examples/llama/model.lisp" :as model])

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (model/load-model (ptr-load !llvm.ptr argv)))
  ;; As from a configuration: the compiler knows no size.
  (def [n g r d] [(cast index argc) (cast index (ptr-load i64 argv)) (cast index (ptr-load i64 (ptr-at i64 argv 1)))
                  (* 2 (cast index (ptr-load i64 (ptr-at i64 argv 2))))])
  (def f (model/frequencies (/ d 2) 500000.0 32.0 1.0 4.0 64.0))
  (def s (Settings {:groups g :queries r :head-size d :epsilon 1e-5 :scale 0.125
                    :embedding-scale 1.0 :frequencies f :local-frequencies f :windows (full i32 [n] 1073741824)
                    :local (full i32 [n] 0) :magnitudes (full f32 [n] 1.0) :score-cap 0.0 :logit-cap 0.0}))
  (def keys (zeros bf16 [n g n d]))
  (def values (zeros bf16 [n g n d]))
  (def tokens (device-alloc memref<?xi32> [n]))
  (def position (device-alloc memref<1xi32> []))
  (def logits (model/forward m s keys values tokens position :type bf16))
  (println "%f" (at logits 0 0)))

; CHECK: model.lisp:89:{{.*}} kernel [[QKV:main_[0-9]+]], nn.norm_linear
; CHECK-NOT: {{kernel main_}}
; CHECK: model.lisp:97:{{.*}} kernel main_{{[0-9]+}}, row
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[QKV]], contraction
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[QKV]], nn.linear
; CHECK: kernel [[ATTENTION:main_[0-9]+]], nn.rotated_attention
; CHECK-NOT: {{kernel main_}}
; CHECK: model.lisp:147:{{.*}} kernel main_{{[0-9]+}}, elementwise
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[ATTENTION]], nn.attention
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[OUT:main_[0-9]+]], contraction
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[OUT]], nn.linear
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[GATE:main_[0-9]+]], nn.norm_linear
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel main_{{[0-9]+}}, row
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[GATE]], contraction
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[GATE]], nn.linear
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel main_{{[0-9]+}}, elementwise
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[DOWN:main_[0-9]+]], contraction
; CHECK-NOT: {{kernel main_}}
; CHECK: kernel [[DOWN]], nn.linear
; CACHE: call @__template_nn.rotated_attention
; CACHE: call @__template_nn.attention
; COPY-NOT: memref.copy {{.*}}strided
; COPY: kind(attention)
