; Forms whose operands' types do not go together.
; RUN: not lispier check %s 2>&1 | FileCheck %s --strict-whitespace
(require-dialect arith memref)
(defmacro made [x] (list (symbol "nodialect.op") x))

; CHECK: :[[#@LINE+3]]:31: error[type-mismatch]: `+` takes operands of one type, and these have types i64 and i32
; CHECK: {{^ {32}\^~~~~~~~~$}}
; CHECK: hint: (cast i64 value) converts
(defn widths [(: x i64)] (+ x (: 1 i32)))
; CHECK: :[[#@LINE+3]]:33: error[type-literal-range]: `1.5` is no integer, and the type is i64
; CHECK: {{^ {34}\^~~$}}
; CHECK: hint: write an integer, or a float type such as f32
(defn fraction [(: x i64)] (+ x 1.5))
; CHECK: :[[#@LINE+3]]:32: error[type-mismatch]: `<` takes operands of one type, and these have types i64 and !llvm.ptr
; CHECK: {{^ {33}\^~~~~~~~~~$}}
; CHECK: hint: (cast i64 value) converts
(defn pointer [(: x i64)] (< x (null-ptr)))
; CHECK: :[[#@LINE+3]]:26: error[type-literal-range]: `1.5` is no integer, and the type is index
; CHECK: {{^ {27}\^~~$}}
; CHECK: hint: write an integer, or a float type such as f32
(defn bound [] (for [i 0 1.5] (println)))
; CHECK: :[[#@LINE+3]]:43: error[type-literal-range]: the step of a loop is positive, not 0
; CHECK: {{^ {44}\^$}}
; CHECK: hint: without a step it is 1
(defn stays [] (fold [s (: 0 i64)] [i 0 9 0] s))
; CHECK: :[[#@LINE+3]]:28: error[type-literal-range]: the step of a loop is positive, not -1
; CHECK: {{^ {29}\^~~~~~~~~~$}}
; CHECK: hint: count up, and compute the falling number in the body
(defn falls [] (for [i 9 0 (: -1 i64)] (println)))
; CHECK: :[[#@LINE+2]]:43: error[type-mismatch]: the next value of `fold` is i32, and it carries i64
; CHECK: {{^ {44}\^~~~~~~~~$}}
(defn next [] (fold [a (: 1 i64)] [i 0 3] (: 1 i32)))
; CHECK: :[[#@LINE+3]]:38: error[op-operands]: `llvm.load`: operand #0 must be LLVM pointer type, but got 'i64'
; CHECK: {{^ {39}\^$}}
; CHECK: hint: its operands are: i64
(defn load [(: x i64)] (ptr-load i64 x))
; CHECK: :[[#@LINE+3]]:33: error[type-mismatch]: `device-alloc` makes a ranked memref, not i64
; CHECK: {{^ {34}\^~~$}}
; CHECK: hint: write (device-alloc memref<?x4xf32> [n 4])
(defn allocate [] (device-alloc i64 []))
; CHECK: :[[#@LINE+3]]:49: error[type-mismatch]: `ptr->memref` makes a ranked memref, not f32
; CHECK: {{^ {50}\^~~$}}
; CHECK: hint: write (ptr->memref memref<?x4xf32> pointer [n 4])
(defn descriptor [(: p !llvm.ptr)] (ptr->memref f32 p [3]))
; CHECK: :[[#@LINE+2]]:30: error[type-mismatch]: cannot cast i64 to memref<2xf32>
; CHECK: {{^ {31}\^~~~~~~~~~~~~~~~~~~~~~$}}
(defn conversion [(: x i64)] (cast memref<2xf32> x))
; CHECK: :[[#@LINE+3]]:28: error[type-mismatch]: cannot cast f32 to ui8
; CHECK: {{^ {29}\^~~~~~~~~~~~$}}
; CHECK: hint: integers that are computed with have no sign of their own: i8; arith.fptoui and arith.extui take them as unsigned
(defn unsigned [(: x f32)] (cast ui8 x))
; CHECK: :[[#@LINE+3]]:40: error[op-operands]: `memref.load`: incorrect number of indices for load, expected 1 but got 2
; CHECK: {{^ {41}\^~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: its operands are: memref<4xf32>, index, index
(defn subscripts [(: m memref<4xf32>)] (memref.load m 0 0))
; CHECK: :[[#@LINE+2]]:62: error[op-operands]: `memref.dim`: there is no dimension 5 of memref<?xf32>, which has rank 1
; CHECK: hint: its only dimension is 0
(defn dimension [(: m memref<?xf32>)] -> index (memref.dim m 5))
; CHECK: :[[#@LINE+2]]:66: error[op-operands]: `memref.dim`: there is no dimension -1 of memref<4x?xf32>, which has rank 2
; CHECK: hint: its dimensions are 0 to 1
(defkernel dimension-there [(: m memref<4x?xf32>)] (memref.dim m -1))
; CHECK: :[[#@LINE+2]]:16: error[op-operands]: `memref.alloc`: incorrect number of dynamic sizes, has 0, expected 1
; CHECK: {{^ {17}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
(defn sizes [] (memref.alloc {:result memref<?xf32>}))
; CHECK: :[[#@LINE+3]]:37: error[type-mismatch]: `memref.subview`: slice along dimension 0 runs out-of-bounds: 4 >= 4
; CHECK: {{^ {38}\^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: its operands are: memref<4xf32>
(defn outside [(: m memref<4xf32>)] (memref.subview m [0] [5] [1]))
; CHECK: :[[#@LINE+3]]:38: error[op-segments]: `memref.subview` cannot divide 2 operands into its 4 groups
; CHECK: {{^ {39}\^~~~~~~~~~~~~~~~~~~~~~$}}
; CHECK: hint: put each group in a vector: (memref.subview [a b] [c] [] ...); the groups are: source, offsets, sizes, strides
(defn division [(: m memref<4xf32>)] (memref.subview m [0]))
; CHECK: :[[#@LINE+2]]:27: error[op-unregistered]: unknown dialect `nodialect`
; CHECK: {{^ {28}\^~~~~~~~$}}
(defn unknown [(: x i64)] (made x))
