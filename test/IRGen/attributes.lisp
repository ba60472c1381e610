; Attribute values are read in the way that the op declares.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect func arith scf memref vector llvm amdgpu gpu linalg affine tensor cf math index)

; CHECK-LABEL: func.func @numbers
; CHECK: arith.constant 1.000000e+00 : f32
; CHECK: llvm.mlir.constant(50256 : i32) : i32
; CHECK: arith.constant dense<[1, 2]> : tensor<2xi32>
; CHECK: arith.constant dense<[3, 4]> : vector<2xi32>
; CHECK: arith.constant dense<[5, 6]> : vector<2xi32>
; CHECK: arith.constant dense<2> : vector<4xi32>
; CHECK: llvm.alloca %{{.*}} x f32 {alignment = 16 : i64} : (i64) -> !llvm.ptr
; CHECK: memref.alloc() {alignment = 64 : i64} : memref<4xf32>
(defn numbers []
  (arith.constant {:value 1 :result f32})
  (llvm.mlir.constant {:value 50256 :result i32})
  (: dense<[1, 2]> tensor<2xi32>)
  (arith.constant {:value dense<[3, 4]> :result vector<2xi32>})
  (arith.constant {:value "dense<[5, 6]> : vector<2xi32>"})
  (: 2 vector<4xi32>)
  (llvm.alloca {:elem_type f32 :alignment 16} 1)
  (memref.alloc {:alignment 64 :result memref<4xf32>})
  (func.return))

; A number beyond the range of some type that was never meant.
; CHECK-LABEL: func.func @large
; CHECK: memref.subview %arg0[%arg1] [2] [1]
(defn large [(: m memref<8xf32>) (: t index)]
  (memref.subview {:static_offsets [-9223372036854775808] :static_sizes [2] :static_strides [1] :operandSegmentSizes [1 1 0 0]
                   :result "memref<2xf32, strided<[1], offset: ?>>"} m t)
  (func.return))

; CHECK-LABEL: func.func private @enums
; CHECK-COUNT-3: arith.addf %arg0, %arg0 fastmath<fast> : f32
; CHECK: arith.addi %arg1, %arg1 overflow<nsw> : i32
; CHECK: gpu.thread_id {{ ?}}y
; CHECK: gpu.subgroup_broadcast %arg0, first_active_lane
; CHECK: amdgpu.dpp %arg1 %arg1 row_half_mirror
; CHECK: vector.reduction <maximumf>, %arg2
; CHECK: memref.atomic_rmw addf %arg0, %arg3
; CHECK: llvm.icmp "ult" %arg1, %arg1 : i32
; CHECK: index.cmp slt
(defn enums [(: f f32) (: i i32) (: v vector<4xf32>) (: m memref<4xf32>)]
  (arith.addf {:fastmath "fast"} f f)
  (arith.addf {:fastmath :fast} f f)
  (arith.addf {:fastmath "#arith.fastmath<fast>"} f f)
  (arith.addi {:overflowFlags "nsw"} i i)
  (gpu.thread_id {:dimension :y})
  (gpu.subgroup_broadcast {:broadcast_type first_active_lane} f)
  (amdgpu.dpp {:kind row_half_mirror :result i32} i i)
  (vector.reduction {:kind "maximumf" :result f32} v)
  (memref.atomic_rmw {:kind "addf"} f m 0)
  (llvm.icmp {:predicate "ult"} i i)
  (index.cmp {:pred "slt"} (: 1 index) (: 2 index))
  (func.return))

; CHECK-LABEL: func.func @arrays
; CHECK-COUNT-2: vector.extract %arg0[1] : vector<4xf32> from vector<2x4xf32>
; CHECK: vector.extract %arg0[1, %arg1] : f32
; CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 5] : vector<4xf32>, vector<4xf32>
; CHECK: memref.collapse_shape %arg2 {{\[\[}}0, 1], [2]] : memref<2x3x4xf32> into memref<6x4xf32>
; CHECK: memref.transpose %arg2
; CHECK: vector.transfer_read %arg2{{.*}} {in_bounds = [true]}
(defn arrays [(: v vector<2x4xf32>) (: i index) (: m memref<2x3x4xf32>)]
  (def a (vector.extract {:position [1]} v))
  (def b (vector.extract {:static_position array<i64: 1>} v))
  (vector.extract v 1 i)
  (vector.shuffle {:mask [0 5]} a b)
  (memref.collapse_shape {:reassociation [[0 1] [2]] :result memref<6x4xf32>} m)
  (memref.transpose {:permutation affine_map<(a,b,c) -> (c,b,a)> :result "memref<4x3x2xf32, strided<[1, 4, 12]>>"} m)
  (vector.transfer_read {:permutation_map affine_map<(a,b,c) -> (c)> :in_bounds [true] :result vector<4xf32>} m [0 0 0] 0.0)
  (func.return))

