; An asynchronous copy of no elements reads nothing, so that its source may begin behind the end of the memory.
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: not lispier run --target=sim:sm_90a %s -- x 2>&1 | FileCheck %s --check-prefix=WRONG
(require-dialect memref nvgpu)
(defkernel tail [(: m memref<?xf32>) (: out memref<?xf32>) (: from index) (: count index)]
  (def part (shared f32 [4]))
  (def place (memref.reinterpret_cast {:result "memref<4xf32, strided<[1], offset: ?>>"} m [from] [4] [1]))
  ; WRONG: masked-copies.lisp:[[#@LINE-1]]:14: error[sim-bounds]: a view of elements 8 to 8 of the memory is outside its source, elements 0 to 7
  (def copied (nvgpu.device_async_copy {:dstElements 4} part [0] place [0] count))
  (def group (nvgpu.device_async_create_group copied))
  (nvgpu.device_async_wait group)
  (memref.store (memref.load part 0) out 0))
(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def m (device-alloc memref<?xf32> [8]))
  (def out (device-alloc memref<?xf32> [1]))
  (launch tail {:block [1]} m out 8 (cast index argc))
  ; CHECK: {{^0$}}
  (println "%g" (cast f64 (memref.load out 0))))
