; Optional tensors are those of all layers or of none.
; RUN: rm -rf %t && mkdir %t
; RUN: %{python} -c "import json, struct, sys; h = json.dumps({'l.0.w': {'dtype': 'F32', 'shape': [2], 'data_offsets': [0, 8]}, 'l.1.w': {'dtype': 'F32', 'shape': [2], 'data_offsets': [8, 16]}, 'l.1.b': {'dtype': 'F32', 'shape': [2], 'data_offsets': [16, 24]}}).encode(); open(sys.argv[1], 'wb').write(struct.pack('<Q', len(h)) + h + struct.pack('<6f', 1, 2, 3, 4, 5, 6))" %t/model.safetensors
; RUN: not lispier run %s %t 2>&1 | FileCheck %s
; CHECK: error[tensor-file]: {{.*}}model.safetensors: has no tensor 'l.0.b' for the field `layers.bias`
(require-dialect llvm)
(defrecord Layer [weight (tensor n f32)] [bias (tensor n f32)])
(defrecord Model [layers (list Layer)])
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (load-checkpoint Model (ptr-load !llvm.ptr argv) {:layers {:weight "l.{}.w" :bias ["l.{}.b" :optional]}}))
  (println (:bias (:layers m))))
