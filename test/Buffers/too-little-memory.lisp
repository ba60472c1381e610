; Too little memory for the tensors of a function: its name, the largest of them, and their places. These are more than
; addresses reach.
; RUN: not lispier run %s 2>&1 | FileCheck %s -DTARGET=cpu
; RUN: not lispier run --target=sim %s 2>&1 | FileCheck %s -DTARGET=sim
; On a GPU the message is for the device's memory.
; RUN: lispier --emit=target --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=DEVICE
; DEVICE-DAG: "for {{[89]|1[23]}} tensors of `main`\0A{{.*}}note: f32 [(words + 20000000) 20000000], 80000000 words + 1600000000000256 bytes\0A
; DEVICE-LABEL: llvm.func @main(
; DEVICE: llvm.call @lispier_rt_plan_allocation
; DEVICE-NEXT: llvm.call @lispier_rt_device_alloc
; CHECK: :[[#@LINE+7]]:1: error[[[TARGET]]-allocation]: out of memory: {{[0-9]+}} bytes asked for, for {{[789]|1[23]}} tensors of `main`
(defn spread [(: n index) (: x (tensor a f32))] -> (tensor f32)
  ; CHECK: :[[#@LINE+1]]:18: note: f32 [(words + 20000000) 20000000], 80000000 words + 1600000000000256 bytes
  (def y (cumsum (+ (stack x :axis 1) (zeros f32 [n])) :axis 1))
  (def z (cumsum (sin y) :axis 0))
  ; CHECK: {{^}}note: these are the largest; --explain=memory prints all
  (sum (cumsum (matmul (transpose z) z) :axis 0)))
(defn main [(: words i32) (: word !llvm.ptr)] (println (spread 20000000 (zeros f32 [(+ 20000000 (cast index words))]))))
