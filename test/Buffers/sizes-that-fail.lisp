; A remainder in a branch is computed where the program does, also if it is a size of what the memory plan places, or
; what a loop without iterations does not change.
; RUN: lispier run %s | FileCheck %s
; RUN: not lispier run %s 1 2>&1 | FileCheck %s --check-prefix=ZERO
(require-dialect memref)
(defn part [(: n index) (: k index) (: divide i1)] -> f32
  (if divide
    ; ZERO: :[[#@LINE+1]]:36: error[cpu-division]: integer division by zero
    (at (sum (* (full f32 [70 (+ 5 (% n k))] 2.0) (cumsum (full f32 [70 (+ 5 (% n k))] 2.0) :axis 0))))
    3.0))
(defn repeated [(: times index) (: a i32) (: b i32)] -> i32
  (def sum (memref.alloc {:result memref<1xi32>}))
  (memref.store (: 4 i32) sum 0)
  (for [i 0 times] (memref.store (+ (memref.load sum 0) (% a b)) sum 0))
  (memref.load sum 0))
(defn main [(: words i32) (: word !llvm.ptr)]
  ; CHECK: 4
  ; CHECK: 3
  (println "%d" (repeated (cast index words) 7 words))
  (println "%g" (cast f64 (part 7 0 (= words 1)))))
