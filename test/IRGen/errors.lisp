; Every message of IR generation about names, calls, types and blocks; many in one run.
; RUN: split-file %s %t
; RUN: not lispier --emit=module %t/names.lisp 2>&1 | FileCheck %s --check-prefix=NAMES
; RUN: not lispier --emit=module %t/blocks.lisp 2>&1 | FileCheck %s --check-prefix=BLOCKS
; RUN: not lispier --emit=module %t/ops.lisp 2>&1 | FileCheck %s --check-prefix=OPS
; RUN: not lispier --emit=module %t/linalg.lisp 2>&1 | FileCheck %s --check-prefix=LINALG

;--- names.lisp
(require-dialect func arith scf memref)
; Signatures come before bodies.
; NAMES: error[type-parse]: `int` is no type
; NAMES: hint: did you mean `i32`?
(defn g2 [(: x int)] -> i64 (func.return 1))
; NAMES: names.lisp:8:49: error[name-undefined]: `y` is not defined
; The function is silent about what follows from y.
(defn f [(: x i64)] -> i64 (def z (arith.addi x y)) (func.return z))
; NAMES: error[op-unknown]: `arith` has no op `addii`
; NAMES: hint: did you mean `arith.addi`
(defn g1 [(: x i64)] -> i64 (arith.addii x x))
; NAMES: names.lisp:13:30: error[parse-head]: unknown form `foo`
(defn g3 [(: x i64)] -> i64 (foo x))
; NAMES: error[call-arity]: `f` takes 1 argument, not 2
; NAMES: note: `f` is defined here: (i64) -> i64
(defn g4 [(: x i64)] -> i64 (f x x))
; NAMES: error[call-type]: argument 1 of `f` has type f32, not i64
; NAMES: hint: (cast i64 value) converts
(defn g5 [(: x f32)] -> i64 (f x))
; NAMES: error[call-unknown]: there is no function `ff`
; NAMES: hint: did you mean `f`
(defn g6 [] (func.call {:callee @ff}))
; NAMES: error[call-type]: `f` returns i64, not what `:result` says
(defn g7 [] (func.call {:callee @f :result f32} (: 1 i64)))
; NAMES: error[type-mismatch]: `g8` returns f32, and its last form has type i64
; NAMES: hint: (cast f32 value) converts
(defn g8 [(: x i64)] -> f32 x)
; NAMES: error[name-undefined]: `z` is not visible here
; NAMES: note: it is defined here, in another region or later
(defn g9 [(: c i1)] -> i64 (scf.if c (region (def z (: 1 i64)))) z)
; NAMES: error[name-no-value]: `func.return` produces no value
(defn g10 [] (def a (func.return)))
; NAMES: error[parse-def]: 2 names for 1 values: i64
(defn g11 [(: x i64)] (def [a b] (arith.addi x x)))
; NAMES: error[type-mismatch]: `+` takes operands of one type, and these have types i64 and i32
(defn g12 [(: x i64)] -> i64 (+ x (: 1 i32)))
; NAMES: error[type-literal-range]: `300` is out of the range of i8
(defn g13 [] -> i8 (: 300 i8))
; NAMES: error[type-literal-range]: `1` cannot be a literal of type memref<4xi8>
(defn g14 [] (: 1 memref<4xi8>) (func.return))
; NAMES: error[macro-arity]: the format has 2 directives, and there are 1 values
(defn g15 [(: x f32)] (print "%d %d\n" x))
; NAMES: error[type-mismatch]: `%d` cannot print
; NAMES: hint: write `%f`
(defn g16 [(: x f32)] (print "%d\n" x))
; NAMES: error[type-mismatch]: a condition is an i1, not i64
(defn g17 [(: x i64)] (if x (f x) x))

;--- blocks.lisp
(require-dialect func arith scf cf)
; BLOCKS: error[type-parse]: `Q` would hold itself
(defstruct Q [x Q])
; BLOCKS: error[succ-unknown]: no block of this region is called `^nexd`
; BLOCKS: hint: its labels are: ^next
(func.func {:sym_name "b1" :function_type (-> [i64] [i64])}
  (region (block [(: x i64)] (cf.br ^nexd x)) (block ^next [(: v i64)] (func.return v))))
; BLOCKS: error[parse-label]: two blocks are called `^a`
(func.func {:sym_name "b2" :function_type (-> [] [])}
  (region (block (cf.br ^a)) (block ^a (cf.br ^a)) (block ^a (func.return))))
; BLOCKS: blocks.lisp:13:39: error[term-missing]: this block of `func.func` does not end with a terminator
(func.func {:sym_name "b3" :function_type (-> [i64] [i64])}
  (region (block [(: x i64)] (def y x))))
; BLOCKS: error[term-missing]: nothing can follow the terminator of a block
; BLOCKS: note: the block ends with `func.return`
(defn b4 [(: x i64)] (func.return) (arith.addi x x))
; BLOCKS: error[parse-block-arg]: the block argument `v` needs a type
(func.func {:sym_name "b5" :function_type (-> [] [])}
  (region (block (cf.br ^b (: 1 i64))) (block ^b [v] (func.return))))
