; Ops that are not what their dialects define.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
(require-dialect arith scf memref func cf)

; CHECK: :[[#@LINE+3]]:25: error[op-unknown]: `arith` has no op `adi`
; CHECK: {{^ {26}\^~~~~~~~~$}}
; CHECK: hint: did you mean `arith.addi`, `arith.andi` or `arith.addf`?
(defn near [(: x i32)] (arith.adi x x))
; CHECK: :[[#@LINE+3]]:48: error[attr-kind]: `:predicate` of `arith.cmpi` cannot be "lt"
; CHECK: {{^ {49}\^~~~$}}
; CHECK: hint: did you mean {{.*}}? its cases are: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge
(defn kind [(: x i32)] (arith.cmpi {:predicate "lt"} x x))
; CHECK: :[[#@LINE+3]]:36: error[attr-unknown]: `arith.cmpi` has no attribute `:predicat`
; CHECK: {{^ {37}\^~~~~~~~~$}}
; CHECK: hint: did you mean `predicate`? its attributes are: predicate
(defn key [(: x i32)] (arith.cmpi {:predicat "slt"} x x))
; CHECK: :[[#@LINE+3]]:27: error[attr-required]: `arith.cmpi` needs the attribute `:predicate`
; CHECK: {{^ {28}\^~~~~~~~~~~~~~~~$}}
; CHECK: hint: write (arith.cmpi {:predicate value} ...)
(defn missing [(: x i32)] (arith.cmpi x x))
; CHECK: :[[#@LINE+2]]:44: error[op-operands]: `arith.addi` takes 2 operands, not 3
; CHECK: {{^ {45}\^$}}
(defn too-many [(: x i32)] (arith.addi x x x))
; CHECK: :[[#@LINE+2]]:27: error[op-operands]: `arith.addi` takes 2 operands, not 1
; CHECK: {{^ {28}\^~~~~~~~~~~~~~$}}
(defn too-few [(: x i32)] (arith.addi x))
; CHECK: :[[#@LINE+3]]:35: error[type-mismatch]: `arith.addi`: requires the same type for all operands and results
; CHECK: {{^ {36}\^~~~~~~~~~~~~~~~$}}
; CHECK: hint: its operands are: i32, i64
(defn mixed [(: x i32) (: y i64)] (arith.addi x y))
; CHECK: :[[#@LINE+3]]:44: error[parse-head]: the attribute map comes first
; CHECK: {{^ {45}\^~~~~~$}}
; CHECK: hint: write (arith.addi {:key value} operand ...)
(defn map-second [(: x i32)] (arith.addi x {:a 1} x))
; CHECK: :[[#@LINE+3]]:53: error[op-segments]: `scf.parallel` has 4 groups of operands, not 3
; CHECK: {{^ {54}\^~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: the groups of its operands are: lowerBound, upperBound, step, initVals
(defn groups [] (scf.parallel {:operandSegmentSizes array<i32: 1, 1, 1>} 0 1 1 (region (block [i]))))
; CHECK: :[[#@LINE+2]]:16: error[op-segments]: `:operandSegmentSizes` of `scf.parallel` counts 4 operands; there are 3
; CHECK: hint: the groups of its operands are: lowerBound, upperBound, step, initVals
(defn total [] (scf.parallel {:operandSegmentSizes array<i32: 1, 1, 2, 0>} 0 1 1 (region (block [i]))))
; CHECK: :[[#@LINE+2]]:59: error[op-results]: `memref.load` has 1 result, not 2
; CHECK: {{^ {60}\^~~~~~~~$}}
(defn results [(: m memref<4xf32>)] (memref.load {:result [f32 i1]} m 0))
; CHECK: :[[#@LINE+3]]:36: error[type-mismatch]: `memref.load`: failed to verify that result type matches element type of 'memref'
; CHECK: {{^ {37}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: its operands are: memref<4xf32>, index
(defn result [(: m memref<4xf32>)] (memref.load {:result i64} m 0))
; CHECK: :[[#@LINE+3]]:41: error[op-results]: `arith.truncf` needs its result type
; CHECK: {{^ {42}\^~~~~~~~~~~~~~~~$}}
; CHECK: hint: write (arith.truncf {:result type} ...)
(defn no-result-type [(: x f32)] (def y (arith.truncf x)))
; CHECK: :[[#@LINE+2]]:54: error[op-regions]: `scf.if` has 2 regions, not 3
; CHECK: {{^ {55}\^~~~~~~~$}}
(defn regions [(: c i1)] (scf.if c (region) (region) (region)))
; CHECK: :[[#@LINE+2]]:26: error[op-regions]: `scf.if`: must have an else block if defining values
; CHECK: {{^ {27}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
(defn no-else [(: c i1)] (scf.if {:result i64} c (region (scf.yield (: 1 i64)))))

; CHECK: :[[#@LINE+2]]:50: error[type-mismatch]: this argument of `scf.for` has type index, not i32
; CHECK: {{^ {51}\^~~~~~~~~$}}
(defn argument [] (scf.for 0 1 1 (region (block [(: i i32)]))))
; CHECK: :[[#@LINE+3]]:52: error[parse-block-arg]: the block argument `v` needs a type
; CHECK: {{^ {53}\^$}}
; CHECK: hint: write (: v type)
(defn untyped [(: c i1)] (scf.if c (region (block [v]))))
