; Which kernels nn.argsort has on GPUs: of short rows one, for few places of long rows those that select, else a pass for
; each eight bits. The code of each chip is made.
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o %t.ptx
; RUN: FileCheck %s < %t.ptx
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o %t.ptx
; RUN: FileCheck %s < %t.ptx
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco
; RUN: llvm-readelf --symbols %t.hsaco | FileCheck %s
; RUN: lispier --emit=hsaco --target=rocm:gfx1100 %s -o %t.hsaco
; RUN: llvm-readelf --symbols %t.hsaco | FileCheck %s
; CHECK-DAG: sort_512_f32
; CHECK-DAG: sort_2048_bf16
; CHECK-DAG: first_count_f16
; CHECK-DAG: first_collect_f16
; CHECK-DAG: first_order
; CHECK-DAG: sort_keys_i32
; CHECK-DAG: sort_count
; CHECK-DAG: sort_sum
; CHECK-DAG: sort_store
; CHECK-DAG: sort_store_last
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=NONE
; NONE-NOT: sort_2048_f32
; NONE-NOT: first_{{.*}}bf16
; NONE-NOT: first_{{.*}}i32
; NONE-NOT: sort_keys_f16
(defn main []
  (println (sum (argsort (zeros f32 [3 300]))))
  (println (sum (argsort (zeros bf16 [3 2048]))))
  (def [values places] (topk (zeros f16 [3 2049]) 20))
  (println (sum places))
  (println (sum (sort (zeros i32 [3 2049])))))
