; Forms whose types are found here: loops, arithmetic, casts, memory, templates, values.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect func arith scf memref vector nn)
(use-dialect math)

; CHECK-DAG: llvm.mlir.global private constant @greeting("hi\00")
; CHECK-DAG: llvm.mlir.global private constant @_print_str_{{[0-9]+}}("%ld\0A\00")
; CHECK-DAG: llvm.func @printf(!llvm.ptr, ...) -> i32
; CHECK-DAG: func.func private @malloc(i64) -> !llvm.ptr
(def-string greeting "hi")
(defstruct Point [x i64] [y f32])
(defstruct Line [a Point] [b Point] [w "f64"])

; Two carried values, a step, a bound that is an i64.
; CHECK-LABEL: func.func @folds
; CHECK: %[[N:.*]] = arith.index_cast %arg0 : i64 to index
; CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = %c0{{.*}} to %[[N]] step %c2{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, i64)
; CHECK: scf.yield %{{.*}}, %{{.*}} : f32, i64
; CHECK: return %[[R]]#0, %[[R]]#1
(defn folds [(: n i64) (: m memref<8xf32>)] -> [f32 i64]
  (def [a b] (fold [a (: 0.0 f32) b 1] [i 0 n 2]
    (def x (memref.load m i))
    [(+ a x) (* b 2)]))
  [a b])

