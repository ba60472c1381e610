; A scan of few, long rows is three kernels on a GPU: what each part combines to, a scan of these, and a scan of the parts.
; RUN: lispier run --cache=false %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim %s | FileCheck %s
; RUN: lispier run --cache=false --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s | FileCheck %s --check-prefix=PARTS
; RUN: lispier --emit=tensor %s | FileCheck %s --check-prefix=CPU
; What is before the scan and after it is in these kernels.
; PARTS-LABEL: func.func @sums
; PARTS: group.kernel "sums_0" kind(row)
; PARTS: iterator_types = ["parallel", "reduction"]
; PARTS: group.kernel "sums_1" kind(scan)
; PARTS: group.scan <add> %{{.*}} along 0 from %{{.*}} exclusive
; PARTS: group.kernel "sums_2" kind(scan)
; PARTS: group.scan <add> %{{.*}} along 1
; PARTS: arith.mulf
; PARTS-NOT: group.kernel
; PARTS-LABEL: func.func @whole
; PARTS: group.kernel "whole_0" kind(scan)
; PARTS-NOT: group.kernel
; PARTS: return
; CPU: group.kernel "sums_0" kind(scan)
; CPU-NOT: group.kernel "sums_1"
(defn sums [(: x (tensor 65536 f32))] (* 0.5 (cumsum (+ x 1.0))))
(defn whole [(: x (tensor 65537 f32))] (cummax x)) ; No number of parts divides a prime number.

(defn main []
  (def k (% (* 7919 (iota i32 [65536])) 5))
  (def x (- (cast f32 k) 2.0))
  (def places (: [0 1 127 128 129 40000 65534 65535] (tensor 8 i32)))
  ; CHECK: f32 [8]
  ; CHECK-NEXT: [-0.5 1 64.5 65 65 19999.5 32767.5 32767]
  (println (gather (sums x) places))
  ; CHECK-NEXT: f32 [8]
  ; CHECK-NEXT: [0 -2 -3 -3 -2 0 -2 0]
  (println (gather (cumsum x :exclusive true :reverse true) places))
  ; CHECK-NEXT: i64 [8]
  ; CHECK-NEXT: [0 4 257 259 260 80000 131070 131070]
  (println (gather (cumsum k) places))
  ; Of each column, and from a start.
  (def steps (cast f32 (iota i32 [65536])))
  (def rising (where (= k 3) steps (- steps 1e5)))
  ; CHECK-NEXT: f32 [8]
  ; CHECK-NEXT: [-100000 -99999 127 127 127 39997 65532 65532]
  (println (gather (at (transpose (cummax (stack rising x :axis 1) :axis 0)) 0) places))
  ; CHECK-NEXT: f32 [8]
  ; CHECK-NEXT: [98 100 101 101 100 98 100 98]
  (println (gather (scan + x :init 100.0) places)))
