; Blocks, their arguments and terminators, and the labels that lead to them.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
(require-dialect func cf arith)

; CHECK: :[[#@LINE+3]]:95: error[term-missing]: this block of `func.func` does not end with a terminator
; CHECK: {{^ {96}\^$}}
; CHECK: hint: end it with (func.return value ...)
(func.func {:sym_name "open" :function_type (-> [] [i64])} (region (block [] (def x (: 1 i64)))))
; CHECK: :[[#@LINE+4]]:90: error[term-missing]: nothing can follow the terminator of a block
; CHECK: {{^ {91}\^~~~~~~~~~~~~~~~~$}}
; CHECK: :[[#@LINE+2]]:76: note: the block ends with `func.return`
; CHECK: hint: move it before the terminator, or into a block with a label
(func.func {:sym_name "after" :function_type (-> [] [])} (region (block [] (func.return) (def y (: 1 i64)))))
; CHECK: :[[#@LINE+4]]:20: error[succ-unknown]: no block of this region is called `^nxt`
; CHECK: {{^ {21}\^~~~$}}
; CHECK: hint: its labels are: ^next
(func.func {:sym_name "label" :function_type (-> [] [])} (region
  (block [] (cf.br ^nxt))
  (block ^next [] (func.return))))
; CHECK: :[[#@LINE+6]]:10: error[parse-label]: two blocks are called `^next`
; CHECK: {{^ {11}\^~~~~$}}
; CHECK: :[[#@LINE+3]]:10: note: the first is here
(func.func {:sym_name "twice" :function_type (-> [] [])} (region
  (block [] (cf.br ^next))
  (block ^next [] (func.return))
  (block ^next [] (func.return))))
; CHECK: :[[#@LINE+4]]:13: error[succ-args]: `cf.br`: type mismatch for bb argument #0 of successor #0
; CHECK: {{^ {14}\^~~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: its operands are: i64
(func.func {:sym_name "type" :function_type (-> [] [])} (region
  (block [] (cf.br ^next (: 1 i64)))
  (block ^next [(: x i32)] (func.return))))
; CHECK: :[[#@LINE+4]]:14: error[succ-args]: `cf.cond_br`: branch has 1 operands for successor #1, but target block has 0
; CHECK: {{^ {15}\^~~~~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: its operands are: i1, i64
(func.func {:sym_name "number" :function_type (-> [i1] [])} (region
  (block [c] (cf.cond_br c ^yes ^no 2))
  (block ^yes [] (func.return))
  (block ^no [] (func.return))))
; CHECK: :[[#@LINE+3]]:11: error[type-mismatch]: this argument of `func.func` has type i64, not i32
; CHECK: {{^ {12}\^~~~~~~~~$}}
(func.func {:sym_name "signature" :function_type (-> [i64] [])} (region
  (block [(: x i32)] (func.return))))
; CHECK: :[[#@LINE+4]]:10: error[parse-block-arg]: the first block of this `func.func` has 1 argument, not 0
; CHECK: {{^ {11}\^~$}}
; CHECK: hint: they are: i64
(func.func {:sym_name "arity" :function_type (-> [i64] [])} (region
  (block [] (func.return))))
; CHECK: :[[#@LINE+3]]:17: error[term-missing]: the body of `replayable` goes on to its end, and cannot leave by `ub.unreachable`
; CHECK: hint: move it behind the (replayable ...)
(require-dialect ub)
(defn leaves [] (replayable (ub.unreachable)))