; CHECK-LABEL: func.func @parallels
; CHECK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%c0{{.*}}, %c0{{.*}}) to (%c4{{.*}}, %c8{{.*}}) step (%c1{{.*}}, %c1{{.*}}) {
; CHECK: memref.store %{{.*}}, %arg0[%[[I]], %[[J]]]
; CHECK: scf.reduce
; CHECK: scf.forall (%[[K:.*]]) in (10) {
(defn parallels [(: m memref<4x8xf32>)]
  (parallel [i 4 j 8] (memref.store 0.0 m i j))
  (scf.forall {:bounds [10]} (region (block [k] (memref.store 1.0 m 0 k)))))

; The choices of a select agree with each other and with the result, not with the condition; true is an i1 wherever it stands.
; CHECK-LABEL: func.func @selects
; CHECK: arith.select %arg0, %c1{{.*}}, %c2{{.*}} : i64
; CHECK: arith.select %arg0, %{{.*}}, %arg1 : f32
; CHECK: %[[T:.*]] = arith.constant true
; CHECK: gpu.printf "%f %d", %arg1, %[[T]] : f32, i1
; CHECK: arith.select %arg0, %{{.*}}, %{{.*}} : f32
(require-dialect gpu llvm)
(defn selects [(: c i1) (: x f32)] -> f32
  (arith.select c 1 2)
  (arith.select c 1 x)
  (gpu.printf {:format "%f %d"} x true)
  (arith.select c 1 2))

; A bare index steps over elements; its neighbour is the pointer.
; CHECK-LABEL: func.func @elements
; CHECK: llvm.getelementptr %arg0[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
(defn elements [(: p !llvm.ptr)] -> !llvm.ptr
  (llvm.getelementptr {:elem_type f32 :rawConstantIndices "array<i32: -2147483648>" :result !llvm.ptr} p 1))

; `if` without :result: the branches' type, or nothing when one has no value.
; CHECK-LABEL: func.func @ifs
; CHECK: scf.if %arg0 -> (f32)
; CHECK: scf.if %arg0 {
(defn ifs [(: c i1) (: x f32) (: m memref<1xf32>)] -> f32
  (def v (if c 1.0 x))
  (if c (memref.store v m 0) v)
  v)

; CHECK-LABEL: func.func @casts
; CHECK: arith.extsi %arg0 : i32 to i64
; CHECK: arith.trunci %arg0 : i32 to i8
; CHECK: arith.index_cast %arg0 : i32 to index
; CHECK: arith.fptosi %arg2 : f32 to i32
; CHECK: arith.truncf %arg2 : f32 to bf16
; CHECK: arith.extf %arg3 : bf16 to f64
; CHECK: arith.extui %arg4 : i1 to i64
; CHECK: arith.truncf %arg5 : vector<4xf32> to vector<4xbf16>
; CHECK: vector.broadcast %arg2 : f32 to vector<4xf32>
; CHECK: memref.cast %arg6 : memref<4xf32> to memref<?xf32>
; CHECK: math.exp %arg2 : f32
(defn casts [(: i i32) (: x index) (: f f32) (: h bf16) (: b i1) (: v vector<4xf32>) (: m memref<4xf32>)]
  (cast i64 i) (cast i8 i) (cast index i) (cast i32 f) (cast bf16 f) (cast f64 h) (cast i64 b)
  (cast vector<4xbf16> v) (cast vector<4xf32> f) (cast "memref<?xf32>" m)
  (exp f)
  (func.return))

; A vector beside a number and beside a scalar; negation; signed and ordered comparison.
; CHECK-LABEL: func.func @arithmetic
; CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<4xf32>
; CHECK: arith.mulf %arg0, %[[TWO]]
; CHECK: arith.mulf %arg0, %{{.*}} : vector<4xf32>
; CHECK: arith.negf %arg0
; CHECK: arith.cmpi slt, %arg2, %{{.*}} : index
; CHECK: arith.cmpf une, %arg1, %{{.*}} : f32
; CHECK: arith.minsi
; CHECK: arith.maximumf
; CHECK: arith.remsi
(defn arithmetic [(: v vector<4xf32>) (: f f32) (: x index)]
  (* v 2.0) (* v f) (- v) (< x 3) (!= f 0) (min x 1 2) (max f 0.0) (% x 2)
  (func.return))

; An i64 and an f32 take 16 bytes; the fields of an inner struct are reached through its address.
; CHECK-LABEL: func.func @structs
; CHECK: %[[S:.*]] = arith.constant 16 : i64
; CHECK: %[[P:.*]] = call @malloc(%[[S]])
; CHECK: llvm.getelementptr %[[P]][0, 0] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(i64, f32)>
; CHECK: arith.constant 40 : i64
; CHECK: llvm.getelementptr %{{.*}}[0, 1] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(struct<(i64, f32)>, struct<(i64, f32)>, f64)>
; CHECK: llvm.load %{{.*}} : !llvm.ptr -> f32
(defn structs [] -> f32
  (def p (new Point 1 2.5))
  (def l (new Line))
  (Point/x! p (+ (Point/x p) (Point/size)))
  (Point/y! (Line/b l) 1.5)
  (Point/y p))

; Floats and narrow integers are promoted, an index is an i64, a bare value picks its directive.
; CHECK-LABEL: func.func @prints
; CHECK: arith.extf %arg0 : f32 to f64
; CHECK: arith.extsi %arg1 : i8 to i32
; CHECK: llvm.call @printf
; CHECK: arith.index_cast %arg2 : index to i64
; CHECK: arith.extsi %arg3 : i32 to i64
(defn prints [(: f f32) (: b i8) (: x index) (: n i32)]
  (print "%f %d %s\n" f b greeting)
  (println x)
  (print "%ld\n" n)
  (print-i64 3)
  (println))

; A descriptor over raw memory: the pointer twice, offset 0, sizes, strides.
; CHECK-LABEL: func.func @memory
; CHECK: %[[D:.*]] = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
; CHECK: llvm.insertvalue %arg0, %[[D]][0]
; CHECK: %[[M:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?x64xf32>
; CHECK: %[[A:.*]] = gpu.alloc ({{ ?}}%{{.*}}) : memref<?x64xf32>
; CHECK: gpu.memcpy {{ ?}}%[[A]], %[[M]]
; CHECK: device.replay {
; CHECK-NEXT: gpu.memcpy {{ ?}}%[[M]], %[[A]]
; CHECK-NEXT: device.yield
; CHECK: gpu.dealloc {{ ?}}%[[A]]
; CHECK: %[[D:.*]] = device.upload %[[M]] : memref<?x64xf32>
; CHECK: return %[[D]]
(defn memory [(: p !llvm.ptr) (: n i64)] -> "memref<?x64xf32>"
  (def h (ptr->memref "memref<?x64xf32>" p [n]))
  (def d (device-alloc "memref<?x64xf32>" [n]))
  (upload! d h)
  (replayable (download! h d))
  (device-free! d)
  (to-device h))

; CHECK-LABEL: func.func private @__template_nn.gelu_0(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>)
; CHECK-SAME: nn.template = "nn.gelu"
; CHECK-SAME: nn.template_targets = ["cpu"]
; CHECK-NOT: emit_c_interface
(deftemplate nn.gelu {:for [cpu]} [(: x "memref<?x?xf32>") (: out "memref<?x?xf32>")]
  (parallel [i (memref.dim x 0) j (memref.dim x 1)]
    (memref.store (memref.load x i j) out i j)))

; An attribute that a template asks for is a trailing constant.
; CHECK: func.func private @__template_nn.linear_0({{.*}}, %arg5: i64) attributes {{.*}}nn.template_attributes = ["activation"]
(deftemplate nn.linear {:for [cpu] :attrs [activation]}
    [(: x "memref<?x?xf32>") (: w "memref<?x?xf32>") (: b "memref<?xf32>") (: r "memref<?x?xf32>") (: out "memref<?x?xf32>")]
  (def is-gelu (= activation 1)))

; value_* functions declare themselves; a spliced list is pushed element by element.
; CHECK-LABEL: func.func @quote
; CHECK: %[[L:.*]] = call @value_list_new()
; CHECK: call @value_symbol_new
; CHECK: call @value_vector_new
; CHECK: call @value_list_push(%[[L]], %arg0)
; CHECK: scf.for
; CHECK: func.call @value_list_get
(extern :value-ffi)
(defn quote_ [(: p !llvm.ptr)] -> !llvm.ptr
  `(a [1 "s"] ~p ~@p))

; An older program's yield after the reduction, and a terminator whose region is empty.
; CHECK-LABEL: func.func @older
; CHECK: scf.reduce(%{{.*}} : f32) {
; CHECK: scf.reduce.return
; CHECK-NEXT: }
; CHECK-NEXT: }
; CHECK: scf.forall (%{{.*}}) in (4) {
; CHECK: memref.store
; CHECK-NEXT: }
; CHECK-NEXT: return
(defn older [(: m memref<4xf32>)] -> f32
  (def sum (scf.parallel [(: 0 index)] [(: 4 index)] [(: 1 index)] [(: 0.0 f32)] (region (block [(: i index)]
    (scf.reduce (memref.load m i) (region (block [(: a f32) (: b f32)] (scf.reduce.return (+ a b)))))
    (scf.yield)))))
  (scf.forall {:bounds [4]} (region (block [(: i index)]
    (memref.store 1.0 m i)
    (scf.forall.in_parallel))))
  sum)
