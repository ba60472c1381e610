; Tensors that decide, and tensors that know other sizes from one iteration, or one branch, to the next.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: not lispier run %s long 2>&1 | FileCheck %s --check-prefix=LONG

(defn fewer [(: x (tensor t f32)) (: n index)] -> (tensor _ f32)
  (fold [y x] [i 0 n] (zeros f32 [4])))

; The first value says the size; of the next one it is compared in the run.
(defn as-many [(: n index)] -> (tensor 4 f32)
  ; LONG: :[[#@LINE+1]]:37: error[tensor-size]: the next value of `fold` has 5 as size of dimension 0, not 4
  (fold [y (zeros f32 [4])] [i 0 n] (+ 0.5 (iota f32 [(+ n 2)]))))

(defn doubled [(: x (tensor t f32))] -> (tensor _ f32)
  (loop [y x] :while (< (sum y) 10.0) :do (+ y (iota f32 [4]))))

(defn either [(: x (tensor t f32)) (: which i1)] -> (tensor _ f32)
  (if which x (zeros f32 [2])))

(defn main [(: count i32) (: words !llvm.ptr)]
  ; CHECK: f32 [3]
  (println (fewer (iota f32 [3]) 0))
  ; CHECK: f32 [4]
  ; CHECK-NEXT: [0 0 0 0]
  (println (fewer (iota f32 [3]) 2))
  ; CHECK: [0.5 1.5 2.5 3.5]
  (println (as-many (+ 2 (cast index count))))
  ; CHECK: [0 2 4 6]
  (println (doubled (zeros f32 [4])))
  ; CHECK: f32 [3]
  ; CHECK: f32 [2]
  (println (either (iota f32 [3]) true))
  (println (either (iota f32 [3]) false))
  ; CHECK: small
  (if (< (sum (iota f32 [3])) 4.0) (println "small") (println "large"))
  ; CHECK: some
  (when (any (< (iota f32 [3]) 1.0) :axis 0 :keep true) (println "some")))