; `true` is there, `false` is not; a map is a dictionary; unknown keys stay on the op as they are.
; CHECK-LABEL: func.func @units
; CHECK: memref.load %arg0[%{{.*}}] {nontemporal = true} : memref<4xf32>
; A whole number in an attribute that nobody declares is an integer, however it is written.
; CHECK: arith.divui %{{.*}}, %{{.*}} {my.fraction = 1.500000e+00 : f64, my.map = {a = 1 : i64, b = "x"}, my.unit, my.whole = 1 : i64} : i64
(defn units [(: m memref<4xf32>)]
  (memref.load {:nontemporal true} m 0)
  (arith.divui {:my.map {:a 1 :b "x"} :my.unit nil :my.whole 1.0 :my.fraction 1.5} (: 4 i64) 2)
  (func.return))
; CHECK: llvm.mlir.global external @no(1 : i64)
; CHECK: llvm.mlir.global external constant @yes(1 : i64)
(llvm.mlir.global {:sym_name "no" :linkage :external :global_type i64 :constant false :value 1})
(llvm.mlir.global {:sym_name "yes" :linkage "external" :global_type i64 :constant true :value 1})

; Sizes of operand groups: counted, found by the op's own constraints, or delimited by vectors.
; CHECK-LABEL: func.func @segments
; CHECK: memref.alloc(%arg0, %arg0) : memref<?x?xf32>
; CHECK: vector.create_mask
; CHECK: affine.for %{{.*}} = 0 to 10 {
; CHECK: gpu.launch {{.*}} dynamic_shared_memory_size %{{.*}} {
(defn segments [(: n index)]
  (memref.alloc {:result "memref<?x?xf32>"} n n)
  (vector.create_mask {:result vector<4xi1>} n)
  (affine.for {:lower_bound 0 :upper_bound 10} (region (block [i])))
  (gpu.launch {:dynamic-shared (: 64 i32)} n 1 1 32 1 1 (region (block [a b c d e f g h i j k l]))))

; CHECK-LABEL: func.func @switch
; CHECK: cf.switch %arg0 : i32, [
; CHECK-NEXT: default: ^bb1(%arg0 : i32),
; CHECK-NEXT: 7: ^bb2
(func.func {:sym_name "switch" :function_type (-> [i32] [i32])}
  (region
    (block [(: x i32)] (cf.switch {:case_values (: [7] tensor<1xi32>)} x ^other x ^seven))
    (block ^other [(: y i32)] (func.return y))
    (block ^seven (func.return x))))

; Attributes that are there or not, keys as another dialect calls them, and nested symbols outside of quotes.
; CHECK: gpu.module @nested
; CHECK-NEXT: gpu.func @kernel() kernel {
; CHECK: gpu.func @device() {
; CHECK-LABEL: func.func @others
; CHECK-SAME: llvm.noalias
; CHECK-NOT: llvm.nonnull
; CHECK: index.cmp slt(%{{.*}}, %{{.*}})
; CHECK: gpu.launch_func @nested::@kernel
(module {:gpu.container_module true})
(gpu.module {:sym_name "nested"} (region (block
  (gpu.func {:sym_name "kernel" :function_type (-> [] []) :gpu.kernel true} (region (block (gpu.return))))
  (gpu.func {:sym_name "device" :function_type (-> [] []) :gpu.kernel false} (region (block (gpu.return)))))))
(func.func {:sym_name "others" :function_type (-> [index !llvm.ptr] []) :arg_attrs [{} {:llvm.noalias true :llvm.nonnull false}]}
  (region (block [(: i index) (: p !llvm.ptr)]
    (index.cmp {:predicate slt} i i)
    (gpu.launch_func {:kernel @nested::@kernel} i i i i i i)
    (func.return))))
