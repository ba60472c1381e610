; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=cpu %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o - | FileCheck %s --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
; RUN: llvm-readelf --notes %t.hsaco | FileCheck %s --check-prefix=HSACO
(require-dialect memref)

; Kernels and bodies of launches call functions that take memrefs of unknown sizes, ask for threads and reduce; nothing
; is called in what a GPU runs, so no stack is needed either.
; PTX-NOT: call
; HSACO-COUNT-2: .uses_dynamic_stack: false
(defn put! [(: m memref<?xi32>) (: i index) (: v i32)]
  (when (< i (memref.dim m 0)) (memref.store v m i)))
(defn total [(: v i32)] -> i32 (block-reduce :add v))
(defn place [] -> index (+ (thread-id :x) (* (block-id :x) (block-dim :x))))

; A function that is not called is no error.
(defn unused [(: v i32)] -> i32 (warp-reduce :max v))

(defkernel sums [(: m memref<?xi32>)]
  (put! m (place) (total (memref.load m (place)))))

; CHECK: 2016 4160 7
(defn main []
  (def m (device-alloc memref<?xi32> [65]))
  (parallel [i 65] (memref.store (cast i32 i) m i))
  (launch {:grid [2] :block [64]} (put! m (place) (cast i32 (place))))
  (launch sums {:grid [1] :block [64]} m)
  (def first (memref.load m 63))
  (launch {:grid [1] :block [64]} (put! m (place) (total (+ 64 (cast i32 (/ (place) 63))))))
  (println "%d %d %d" first (+ 63 (memref.load m 0)) (- (memref.load m 64) 57)))
