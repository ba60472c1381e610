; A group of asynchronous copies that has none: the simulator makes ops of a dialect that the program does not name.
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
(require-dialect nvgpu gpu memref)
(defkernel k [(: m memref<?xf32>)]
  (nvgpu.device_async_create_group)
  (memref.store 1.0 m (thread-id :x)))
(defn main []
  (def m (memref.alloc {:result "memref<?xf32>"} (: 4 index)))
  (launch k {:block 4} m)
  (println "%g" (memref.load m 1)))          ; CHECK: {{^1$}}
