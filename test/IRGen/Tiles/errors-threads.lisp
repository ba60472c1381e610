; What belongs to threads or to the host.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref gpu)
; CHECK: :[[#@LINE+2]]:60: error[kernel-place]: `gpu.thread_id` belongs to threads, and those of a tile program are the compiler's
; CHECK: hint: a tile program says what its block computes: (program-id 0), (iota index [n]), (sum tile :axis 0)
(deftile threads [(: m memref<?xf32>)] (memref.store 1.0 m (thread-id :x)))
; CHECK: :[[#@LINE+2]]:38: error[kernel-place]: `gpu.barrier` belongs to threads, and those of a tile program are the compiler's
; CHECK: hint: a tile program says what its block computes: (program-id 0), (iota index [n]), (sum tile :axis 0)
(deftile waits [(: m memref<?xf32>)] (barrier))
; CHECK: :[[#@LINE+2]]:37: error[kernel-place]: `gpu.subgroup_size` belongs to threads, and those of a tile program are the compiler's
; CHECK: hint: a tile program says what its block computes: (program-id 0), (iota index [n]), (sum tile :axis 0)
(defn lanes [(: v f32)] -> f32 (+ v (shuffle-xor v 1)))
(deftile calls [(: m memref<?xf32>)] (store (lanes 1.0) m [0]))
; CHECK: :[[#@LINE+2]]:47: error[kernel-place]: `gpu.subgroup_reduce` belongs to threads, and those of a tile program are the compiler's
; CHECK: hint: a tile program says what its block computes: (program-id 0), (iota index [n]), (sum tile :axis 0)
(deftile reduces [(: m memref<?xf32>)] (store (warp-reduce :add (: 1.0 f32)) m [0]))
; CHECK: :[[#@LINE+2]]:39: error[kernel-place]: `gpu.printf` belongs to the host, and this is a tile program
; CHECK: hint: store what a function is to print or to copy: (store value memref [index ...])
(deftile prints [(: m memref<?xf32>)] (println "%f" (load m [0])))
; CHECK: :[[#@LINE+2]]:42: error[kernel-place]: `gpu.alloc` belongs to the host, and this is a tile program
; CHECK: hint: store what a function is to print or to copy: (store value memref [index ...])
(deftile allocates [(: m memref<?xf32>)] (device-alloc memref<4xf32> []))
; CHECK: :[[#@LINE+2]]:17: error[kernel-place]: `gpu.launch_func` launches a kernel, and this is one
; CHECK: hint: launch from a function that only the host calls
(defn starts [] (launch prints {:grid [1]} (memref.alloc {:result memref<4xf32>})))
(deftile nests [(: m memref<?xf32>)] (starts))
