; What :tune lists, a launch may leave open. A program is generated for each combination that a `tuned` names, and
; :grid is computed with the constants of each.
; RUN: lispier show-ir %s | FileCheck %s
; RUN: lispier show-ir --tune-candidate=5 %s | FileCheck %s --check-prefix=CANDIDATE
; RUN: lispier run %s | FileCheck %s --check-prefix=RESULT
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s --check-prefix=RESULT
(require-dialect memref)
(deftile scaled {:const [n factor] :tune {:n [4 8 16] :warps [4 1]}} [(: m memref<?xf32>)]
  (def i (* n (program-id 0)))
  (store (* (cast f32 factor) (load m [i] [n])) m [i]))
; A value that is not named is the default: the first of its list, and the deftile's own warps.
(tuned scaled {:const {:n 8}})
(tuned scaled {:const {:n 16 :warps 1} :targets [sm_80 "rocm:gfx942"] :sizes [1024] :us 1.5})
; Of a version of the program with other types.
(tuned scaled {:const {:n 4 :warps 1} :types [f64]})

; CHECK-LABEL: func.func @main
; CHECK: %[[SIZE:.*]] = memref.dim
; CHECK: %[[CHOICE:.*]] = tile.choose "scaled"(%[[SIZE]])
; CHECK-SAME: among [{n = 4 : i64, warps = 4 : i64}, {n = 8 : i64, warps = 4 : i64}, {n = 16 : i64, warps = 1 : i64}]
; CHECK-SAME: rules [#tile.tuned<candidate = 1, targets = []>, #tile.tuned<candidate = 2, targets = ["sm_80", "rocm:gfx942"], sizes = [1024]>]
; CHECK: scf.index_switch %[[CHOICE]]
; CHECK: case 0 {
; CHECK: gpu.launch_func @kernels::@scaled_4_3
; CHECK: case 1 {
; CHECK: arith.constant 8 : index
; CHECK: gpu.launch_func @kernels::@scaled_8_3
; CHECK: case 2 {
; CHECK: gpu.launch_func @kernels::@scaled_16_3_w1
; CHECK: default {
; CHECK-NEXT: }
; CHECK: gpu.func @scaled_16_3_w1
; CHECK-SAME: #tile.program<warps = 1>

; Combination 5 of 6: the first name changes fastest.
; CANDIDATE: tile.choose "scaled"({{.*}}) among [{n = 16 : i64, warps = 1 : i64}] measured 6
(defn main []
  (def m (memref.alloc {:result memref<?xf32>} (: 21 index)))
  (for [i 0 21] (memref.store (cast f32 i) m i))
  (launch scaled {:grid [(/ (+ (memref.dim m 0) (- n 1)) n)] :const {:factor 3}} m)
  ; RESULT: 0 60
  (println "%g %g" (memref.load m 0) (memref.load m 20)))