; BLOCKS: error[parse-head]: a number alone does nothing
(defn b6 [(: x index)] (scf.for 0 x 1 (region (block [i] 3))))
; BLOCKS: error[parse-head]: `arith.constant` stands in a function
(arith.constant {:value 1 :result i32})

;--- ops.lisp
(require-dialect func arith scf memref vector llvm)
; OPS: error[op-operands]: `arith.addi` takes 2 operands, not 1
(defn a1 [(: x i64)] -> i64 (arith.addi x))
; OPS: error[type-mismatch]: `arith.addi`: requires the same type for all operands and results
; OPS: hint: its operands are: i64, i32
(defn a2 [(: x i64) (: y i32)] -> i64 (arith.addi x y))
; OPS: error[type-literal-range]: `1.5` is no integer, and the type is i64
(defn a3 [(: x i64)] -> i64 (arith.addi x 1.5))
; OPS: error[attr-kind]: `:predicate` of `arith.cmpi` cannot be "foo"
; OPS: hint: its cases are: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge
(defn a4 [(: x i64)] -> i1 (arith.cmpi {:predicate "foo"} x x))
; OPS: error[attr-unknown]: `arith.cmpi` has no attribute `:predicat`
; OPS: hint: did you mean `predicate`?
(defn a5 [(: x i64)] -> i1 (arith.cmpi {:predicat 1} x x))
; OPS: error[attr-required]: `arith.cmpi` needs the attribute `:predicate`
(defn a6 [(: x i64)] -> i1 (arith.cmpi x x))
; OPS: error[op-results]: `arith.extsi` needs its result type
(defn a7 [(: x i32)] (arith.extsi x) (func.return))
; OPS: error[type-mismatch]: `memref.store`: {{.*}}matches element type
(defn a8 [(: x memref<4xf32>)] (memref.store x x 0))
; OPS: error[op-operands]: `memref.load`: incorrect number of indices for load, expected 2 but got 1
(defn a9 [(: m memref<4x4xf32>)] (memref.load m 0))
; OPS: error[op-operands]: `memref.alloc`: incorrect number of dynamic sizes, has 0, expected 1
(defn a10 [] (memref.alloc {:result memref<?xf32>}))
; OPS: error[op-segments]: `:operandSegmentSizes` of `scf.parallel` counts 7 operands; there are 3
; OPS: hint: the groups of its operands are: lowerBound, upperBound, step, initVals
(defn a11 [(: x index)] (scf.parallel {:operandSegmentSizes array<i32: 2, 2, 2, 1>} x x x (region (block [i]))))
; OPS: error[op-results]: `arith.addi` has 1 result, not 2
(defn a12 [(: x i64)] (arith.addi {:result [i64 i64]} x x) (func.return))
; OPS: error[op-regions]: `arith.addi` has 0 regions, not 1
(defn a13 [(: x i64)] (arith.addi x x (region)) (func.return))
; OPS: error[type-literal-range]: `20` needs a type: its neighbour has type !llvm.ptr
(defn a14 [(: p !llvm.ptr)] (llvm.store 20 p))

;--- linalg.lisp
(require-dialect func linalg)
; LINALG: error[linalg-maps]: indexing map 1 gives 1 indices for an operand of type memref<4x4xf32>
(defn l1 [(: m memref<4x4xf32>)]
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i) -> (i)> affine_map<(i,j) -> (j,i)>] :iterator_types ["parallel" "parallel"]}
    m m (region (block [v o] (linalg.yield v)))))
; LINALG: error[linalg-counts]: `linalg.add` has 2 operands; `:ins` and `:outs` make 3
(defn l2 [(: m memref<4x4xf32>)] (linalg.add {:ins 2 :outs 1} m m))
; LINALG: error[linalg-maps]: `linalg.generic` has 2 operands and 1 indexing maps
(defn l3 [(: m memref<4xf32>)]
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i) -> (i)>] :iterator_types ["parallel"]} m m (region (block [v o] (linalg.yield v)))))

;--- defence.lisp
; What MLIR's own code takes for granted is looked at first.
; RUN: not lispier --emit=module %t/defence.lisp 2>&1 | FileCheck %s --check-prefix=DEFENCE
(require-dialect func gpu linalg acc)
; DEFENCE: error[attr-required]: `gpu.func` needs the attribute `:function_type`
(defn d1 [(: x i64)] (gpu.func {:sym_name "k"} (region x)))
; DEFENCE: error[linalg-counts]: `linalg.conv_2d` takes 3 operands, not 1
(defn d2 [(: m memref<4x4xf32>)] (linalg.conv_2d m))
; DEFENCE: error[op-segments]: `acc.parallel` divides its operands into 11 groups, and it is not clear
(defn d3 [(: x i64)] (acc.parallel x (region)))
