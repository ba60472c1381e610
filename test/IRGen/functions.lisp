; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect func arith memref cf scf)

; A bare number takes the type of the named operand beside it.
; CHECK-LABEL: func.func @inc(%arg0: i64) -> i64 attributes {llvm.emit_c_interface}
; CHECK: %[[ONE:.*]] = arith.constant 1 : i64
; CHECK: arith.addi %arg0, %[[ONE]] : i64
(defn inc [(: x i64)] -> i64
  (func.return (arith.addi x 1)))

; Several results; subscripts are index, a stored number takes the element type.
; CHECK-LABEL: func.func @two
; CHECK: memref.load %arg1[%c3]
; CHECK: %[[F:.*]] = arith.constant 2.500000e+00 : f32
; CHECK: memref.store %[[F]], %arg1[%c0]
; CHECK: call @later
(defn two [(: a f32) (: m memref<8xf32>)] -> [f32 i64]
  (def i (: 3 index))
  (def v (memref.load m i))
  (memref.store 2.5 m 0)
  (func.return (arith.addf v a) (later 3)))

; Called before it is defined; no func.return: the last value is returned.
; CHECK-LABEL: func.func @later
; CHECK: return %arg0 : i64
(defn later [(: x i64)] -> i64 x)

; Nothing to return: func.return is appended.
; CHECK-LABEL: func.func @void()
; CHECK: return
(defn void [] (inc 1))

; Blocks, labels and a forward branch.
; CHECK-LABEL: func.func @labels
; CHECK: cf.br ^bb1(%arg0 : i64)
; CHECK: ^bb1(%[[V:.*]]: i64):
; CHECK: return %[[V]] : i64
(func.func {:sym_name "labels" :function_type (-> [i64] [i64])}
  (region
    (block [(: x i64)] (cf.br ^next x))
    (block ^next [(: v i64)] (func.return v))))

; What MLIR's own lowerings declare as llvm.func is declared so here; a bare bound of scf.parallel is an index whatever its values.
; CHECK: llvm.func @printF32(f32)
(extern-fn printF32 (-> [f32] []))
; CHECK-LABEL: func.func @reduce
; CHECK: scf.parallel (%{{.*}}) = (%c0{{.*}}) to (%c4{{.*}}) step (%c1{{.*}}) init (%{{.*}}) -> i64
(defn reduce [(: m memref<4xi64>)] -> i64
  (scf.parallel 0 4 1 (: 0 i64)
    (region (block [i] (scf.reduce (memref.load m i) (region (block [x y] (scf.reduce.return (arith.addi x y)))))))))
