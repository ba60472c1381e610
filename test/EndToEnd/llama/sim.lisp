; The formulas of Llama in the simulator, which checks every access, as a GPU's kernels. The first token is golden.json's.
; RUN: lispier run --target=sim:sm_90a %s %examples/llama/llama3-tiny | FileCheck %s
; On two ranks each has one of the two heads of keys and values.
; RUN: env LISPIER_COMM=fake LISPIER_THREADS=1 lispier run --target=sim:sm_90a --ranks=2 %s %examples/llama/llama3-tiny --tp 2 | FileCheck %s
(require-dialect llvm)
(require ["../../../examples/llama/model.lisp" :as model])
(require-macros "../../../examples/llama/model.lisp")

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (model/load-model (ptr-load !llvm.ptr argv)))
  (def f (model/frequencies 32 500000.0 32.0 1.0 4.0 64.0))
  (def groups (/ (: 2 index) (on-ranks (ranks tp) 1)))
  (def s (Settings {:groups groups :queries (: 4 index) :head-size (: 64 index) :epsilon 1e-5 :scale 0.125
                    :embedding-scale (first-number 1.0) :frequencies f :local-frequencies f :windows (full i32 [4] 1073741824)
                    :local (full i32 [4] 0) :magnitudes (full f32 [4] 1.0) :score-cap 0.0 :logit-cap 0.0}))
  (def keys (zeros f32 [4 groups 4 64]))
  (def values (zeros f32 [4 groups 4 64]))
  (def logits (model/forward m s keys values (: [131] tensor<1xi32>) (: [0] tensor<1xi32>)))
  (println "%d" (at (argmax logits :axis -1) 0))  ; CHECK: {{^3686$}}
  (def next (model/forward m s keys values (: [3686] tensor<1xi32>) (: [1] tensor<1xi32>)))
  (println "%d" (at (argmax next :axis -1) 0)))   ; CHECK: {{^1433$}}
