; A cast of an index to an integer of fewer bits and back keeps these bits only: scalars, vectors, tensors and kernels.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --fuse=false %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
(require-dialect arith memref vector)

(defn through-i8 [(: n index)] -> index (cast index (cast i8 n)))
(defn through-i16 [(: n index)] -> index (cast index (cast i16 n)))
(defn through-i32 [(: n index)] -> index (cast index (cast i32 n)))
(defn unsigned [(: n index)] -> index
  (arith.index_castui {:result index} (arith.index_castui {:result i8} n)))
(defn lanes [(: n index)] -> index
  (def v (vector.broadcast {:result vector<4xindex>} n))
  (vector.extract {:static_position array<i64: 2>} (cast vector<4xindex> (cast vector<4xi8> v))))
; PTX: .entry cell
; PTX: cvt.s{{32|64}}.s8
(defkernel cell [(: m memref<?xindex>) (: n index)]
  (memref.store (cast index (cast i8 n)) m 0))

(defn main [(: words i32) (: word !llvm.ptr)]
  (def n (+ 300 (cast index words)))
  ; CHECK: 44 -25236 705032704 44 44
  (println "%ld %ld %ld %ld %ld" (cast i64 (through-i8 n)) (cast i64 (through-i16 (+ n 40000)))
    (cast i64 (through-i32 (* 5 (+ 1000000000 (- n 300))))) (cast i64 (unsigned n)) (cast i64 (lanes n)))
  ; CHECK: index [300]
  ; CHECK-NEXT: [0 1 2 ... 41 42 43]
  (println (cast index (cast i8 (iota index [300]))))
  ; CHECK: i32 [300]
  ; CHECK-NEXT: [0 1 2 ... 41 42 43]
  (println (cast i32 (cast index (iota i8 [300]))))
  (def m (device-alloc memref<?xindex> [1]))
  (launch cell {:block [1]} m n)
  ; CHECK: {{^}}44{{$}}
  (println "%ld" (cast i64 (memref.load m 0))))
