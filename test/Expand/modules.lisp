; RUN: lispier --emit=core %s | FileCheck %s
; RUN: lispier show-expanded %s | FileCheck %s --check-prefix=ALONE

; show-expanded is about this file alone.
; ALONE-NOT: defn id

(require-dialect func)
; Each file once, what it requires first.
; CHECK:      (defn id [(: x i64)] -> i64 x)
; CHECK-NEXT: (extern-fn abs (-> [i32] [i32]))
; CHECK-NEXT: (defstruct Pair [x i64])
; CHECK-NEXT: (defn add [(: x i64) (: y i64)] -> i64 (arith.addi x (id y)))
; A file's own function wins over the special form of its name.
; CHECK-NEXT: (defn max [(: x i64) (: y i64)] -> i64 (func.call {:callee @max} x y))
(require ["./Inputs/lib/math.lisp" :as m] ["Inputs/lib/base.lisp" :as base])
; No code comes from here, and the aliases of a macro are those of its file.
; CHECK-NOT: not-taken
(require-macros "./Inputs/macros.lisp")
; CHECK-NEXT: (defn main [] -> i64
; ALONE: (m/add 1 2)
(defn main [] -> i64
  ; CHECK-NEXT: (add 1 2)
  (m/add 1 2)
  ; In this file `max` is the special form, so the call is spelt out.
  ; CHECK-NEXT: (func.call {:callee @max} 1 2)
  (m/max 1 2)
  ; CHECK-NEXT: (max 1 2)
  (max 1 2)
  ; CHECK-NEXT: (func.call {:callee @add :result i64} 1 2)
  (call i64 m/add 1 2)
  ; CHECK-NEXT: (func.call {:callee @add :result i64} 1 2)
  (func.call {:callee @m/add :result i64} 1 2)
  ; CHECK-NEXT: (Pair/x (new Pair))
  (m/Pair/x (new m/Pair))
  ; CHECK-NEXT: (let [v%{{[0-9]+}} 3] (arith.muli v%{{[0-9]+}} (id v%{{[0-9]+}})))
  (square 3))
