; Bits of integers and floats: one op for numbers, vectors and tensors; literals take the type of what they meet.
; RUN: lispier --emit=module %s | FileCheck %s
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUES
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUES

(require-dialect func)

; CHECK-LABEL: func.func @numbers(%arg0: i32, %arg1: index)
; CHECK: %[[THREE:.*]] = arith.constant 3 : i32
; CHECK: %[[AND:.*]] = arith.andi %arg0, %[[THREE]] : i32
; CHECK: arith.ori %[[AND]], %{{.*}} : i32
; CHECK: arith.xori %arg1, %arg1 : index
; A count that is known needs no comparison.
; CHECK-NOT: arith.cmpi
; CHECK: arith.shli %arg1, %{{.*}} : index
; CHECK: arith.shrsi %arg0, %{{.*}} : i32
(defn numbers [(: a i32) (: i index)]
  (bit-or (bit-and a 3) 8) (bit-xor i i) (shift-left i 4) (shift-right a 31) (func.return))

; CHECK-LABEL: func.func @shapes(
; CHECK: arith.xori %arg0, %{{.*}} : vector<4xi16>
; CHECK: linalg.generic
; CHECK: arith.andi %{{.*}} : i1
(defn shapes [(: v vector<4xi16>) (: t (tensor n i1))] (bit-xor v -1) (bit-and t t) (func.return))

; CHECK-LABEL: func.func @floats(
; CHECK: arith.bitcast %arg0 : vector<4xf16> to vector<4xi16>
; CHECK: linalg.generic
; CHECK: arith.bitcast %{{.*}} : f64 to i64
(defn floats [(: v vector<4xf16>) (: t (tensor n f64))] (bits v) (bits t) (func.return))

(defn main []
  (def x (iota i32 [6]))
  ; VALUES: [0 1 2 3 0 1]
  (println (bit-and x 3))
  ; VALUES: [24 25 26 27 28 29]
  (println (bit-or x 8 16))
  ; VALUES: [-1 -2 -3 -4 -5 -6]
  (println (bit-xor x -1))
  ; VALUES: [0 1073741824 -2147483648 -1073741824 0 1073741824]
  (println (shift-left x 30))
  ; To the right of a negative number come copies of the sign.
  ; VALUES: [-1 -1 -2 -2 -3 -3]
  (println (shift-right (bit-xor x -1) 1))
  ; Counts of all bits or more.
  ; VALUES: [1073741824 -2147483648 0 0 0 0]
  (println (shift-left (: 1 i32) (+ x 30)))
  ; VALUES: [-3 -1 -1 0 0 0]
  (println (shift-right (- x 3) (* 20 x)))
  ; VALUES: 6 1099511627776
  (println "%d %ld" (bit-xor (: 5 i32) 3) (shift-left 1 40))
  ; The bits of floats, and how many.
  ; VALUES: [0 1065353216 1073741824 1077936128 1082130432 1084227584]
  (println (bits (cast f32 (bits x))))
  ; VALUES: [0 16256 16384 16448 16512 16544]
  (println (bits (cast bf16 x)))
  ; VALUES: -4616189618054758400 16 8
  (println "%ld %ld %ld" (bits (: -1.0 f64)) (cast i64 (bit-width (cast bf16 x))) (cast i64 (bit-width (cast i8 x)))))
