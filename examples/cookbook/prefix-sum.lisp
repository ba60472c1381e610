; Prefix sums: by the form cumsum, and in two levels by hand, sums within blocks plus those of the blocks before.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn in-blocks [(: x (tensor n f32)) & {:size 128}]
  (def rows (reshape x [(/ n size) size]))
  (def inside (cumsum rows :axis 1))
  (def totals (sum rows :axis 1))
  (reshape (+ inside (reshape (- (cumsum totals :axis 0) totals) [(/ n size) 1])) [n]))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (println (cumsum (: [3 1 4 1 5] tensor<5xi32>) :axis 0))                     ; CHECK: [3 4 8 9 14]
  ; The sum of 0, 1, ... i is i (i + 1) / 2.
  (def i (iota f32 [1024]))
  (def triangle (/ (* i (+ i 1.0)) 2.0))
  (check/report (cstring "cumsum") (check/difference (cumsum i :axis 0) triangle) 0.0)   ; CHECK: cumsum: ok
  (check/report (cstring "blocks") (check/difference (in-blocks i) triangle) 0.0)        ; CHECK: blocks: ok
  (def large (to-memref (sin (iota f32 [1048576]))))
  (timed argc memref<?xf32> [(: 1048576 index)] (cumsum (load large) :axis 0)))
