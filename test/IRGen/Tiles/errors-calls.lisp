; Functions that a tile program calls.
; RUN: not lispier check %s 2>&1 | FileCheck %s --implicit-check-not='error['
(require-dialect memref)
(extern-fn host-only (-> [] []))
; What calls a function with an error is not wrong itself.
; CHECK: :[[#@LINE+1]]:35: error[name-undefined]: `x` is not defined
(defn wrong [(: s f32)] -> f32 (* x s))
(deftile calls-wrong [(: m memref<?xf32>)] (store (* (load m [0] [4]) (wrong 1.0)) m [0]))
; CHECK: :[[#@LINE+2]]:52: error[kernel-call]: `again` comes back to itself here, and a kernel calls it
; CHECK: hint: the threads of a GPU have no stack for recursion: write a loop
(defn again [(: t vector<4xf32>)] -> vector<4xf32> (again t))
(deftile recurs [(: m memref<?xf32>)] (store (again (load m [0] [4])) m [0]))
; CHECK: :[[#@LINE+2]]:38: error[kernel-call]: a kernel calls `host-only`, which runs on the host only
; CHECK: hint: a kernel may call functions that this program defines with defn
(deftile calls [(: m memref<?xf32>)] (host-only))
; CHECK: :[[#@LINE+2]]:40: error[kernel-place]: `gpu.block_id` combines or asks for threads, and here are none
; CHECK: hint: use it in a kernel, or in a function that only kernels call
(defn main [] (println "%ld" (cast i64 (program-id 0))))
