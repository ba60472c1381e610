; Tensors that are joined have one width, and are all there.
; RUN: rm -rf %t && mkdir %t
; RUN: %{python} -c "import json, struct, sys; h = json.dumps({'a': {'dtype': 'F32', 'shape': [2, 2], 'data_offsets': [0, 16]}, 'b': {'dtype': 'F32', 'shape': [1, 3], 'data_offsets': [16, 28]}}).encode(); open(sys.argv[1], 'wb').write(struct.pack('<Q', len(h)) + h + bytes(28))" %t/model.safetensors
; RUN: not lispier run %s %t 2>&1 | FileCheck %s
; CHECK: model.safetensors: tensor 'b' has shape [1, 3], which cannot follow [2, 2] in the field `w`
; CHECK-NEXT: model.safetensors: has no tensor 'c' for the field `v`
(require-dialect llvm)
(defrecord Model [w (tensor n c f32)] [v (tensor m c f32)])
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (load-checkpoint Model (ptr-load !llvm.ptr argv) {:w [["a" "b"]] :v [["a" "c"]]}))
  (println (:w m)))
