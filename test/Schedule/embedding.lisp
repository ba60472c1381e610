; Rows of two tables, of which one is counted from a position in memory, are one kernel that reads the position itself.
; RUN: lispier --emit=tensor --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=PTX
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE

; Tables that are parts of a larger one, either first. The position is an operand of the only kernel.
; CHECK-LABEL: func.func @embedded(
; CHECK-NOT: memref.load
; CHECK: group.kernel "embedded_0"
; CHECK-NOT: group.kernel
; CHECK: return
(defn embedded [(: tables (tensor 2 v c bf16)) (: wpe (tensor p c bf16)) (: tokens (tensor t i32)) (: position (tensor 1 i32))]
  (def places (+ position (iota i32 [t])))
  (+ (cast f32 (embedding wpe places)) (cast f32 (embedding (at tables 1) tokens))))

; Both rows are read 16 bytes at a time, after the kernels before it, whose results choose them.
; PTX-LABEL: .entry embedded_0(
; PTX: griddepcontrol.launch_dependents
; PTX: griddepcontrol.wait
; PTX: ld.global.v4.{{b|u}}32
; PTX: ld.global.v4.{{b|u}}32
; PTX: st.global.v4
; PTX: ret;

; Rows of a table of three dimensions; a sum over rows that a loop reads.
(defn of-three [(: table (tensor 2 v c f32)) (: numbers (tensor t i32))] (gather table numbers :axis 1))
(defn total [(: table (tensor v c f32)) (: numbers (tensor t i32))] (sum (gather table numbers) :axis 1))

(defn at-39 [x] (reshape (slice x :axis 2 :from 39 :to 40) [(dim x 0) (dim x 1)]))

(defn main []
  (def wpe (iota bf16 [6 40] :axis 0))
  (def tables (+ (iota bf16 [2 8 40] :axis 1) (* 64.0 (iota bf16 [2 1 1] :axis 0))))
  (def sums (embedded tables wpe (: [0 7 1] tensor<3xi32>) (: [2] tensor<1xi32>)))
  ; VALUE: f32 [3 2]
  ; VALUE-NEXT: [66 66]
  ; VALUE-NEXT: [74 74]
  ; VALUE-NEXT: [69 69]
  (println (slice sums [0 38] [3 2]))
  ; VALUE: f32 [2 2]
  ; VALUE-NEXT: [7039 2039]
  ; VALUE-NEXT: [17039 12039]
  (println (at-39 (of-three (+ (* 1000.0 (iota f32 [2 10 40] :axis 1)) (iota f32 [2 10 40] :axis 2)
                               (* 10000.0 (iota f32 [2 1 1] :axis 0)))
                            (: [7 2] tensor<2xi32>))))
  ; VALUE: f32 [2]
  ; VALUE-NEXT: [280 80]
  (println (total (iota f32 [9 40] :axis 0) (: [7 2] tensor<2xi32>))))
