; Conditions and choices: a scalar decides what is evaluated, vectors are combined element by element.
; RUN: lispier --emit=module %s | FileCheck %s

; CHECK-LABEL: func.func @scalars(%arg0: i1, %arg1: i1, %arg2: i1)
; CHECK: %[[BOTH:.*]] = scf.if %arg0 -> (i1) {
; CHECK-NEXT: %[[INNER:.*]] = scf.if %arg1 -> (i1) {
; CHECK-NEXT: scf.yield %arg2
; CHECK: scf.yield %[[INNER]]
; CHECK-NEXT: } else {
; CHECK-NEXT: %[[NO:.*]] = arith.constant false
; CHECK-NEXT: scf.yield %[[NO]]
; CHECK: scf.if %arg0 -> (i1) {
; CHECK-NEXT: %[[YES:.*]] = arith.constant true
; CHECK-NEXT: scf.yield %[[YES]]
; CHECK-NEXT: } else {
; CHECK-NEXT: scf.yield %arg1
; CHECK: arith.constant true
; CHECK: arith.constant false
; CHECK: %[[ALL:.*]] = arith.constant true
; CHECK: arith.xori %arg0, %[[ALL]] : i1
(defn scalars [(: a i1) (: b i1) (: c i1)] -> i1
  (and a b c)
  (or a b)
  (and)
  (or)
  (not a))

; A vector among the operands: nothing is skipped, and the ops of the branch are before it.
; CHECK-LABEL: func.func @vectors(%arg0: vector<4xi1>, %arg1: vector<2x1xi1>, %arg2: i1, %arg3: vector<4xf32>)
; CHECK-DAG: %[[A:.*]] = vector.broadcast %arg0 : vector<4xi1> to vector<2x4xi1>
; CHECK-DAG: %[[B:.*]] = vector.broadcast %arg1 : vector<2x1xi1> to vector<2x4xi1>
; CHECK: arith.andi %[[A]], %[[B]] : vector<2x4xi1>
; CHECK: %[[POSITIVE:.*]] = arith.cmpf ogt, %arg3
; CHECK-NOT: scf.if
; CHECK: %[[S:.*]] = vector.broadcast %arg2 : i1 to vector<4xi1>
; CHECK: arith.ori %[[S]], %[[POSITIVE]] : vector<4xi1>
; CHECK: %[[ONES:.*]] = arith.constant dense<true> : vector<4xi1>
; CHECK: arith.xori %arg0, %[[ONES]]
(defn vectors [(: a vector<4xi1>) (: b vector<2x1xi1>) (: s i1) (: v vector<4xf32>)]
  (and a b)
  (or s (> v 0.0))
  (not a))

; CHECK-LABEL: func.func @choose(%arg0: i1, %arg1: vector<4xi1>, %arg2: vector<3x1xf32>, %arg3: f32)
; CHECK: %[[ZERO:.*]] = arith.constant 0.0
; CHECK: arith.select %arg0, %arg3, %[[ZERO]] : f32
; CHECK: %[[LOW:.*]] = arith.constant dense<0xFF800000> : vector<3x1xf32>
; CHECK-DAG: %[[C:.*]] = vector.broadcast %arg1 : vector<4xi1> to vector<3x4xi1>
; CHECK-DAG: %[[T:.*]] = vector.broadcast %arg2 : vector<3x1xf32> to vector<3x4xf32>
; CHECK-DAG: %[[E:.*]] = arith.constant dense<0xFF800000> : vector<3x4xf32>
; CHECK: arith.select %[[C]], %[[T]], %[[E]] : vector<3x4xi1>, vector<3x4xf32>
(defn choose [(: c i1) (: m vector<4xi1>) (: v vector<3x1xf32>) (: x f32)]
  (where c x 0.0)
  (where m v -inf))
