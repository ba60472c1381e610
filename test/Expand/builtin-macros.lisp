; RUN: lispier show-expanded %s | FileCheck %s --match-full-lines
; The macros of the language, each as the ops and core forms it stands for. They need no require-dialect.

; CHECK:      (defn integers [(: a i64) (: b i64)] (arith.addi a b) (arith.subi a b) (arith.muli a b) (arith.divsi a b) (arith.divui a b) (arith.remsi a b) (arith.remui a b))
(defn integers [(: a i64) (: b i64)] (+i a b) (-i a b) (*i a b) (/i a b) (/ui a b) (%i a b) (%ui a b))
; CHECK-NEXT: (defn floats [(: a f32) (: b f32)] (arith.addf a b) (arith.subf a b) (arith.mulf a b) (arith.divf a b))
(defn floats [(: a f32) (: b f32)] (+f a b) (-f a b) (*f a b) (/f a b))
; CHECK-NEXT: (defn compare [(: a i64)] (arith.cmpi {:predicate "sle"} a 1) (arith.cmpi {:predicate "slt"} a 2) (arith.cmpi {:predicate "sge"} a 3) (arith.cmpi {:predicate "sgt"} a 4) (arith.cmpi {:predicate "eq"} a 5) (arith.cmpi {:predicate "ne"} a 6))
(defn compare [(: a i64)] (<=i a 1) (<i a 2) (>=i a 3) (>i a 4) (=i a 5) (!=i a 6))
; CHECK-NEXT: (defn compare-floats [(: a f32)] (arith.cmpf {:predicate "ole"} a 1.0) (arith.cmpf {:predicate "olt"} a 1.0) (arith.cmpf {:predicate "oge"} a 1.0) (arith.cmpf {:predicate "ogt"} a 1.0) (arith.cmpf {:predicate "oeq"} a 1.0) (arith.cmpf {:predicate "une"} a 1.0))
(defn compare-floats [(: a f32)] (<=f a 1.0) (<f a 1.0) (>=f a 1.0) (>f a 1.0) (=f a 1.0) (!=f a 1.0))


; CHECK-NEXT: (defn branches [(: a i1) (: b i1)] (if a (do (print "x") (print "y"))) (if {:result i32} a (: 1 i32) (if {:result i32} b (: 2 i32) (: 3 i32))) (if a 1 2) 9)
(defn branches [(: a i1) (: b i1)]
  (when a (print "x") (print "y"))
  (cond {:result i32} a (: 1 i32) b (: 2 i32) :else (: 3 i32))
  (cond a 1 :else 2)
  (cond :else 9))

; CHECK-NEXT: (defn calls [(: p !llvm.ptr)] (func.call {:callee @f :result i64} 1 2) (func.call {:callee @f :result [i64 f32]}) (func.call {:callee @g} p) (llvm.call {:callee @printf :result i32 :var_callee_type (-> [!llvm.ptr ...] [i32])} p 3))
(defn calls [(: p !llvm.ptr)]
  (call i64 f 1 2) (call [i64 f32] f) (call! g p)
  (vararg-call i32 printf (-> [!llvm.ptr ...] [i32]) p 3))

; CHECK-NEXT: (defn pointers [(: p !llvm.ptr) (: i index)] (llvm.mlir.zero {:result !llvm.ptr}) (llvm.icmp {:predicate "eq"} p (llvm.mlir.zero {:result !llvm.ptr})) (llvm.load {:result f32} p) (llvm.store 1.0 p))
(defn pointers [(: p !llvm.ptr) (: i index)] (null-ptr) (null? p) (ptr-load f32 p) (ptr-store! 1.0 p))
; An offset that fits no 32-bit attribute becomes an operand; the index of ptr-at always is one.
; CHECK-NEXT: (defn addresses [(: p !llvm.ptr) (: i index)] (llvm.getelementptr {:elem_type i8 :rawConstantIndices array<i32: 4> :result !llvm.ptr} p) (llvm.getelementptr {:elem_type i8 :rawConstantIndices array<i32: -8> :result !llvm.ptr} p) (llvm.getelementptr {:elem_type i8 :rawConstantIndices array<i32: -2147483648> :result !llvm.ptr} p (: 4294967296 i64)) (llvm.getelementptr {:elem_type f32 :rawConstantIndices array<i32: -2147483648> :result !llvm.ptr} p (cast i64 i)))
(defn addresses [(: p !llvm.ptr) (: i index)]
  (ptr-offset !llvm.ptr p 4) (ptr-offset !llvm.ptr p (: -8 i64)) (ptr-offset !llvm.ptr p 4294967296)
  (ptr-at f32 p i))
