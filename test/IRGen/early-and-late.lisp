; Programs of every age of the language: the older spelling first, then the newer.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect func arith scf memref linalg llvm)

; CHECK: llvm.func @printf(!llvm.ptr, ...) -> i32
; CHECK: func.func private @old(i64) -> i64{{$}}
; CHECK: func.func private @new(i64) -> i64{{$}}
; Only an external that takes memrefs gets the C interface of descriptors.
; CHECK: func.func private @show(memref<*xf32>) attributes {llvm.emit_c_interface}
(extern-fn printf (-> [!llvm.ptr ...] [i32]))
(func.func {:sym_name "old" :function_type (-> [i64] [i64]) :sym_visibility "private"})
(func.func {:sym_name "new" :function_type (-> [i64] [i64])} (region))
(func.func {:sym_name "show" :function_type (-> ["memref<*xf32>"] [])} (region))
; The same declaration again is no error.
(func.func {:sym_name "new" :function_type (-> [i64] [i64])} (region))

; CHECK: llvm.mlir.global private @h0
; CHECK: llvm.mlir.global external @h10
; CHECK: llvm.mlir.global external constant @hx
(llvm.mlir.global {:sym_name "h0" :linkage 0 :global_type i64 :constant false :value 7})
(llvm.mlir.global {:sym_name "h10" :linkage 10 :global_type i64 :value 7})
(llvm.mlir.global {:sym_name "hx" :linkage "#llvm.linkage<external>" :global_type i64 :constant true :value 7})

; CHECK-LABEL: func.func @calls
; CHECK-COUNT-5: call @old(%arg0) : (i64) -> i64
(defn calls [(: x i64)]
  (func.call {:result i64} "old" x)
  (func.call "old" x)
  (func.call {:callee @old} x)
  (func.call {:callee "@old" :result i64} x)
  (call i64 old x))

; CHECK-LABEL: func.func @predicates
; CHECK-COUNT-4: arith.cmpi slt, %arg0, %arg0 : i64
; CHECK-COUNT-3: arith.cmpf ogt, %arg1, %arg1 : f32
(defn predicates [(: x i64) (: y f32)]
  (arith.cmpi {:predicate "slt"} x x)
  (arith.cmpi {:predicate 2} x x)
  (arith.cmpi {:predicate :slt} x x)
  (<i x x)
  (arith.cmpf {:predicate "ogt"} y y)
  (arith.cmpf {:predicate 2} y y)
  (> y y))

; CHECK-LABEL: func.func @variadic
; CHECK-COUNT-4: llvm.call @printf(%arg0, %arg1) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
(defn variadic [(: f !llvm.ptr) (: n i64)]
  (llvm.call {:callee @printf :vararg (-> [!llvm.ptr ...] [i32]) :result i32} f n)
  (llvm.call {:callee @printf :var_callee_type !llvm.func<i32 (ptr, ...)> :op_bundle_sizes "array<i32>" :result i32} f n)
  (vararg-call i32 printf (-> [!llvm.ptr ...] [i32]) f n)
  (printf f n))

; CHECK-LABEL: func.func @linalgs
; CHECK-COUNT-2: linalg.fill ins(%{{.*}} : f32) outs(%arg0 : memref<4x4xf32>)
; CHECK-COUNT-2: linalg.matmul ins(%arg0, %arg0 : memref<4x4xf32>, memref<4x4xf32>) outs(%arg1 : memref<4x4xf32>)
; CHECK-COUNT-3: linalg.generic {indexing_maps = [#{{.*}}, #{{.*}}], iterator_types = ["parallel", "parallel"]}
(defn linalgs [(: a memref<4x4xf32>) (: b memref<4x4xf32>)]
  (linalg.fill 0.0 a)
  (linalg.fill {:ins 1 :outs 1} (: 0.0 f32) a (region (block [(: v f32) (: _o f32)] (linalg.yield v))))
  (linalg.matmul a a b)
  (linalg.matmul {:ins 2 :outs 1} a a b
    (region (block [(: x f32) (: y f32) (: acc f32)] (linalg.yield (arith.addf acc (arith.mulf x y))))))
  (linalg.generic {:ins 1 :outs 1 :indexing_maps ["affine_map<(d0, d1) -> (d0, d1)>" "affine_map<(d0, d1) -> (d1, d0)>"] :iterator_types ["parallel" "parallel"]}
    a b (region (block [v o] (linalg.yield v))))
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i,j) -> (i,j)> affine_map<(i,j) -> (j,i)>]
                   :iterator_types ["#linalg.iterator_type<parallel>" "#linalg.iterator_type<parallel>"]}
    a b (region (block [(: v f32) (: o f32)] (linalg.yield v))))
  (linalg.generic {:ins 1 :outs 1 :indexing_maps [affine_map<(i,j) -> (i,j)> affine_map<(i,j) -> (j,i)>] :iterator_types [:parallel :parallel]}
    a b (region (block [v o] (linalg.yield v)))))

; CHECK-LABEL: func.func @parallels
; CHECK-COUNT-3: scf.parallel (%{{.*}}, %{{.*}}) = (%arg0, %arg0) to (%arg1, %arg1) step (%arg2, %arg2) {
(defn parallels [(: l index) (: u index) (: s index)]
  (scf.parallel {:operandSegmentSizes array<i32: 2 2 2 0>} [l l u u s s] (region (block [(: i index) (: j index)] (scf.yield))))
  (scf.parallel {:operandSegmentSizes "array<i32: 2, 2, 2, 0>"} [l l] [u u] [s s] (region (block [(: i index) (: j index)] (scf.reduce))))
  (scf.parallel l l u u s s (region (block [(: i index) (: j index)]))))

; A region that is the op's own, in another order of operands, keeps the op; another meaning makes it generic.
; CHECK-LABEL: func.func @regions
; CHECK: linalg.matmul
; CHECK-NOT: linalg.add
; CHECK: linalg.generic
; CHECK: arith.mulf
(defn regions [(: a memref<4x4xf32>) (: b memref<4x4xf32>)]
  (linalg.matmul {:ins 2 :outs 1} a a b
    (region (block [(: x f32) (: y f32) (: acc f32)] (linalg.yield (arith.addf (arith.mulf y x) acc)))))
  (linalg.add {:ins 2 :outs 1} a a b
    (region (block [(: x f32) (: y f32) (: o f32)] (linalg.yield (arith.mulf x y))))))
