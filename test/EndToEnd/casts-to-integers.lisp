; `cast` from floats to integers truncates; what is out of range saturates and a NaN is 0, on every target, whether the
; compiler or the program computes it.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --cpu=x86-64 %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier build %s -o %t && %t | FileCheck %s
; RUN: lispier --emit=module %s | FileCheck %s --check-prefix=FOLDED
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s | FileCheck %s --check-prefix=PTX
; REQUIRES: x86
(require-dialect arith memref vector)

(defmacro def-cast [name F T]
  `(defn ~name [(: x ~F)] -> i64 (cast i64 (cast ~T x))))
(def-cast f32-i8 f32 i8)
(def-cast f64-i8 f64 i8)
(def-cast f32-i32 f32 i32)
(def-cast f64-i32 f64 i32)
(def-cast f32-i64 f32 i64)
(def-cast f64-i64 f64 i64)
(def-cast f32-index f32 index)
(def-cast f32-i1 f32 i1)
(def-cast f16-i8 f16 i8)
(def-cast bf16-i32 bf16 i32)
(defn inf [] -> f32 (arith.bitcast {:result f32} (: 0x7F800000 i32)))
(defn nan [] -> f32 (arith.bitcast {:result f32} (: 0x7FC00000 i32)))

(defkernel convert [(: x memref<?xf32>) (: y memref<?xi32>) (: z memref<?xi8>)]
  (def i (thread-id :x))
  (memref.store (cast i32 (memref.load x i)) y i)
  (memref.store (cast i8 (memref.load x i)) z i))
; PTX-LABEL: .entry convert
; PTX: setp.le.f32 {{.*}}, 0fCF000000
; PTX: cvt.rzi.s32.f32
; PTX: selp.b32 {{.*}}, 2147483647
; PTX: setp.nan.f32
; PTX: selp.b32 {{.*}}, 0,

(defn main []
  ; FOLDED-LABEL: func.func @main
  ; FOLDED-DAG: arith.constant 127 : i8
  ; FOLDED-DAG: arith.constant -128 : i8
  ; FOLDED-DAG: arith.constant 2 : i32
  ; FOLDED-DAG: arith.constant 2147483647 : i32
  ; FOLDED-DAG: arith.constant true
  ; FOLDED-NOT: fptosi {{.*}} : f64
  ; CHECK: 127 -128 2 2147483647 1
  (println "%d %d %d %d %d" (cast i8 300.5) (cast i8 -300.5) (cast i32 2.7) (cast i32 4294967296.5) (cast i1 2.5))
  ; CHECK-NEXT: 2 -2 127 -128 127 -128 0
  (println "%ld %ld %ld %ld %ld %ld %ld" (f32-i8 2.7) (f32-i8 -2.7) (f32-i8 300.0) (f32-i8 -300.0) (f32-i8 (inf))
    (f32-i8 (- (inf))) (f32-i8 (nan)))
  ; CHECK-NEXT: 127 -128 0
  (println "%ld %ld %ld" (f64-i8 127.99) (f64-i8 -1e300) (f64-i8 (cast f64 (nan))))
  ; CHECK-NEXT: 2147483520 2147483647 -2147483648 -2147483648 0
  (println "%ld %ld %ld %ld %ld" (f32-i32 2147483520.0) (f32-i32 2147483648.0) (f32-i32 -2147483648.0) (f32-i32 -1e30)
    (f32-i32 (nan)))
  ; CHECK-NEXT: 2147483647 2147483647 -2147483648
  (println "%ld %ld %ld" (f64-i32 2147483647.5) (f64-i32 2147483648.0) (f64-i32 -2147483649.0))
  ; CHECK-NEXT: 9223372036854775807 -9223372036854775808 0
  (println "%ld %ld %ld" (f32-i64 (inf)) (f32-i64 -1e30) (f32-i64 (nan)))
  ; CHECK-NEXT: 9223372036854775807 9223372036854774784
  (println "%ld %ld" (f64-i64 9223372036854775808.0) (f64-i64 9223372036854774784.0))
  ; CHECK-NEXT: 7 9223372036854775807 0
  (println "%ld %ld %ld" (f32-index 7.9) (f32-index 1e30) (f32-index (nan)))
  ; CHECK-NEXT: 0 1 1 0 0
  (println "%ld %ld %ld %ld %ld" (f32-i1 0.5) (f32-i1 1.0) (f32-i1 300.0) (f32-i1 -1.0) (f32-i1 (nan)))
  ; CHECK-NEXT: 127 -128 2147483647
  (println "%ld %ld %ld" (f16-i8 (cast f16 1000.0)) (f16-i8 (cast f16 (- (inf)))) (bf16-i32 (cast bf16 1e38)))

  ; Lanes of vectors, and elements of tensors of unknown size.
  (def m (memref.alloc {:result memref<8xf32>}))
  (for [i 0 8] (memref.store 1.5 m i))
  (memref.store 300.0 m 1)
  (memref.store -1e30 m 2)
  (memref.store (nan) m 3)
  ; CHECK-NEXT: ( 1, 127, -128, 0, 1, 1, 1, 1 )
  (vector.print (cast vector<8xi8> (vector.load {:result vector<8xf32>} m 0)))
  ; CHECK-NEXT: ( 1, 300, -2147483648, 0, 1, 1, 1, 1 )
  (vector.print (cast vector<8xi32> (vector.load {:result vector<8xf32>} m 0)))

  (def x (device-alloc memref<?xf32> [8]))
  (def y (device-alloc memref<?xi32> [8]))
  (def z (device-alloc memref<?xi8> [8]))
  (upload! x (cast memref<?xf32> m))
  (launch convert {:grid [1] :block [8]} x y z)
  (def words (memref.alloc {:result memref<?xi32>} 8))
  (def bytes (memref.alloc {:result memref<?xi8>} 8))
  (download! words y)
  (download! bytes z)
  ; CHECK-NEXT: 1 300 -2147483648 0 1
  (println "%d %d %d %d %d" (memref.load words 0) (memref.load words 1) (memref.load words 2) (memref.load words 3)
    (memref.load words 4))
  ; CHECK-NEXT: 1 127 -128 0
  (println "%d %d %d %d" (memref.load bytes 0) (memref.load bytes 1) (memref.load bytes 2) (memref.load bytes 3)))
