; Ops that do not fit and once ended the compiler: found by tools/dev/fuzz-ops.
; RUN: not lispier check %s 2>&1 | FileCheck %s
(require-dialect arm_neon linalg scf)
; Its definition asks for the shape of a type that has none.
; CHECK: :[[#@LINE+1]]:63: error[op-operands]: `arm_neon.intr.ummla`: operand #0 must be a vector with length 4
(defn no-vectors [(: x i8)] (arm_neon.intr.ummla {:result i8} x x x))
; More results than operands: a loop of no dimensions, not of 2^32 / 3.
; CHECK: :[[#@LINE+1]]:20: error[op-operands]: `scf.parallel`: needs at least one tuple element for lowerBound
(defn no-bounds [] (scf.parallel {:result f32} (region (block [] (scf.reduce)))))
; No attribute of this op, whose maps are its own.
; CHECK: :[[#@LINE+1]]:37: error[linalg-maps]: `linalg.div_unsigned` has indexing maps of its own, and takes none
(defn divided [(: m memref<4xi32>)] (linalg.div_unsigned {:indexing_maps ["affine_map<(i) -> (i)>"]} m m m))
