; Loops, branches and views written as ops, with what the language infers for them.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect [scf :as s] [memref :as mem] [arith :as a] func affine gpu linalg)
; Externals in either spelling beside kernels.
(extern-fn labs (-> [i64] [i64]))
(func.func {:sym_name "abs" :function_type (-> [i32] [i32])} (region))

(defn main [] -> i64
  (def m (mem/alloc {:result memref<10xf32>}))
  (affine.for {:lower_bound 0 :upper_bound 10} (region (block [i] (affine.store (: 2.0 f32) m i))))
  ; A reduction over bare bounds; its blocks' arguments have the operand's type.
  (def sum (s/parallel 0 10 1 (: 0.5 f32)
    (region (block [i] (s/reduce (mem/load m i) (region (block [x y] (s/reduce.return (a/addf x y)))))))))
  (scf.forall {:bounds [10]} (region (block [i] (memref.store 3.0 m i))))
  (def doubled (scf.while {:result i64} (: 1 i64)
    (region (block [(: v i64)] (scf.condition (arith.cmpi {:predicate 2} v 100) v)))
    (region (block [v] (scf.yield (arith.addi v v))))))
  ; CHECK: 20.5 3 128
  (println "%g %g %ld" sum (memref.load m 9) doubled)
  ; CHECK-NEXT: then
  (scf.if (<f (: 1.0 f32) (: 2.0 f32)) (region (println "then")))
  ; CHECK-NEXT: else 8
  (println "else %ld" (scf.if (<i 2 1) (do (scf.yield (: 7 i64))) (do (scf.yield (: 8 i64)))))
  ; An any-width bound, and a value carried without :result.
  (def total (scf.for (: 0 i32) (: 5 i32) (: 2 i32) (: 0 i32) (region (block [i acc] (scf.yield (a/addi i acc))))))
  ; CHECK-NEXT: 6
  (println "%d" total)
  ; Rows 1 and 2, every second column; then one of them with its own dimension dropped.
  (def table (mem/alloc {:result memref<3x4xf32>}))
  (parallel [i 3 j 4] (memref.store (cast f32 (cast i64 (+ (* i 10) j))) table i j))
  (def row (+ (: 0 index) 1))
  (def part (memref.subview table [row 0] [2 2] [1 2]))
  (def one (memref.subview {:drop-unit-dims true} part [1 0] [1 2] [1 1]))
  ; CHECK-NEXT: 12 20 22
  (println "%g %g %g" (memref.load part 0 1) (memref.load one 0) (memref.load one 1))
  ; Ops on whole views, of views, and kernels that see the same memory.
  (linalg.fill 7.0 one)
  (linalg.add part part (memref.subview table [0 0] [2 2] [1 1]))
  ; CHECK-NEXT: 20 24 14 14 7
  (println "%g %g %g %g %g" (memref.load table 0 0) (memref.load table 0 1) (memref.load table 1 0) (memref.load table 1 1) (memref.load table 2 2))
  ; CHECK-NEXT: 5 6
  (println "%ld %d" (labs -5) (abs -6))
  ; Every lane's number, added up by shuffles.
  (gpu.launch 1 1 1 32 1 1
    (region (block [bx by bz tx ty tz gx gy gz sx sy sz]
      (def v (cast f32 (cast i32 tx)))
      (def v (+ v (gpu.shuffle {:mode "xor"} v 16 32)))
      (def v (+ v (gpu.shuffle {:mode :xor} v 8 32)))
      (def v (+ v (gpu.shuffle {:mode "#gpu<shuffle_mode xor>"} v 4 32)))
      (def v (+ v (gpu.shuffle {:mode "xor"} v 2 32)))
      (def [n valid] (gpu.shuffle {:mode "xor"} v 1 32))
      (scf.if valid (region (memref.store (+ v n) m (: 0 index)))))))
  ; CHECK-NEXT: 496
  (println "%g" (memref.load m 0))
  ; CHECK-NEXT: {{^}}0{{$}}
  0)
