; The worked translations of the language reference.
; RUN: lispier --emit=module %s | FileCheck %s
; RUN: lispier --emit=module %s | mlir-opt --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
(require-dialect func arith scf memref gpu linalg llvm)

; CHECK-LABEL: func.func @absdiff(%arg0: i64, %arg1: i64) -> i64 attributes {llvm.emit_c_interface}
; CHECK: %[[C:.*]] = arith.cmpi sgt, %arg0, %arg1 : i64
; CHECK: %[[R:.*]] = scf.if %[[C]] -> (i64) {
; CHECK:   arith.subi %arg0, %arg1
; CHECK: } else {
; CHECK:   arith.subi %arg1, %arg0
; CHECK: return %[[R]] : i64
(defn absdiff [(: a i64) (: b i64)] -> i64
  (func.return (if {:result i64} (>i a b) (-i a b) (-i b a))))

; The inner scf.if is yielded by the outer one.
; CHECK-LABEL: func.func @sign
; CHECK: scf.if {{.*}} -> (i32) {
; CHECK: } else {
; CHECK:   %[[Q:.*]] = scf.if {{.*}} -> (i32) {
; CHECK:   scf.yield %[[Q]] : i32
(defn sign [(: x i64)] -> i32
  (cond {:result i32} (<i x (: 0 i64)) (: -1 i32)  (>i x (: 0 i64)) (: 1 i32)  :else (: 0 i32)))

; CHECK-LABEL: func.func @when
; CHECK: scf.if %arg0 {
; CHECK-NEXT: memref.store %arg1, %arg2[%arg3] : memref<8xf32>
; CHECK-NEXT: }
(defn when_ [(: c i1) (: v f32) (: m memref<8xf32>) (: i index)]
  (when c (memref.store v m i)))

; CHECK-LABEL: func.func @sum
; CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
; CHECK: scf.for %[[I:.*]] = %arg1 to %arg2 step %arg3 iter_args(%[[A:.*]] = %[[Z]]) -> (f32) {
; CHECK:   %[[X:.*]] = memref.load %arg0[%[[I]]]
; CHECK:   %[[N:.*]] = arith.addf %[[A]], %[[X]] : f32
; CHECK:   scf.yield %[[N]] : f32
(defn sum [(: m memref<8xf32>) (: c0 index) (: c8 index) (: c1 index)] -> f32
  (def s (scf.for {:result f32} c0 c8 c1 (: 0.0 f32)
    (region (block [(: i index) (: acc f32)]
      (scf.yield (+f acc (memref.load m i)))))))
  s)

; CHECK-LABEL: func.func @double
; CHECK: %[[R:.*]] = scf.while (%[[V:.*]] = %{{.*}}) : (i64) -> i64 {
; CHECK:   %[[C:.*]] = arith.cmpi slt, %[[V]], %arg0
; CHECK:   scf.condition(%[[C]]) %[[V]] : i64
; CHECK: } do {
; CHECK:   arith.addi
; CHECK:   scf.yield
(defn double [(: lim i64)] -> i64
  (loop {:result i64} [v (: 1 i64)] :while (<i v lim) :do (+i v v)))

; CHECK-LABEL: func.func private @shuffle
; CHECK: %[[N:.*]], %[[OK:.*]] = gpu.shuffle {{ ?}}xor %arg0, %arg1, %arg2 : f32
; CHECK: gpu.shuffle {{ ?}}xor
; CHECK: return %[[N]], %[[OK]]
(defn shuffle [(: v f32) (: one i32) (: w32 i32)] -> [f32 i1]
  (def [n ok] (gpu.shuffle {:mode "#gpu<shuffle_mode xor>"} v one w32))
  (def first (gpu.shuffle {:mode "xor"} v 1 32))
  (func.return n ok))

; What the segment attributes mean, written out and left out.
; GENERIC-COUNT-2: "scf.parallel"({{.*}}) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}>
(defn parallel2 [(: l index) (: u index) (: s index)]
  (scf.parallel {:operandSegmentSizes "array<i32: 2, 2, 2, 0>"} [l l] [u u] [s s]
    (region (block [(: i index) (: j index)] (scf.reduce))))
  (scf.parallel [l l] [u u] [s s] (region (block [i j]))))

; GENERIC-COUNT-2: "gpu.launch"({{.*}}) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}>
(defn launch [(: n index)]
  (gpu.launch {:operandSegmentSizes array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>} n n n n n n
    (region (block [(: bx index) (: by index) (: bz index) (: tx index) (: ty index) (: tz index)
                    (: gx index) (: gy index) (: gz index) (: dx index) (: dy index) (: dz index)] (gpu.terminator))))
  (gpu.launch n 1 1 32 1 1 (region (block [bx by bz tx ty tz gx gy gz dx dy dz]))))

; GENERIC-COUNT-2: "memref.subview"({{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0, 0>, static_sizes = array<i64: 1, 768, 2304>, static_strides = array<i64: 1, 1, 1>}>
(defn subview [(: m memref<12x768x2304xf32>) (: layer index)]
  (memref.subview {:operandSegmentSizes array<i32: 1, 1, 0, 0> :static_offsets "array<i64: -9223372036854775808, 0, 0>"
                   :static_sizes "array<i64: 1, 768, 2304>" :static_strides "array<i64: 1, 1, 1>"
                   :result "memref<768x2304xf32, strided<[2304, 1], offset: ?>>"} m layer)
  (memref.subview {:drop-unit-dims true} m [layer 0 0] [1 768 2304] [1 1 1]))

; GENERIC: "llvm.call"({{.*}}) <{{{.*}}callee = @printf,{{.*}}op_bundle_sizes = array<i32>, operandSegmentSizes = array<i32: 2, 0>, var_callee_type = !llvm.func<i32 (ptr, ...)>}>
(extern-fn printf (-> [!llvm.ptr ...] [i32]))
(defn call_variadic [(: p !llvm.ptr) (: x f32)]
  (llvm.call {:callee @printf} p x))

; GENERIC-COUNT-2: "llvm.getelementptr"({{.*}}) <{elem_type = f32, {{.*}}rawConstantIndices = array<i32: -2147483648>}>
(defn gep [(: p !llvm.ptr) (: i i64)]
  (llvm.getelementptr {:elem_type f32 :rawConstantIndices array<i32: -2147483648> :result !llvm.ptr} p i)
  (llvm.getelementptr {:elem_type f32} p i))

; GENERIC-COUNT-2: "linalg.add"({{.*}}) <{operandSegmentSizes = array<i32: 2, 1>}> ({
(defn add [(: a memref<4xf32>) (: b memref<4xf32>) (: c memref<4xf32>)]
  (linalg.add {:ins 2 :outs 1} a b c
    (region (block [(: x f32) (: y f32) (: o f32)] (linalg.yield (arith.addf x y)))))
  (linalg.add a b c))

; GENERIC: "llvm.mlir.global"() <{{{.*}}constant, global_type = !llvm.array<8 x i8>, linkage = #llvm.linkage<external>, sym_name = "g"
(llvm.mlir.global {:sym_name "g" :linkage "#llvm.linkage<external>" :global_type !llvm.array<8 x i8> :constant true}
  (region (block [] (llvm.return (llvm.mlir.constant {:value "abcdefg\0" :result !llvm.array<8 x i8>})))))
