; Tensors that are missing or do not fit the record: a line for each.
; RUN: not lispier run %s %S/../../../examples/gpt2/mini 2>&1 | FileCheck %s
; RUN: not lispier run %s %S/none 2>&1 | FileCheck %s --check-prefix=NONE
; NONE: load-checkpoint-shapes.lisp:22:12: error[tensor-file]: {{.*}}none
(require-dialect llvm)
(defrecord Linear [weight (tensor n k bf16)] [bias (tensor n bf16)])
(defrecord Layer [up Linear] [down (tensor 7 _ bf16)])
(defrecord Model [table (tensor v c c bf16)] [h (list Layer)] [lost (tensor c f32)] [tied Linear])

; CHECK: load-checkpoint-shapes.lisp:22:12: error[tensor-file]:
; CHECK-SAME: tensor 'transformer.wte.weight' has shape [8192, 256], and the field `table` is [v, c, c]
; CHECK-NEXT: {{.*}}: tensor 'transformer.h.0.mlp.c_fc.bias' has shape [1024],
; CHECK-SAME: and the field `h.up.bias` is [n], where n is 256 in `h.up.weight`
; CHECK-NEXT: {{.*}}: tensor 'transformer.h.0.mlp.c_proj.weight' has shape [1024, 256], and the field `h.down` is [7, _]
; CHECK-NEXT: {{.*}}: has no tensor 'lost', 'none' for the field `lost`
; CHECK-NEXT: {{.*}}: the name 'transformer.h.{}.mlp.c_fc.weight' of the field `tied.weight` has {}, but the field is in no list
; CHECK-NOT: {{.}}

; The field tied.bias fits: nothing else is known of its size.

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m   (load-checkpoint Model (ptr-load !llvm.ptr argv)
           {:table "transformer.wte.weight"
            :h {:up {:weight "transformer.h.{}.mlp.c_fc.weight" :bias "transformer.h.{}.mlp.c_fc.bias"}
                :down "transformer.h.{}.mlp.c_proj.weight"}
            :lost ["lost" "none"]
            :tied {:weight "transformer.h.{}.mlp.c_fc.weight" :bias "transformer.h.0.ln_2.weight"}})))
