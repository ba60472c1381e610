; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect memref)
(extern-fn host-only (-> [] []))

(memref.global {:sym_name "counts" :type memref<4xi32> :initial_value "dense<0>"})
(defkernel count []
  ; CHECK-DAG: [[#@LINE+2]]:{{.*}}: error[kernel-place]: the global `counts` is the host's memory, and this is a kernel
  ; CHECK-DAG: hint: hand it to the kernel as an argument, or make it :constant
  (memref.get_global {:name "counts" :result memref<4xi32>}))

(defn lanes [(: v f32)] -> f32 (+ v (shuffle-xor v 1)))

; Two functions that call each other need a stack, whatever the target.
(defn even [(: n i32)] -> i1 (if (= n 0) (: 1 i1) (odd (- n 1))))
; CHECK-DAG: [[#@LINE+2]]:{{.*}}: error[kernel-call]: `even` comes back to itself here, and a kernel calls it
; CHECK-DAG: hint: the threads of a GPU have no stack for recursion: write a loop
(defn odd [(: n i32)] -> i1 (if (= n 0) (: 0 i1) (even (- n 1))))
(defkernel parity [(: n i32)] (even n))

(defkernel k [(: m memref<?xf32>) (: x f32)]
  ; CHECK-DAG: [[#@LINE+2]]:{{.*}}: error[kernel-call]: a kernel calls `host-only`, which runs on the host only
  ; CHECK-DAG: hint: a kernel may call functions that this program defines with defn
  (host-only)
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-place]: a kernel cannot launch another
  (launch k {:grid [1]} m x)
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-shape]: a size of shared memory is a number above 0: it is known before the kernel starts
  (def s (shared f32 [(block-dim :x)]))
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-shape]: `warp-reduce` cannot combine f32 by `:and`
  (def r (warp-reduce :and x))
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[type-mismatch]: `block-reduce` takes an integer or a float, not index
  (def b (block-reduce :add (thread-id :x)))
  (memref.store (lanes x) m 0))

(defn main [(: m memref<?xf32>) (: i memref<?xi32>)]
  ; CHECK-DAG: [[#@LINE+2]]:{{.*}}: error[kernel-unknown]: there is no kernel `kk`
  ; CHECK-DAG: hint: did you mean `k`?
  (launch kk {:grid [1]} m 1.0)
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[call-arity]: the kernel `k` takes 2 arguments, not 1
  (launch k {:grid [1]} m)
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[call-type]: argument 1 of the kernel `k` has type memref<?xi32>, not memref<?xf32>
  (launch k {:grid [1]} i 1.0)
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-shape]: `launch` does not know `:named`
  (launch {:named k :grid [1]} (memref.store 1.0 m 0))
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-shape]: `launch` does not know `:blocks`
  (launch k {:blocks [1]} m 1.0)
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-shape]: a launch has one to three sizes, x first, not 4
  (launch k {:grid [1 1 1 1]} m 1.0)
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-place]: shared memory belongs to a block of threads, and here is none
  (def s (shared f32 [4]))
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-place]: `gpu.subgroup_reduce` combines or asks for threads, and here are none
  (def r (warp-reduce :add (: 1.0 f32)))
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-place]: `lanes` combines or asks for threads, and here are none
  (def h (lanes 1.0))
  ; CHECK-DAG: [[#@LINE+1]]:{{.*}}: error[kernel-call]: a kernel calls `host-only`, which runs on the host only
  (launch {:grid [1]} (host-only)))
