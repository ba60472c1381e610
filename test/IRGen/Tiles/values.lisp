; Arithmetic, shapes and reductions of tiles. They are vectors: the same forms work in functions.
; RUN: lispier --emit=module %s | FileCheck %s

; CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
; CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
; CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
; CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
; CHECK-DAG: #[[KM:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
; CHECK-DAG: #[[BATCH:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>

; Shapes broadcast as in NumPy; numbers take the tile's type, of two widths the wider is taken.
; CHECK-LABEL: func.func @arithmetic(%arg0: vector<2x4xf32>, %arg1: vector<4xf32>, %arg2: vector<2x1xbf16>, %arg3: f32)
; CHECK: %[[ROW:.*]] = vector.broadcast %arg1 : vector<4xf32> to vector<2x4xf32>
; CHECK: arith.addf %arg0, %[[ROW]] : vector<2x4xf32>
; CHECK: %[[WIDE:.*]] = arith.extf %arg2 : vector<2x1xbf16> to vector<2x1xf32>
; CHECK: %[[COLUMN:.*]] = vector.broadcast %[[WIDE]] : vector<2x1xf32> to vector<2x4xf32>
; CHECK: %[[TWO:.*]] = arith.constant dense<2.0{{.*}}> : vector<2x4xf32>
; CHECK: %[[P:.*]] = arith.mulf %arg0, %[[COLUMN]]
; CHECK: arith.mulf %[[P]], %[[TWO]]
; CHECK: %[[S:.*]] = vector.broadcast %arg3 : f32 to vector<2x4xf32>
; CHECK: arith.cmpf olt, %[[S]], %arg0
; CHECK: %[[BELOW:.*]] = arith.constant dense<0xFF800000> : vector<4xf32>
; CHECK: arith.maximumf %arg1, %[[BELOW]]
; CHECK: arith.negf %arg0
; Outer sum: [4] and [2 1] make [2 4].
; CHECK: vector.broadcast %arg1 : vector<4xf32> to vector<2x4xf32>
; CHECK: vector.broadcast %{{.*}} : vector<2x1xf32> to vector<2x4xf32>
(defn arithmetic [(: a vector<2x4xf32>) (: b vector<4xf32>) (: c vector<2x1xbf16>) (: s f32)]
  (+ a b)
  (* a c 2.0)
  (< s a)
  (max b -inf)
  (neg a)
  (+ b c))

; CHECK-LABEL: func.func @casts(%arg0: vector<2x4xf32>, %arg1: vector<4xi1>)
; CHECK: arith.truncf %arg0 : vector<2x4xf32> to vector<2x4xbf16>
; CHECK: arith.extui %arg1 : vector<4xi1> to vector<4xi32>
(defn casts [(: a vector<2x4xf32>) (: m vector<4xi1>)]
  (cast bf16 a)
  (cast i32 m))

; CHECK-LABEL: func.func @made(%arg0: f32, %arg1: vector<4xf32>)
; CHECK: arith.constant dense<0.0{{.*}}> : vector<2x3xf32>
; CHECK: arith.constant dense<1.5{{.*}}> : vector<4xbf16>
; CHECK: vector.broadcast %arg0 : f32 to vector<2x3xf32>
; CHECK: %[[STEP:.*]] = vector.step : vector<8xindex>
; CHECK: arith.index_cast %[[STEP]] : vector<8xindex> to vector<8xi32>
; CHECK: %[[ROWS:.*]] = vector.step : vector<2xindex>
; CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[ROWS]] : vector<2xindex> to vector<2x1xindex>
; CHECK: vector.broadcast %[[COLUMN]] : vector<2x1xindex> to vector<2x3xindex>
; CHECK: %[[COLUMNS:.*]] = vector.step : vector<3xindex>
; CHECK: vector.broadcast %[[COLUMNS]] : vector<3xindex> to vector<2x3xindex>
(defn made [(: x f32) (: _v vector<4xf32>)]
  (zeros f32 [2 3])
  (full bf16 [4] 1.5)
  (full f32 [2 3] x)
  (iota i32 [8])
  (iota index [2 3] :axis 0)
  (iota index [2 3] :axis -1))

; CHECK-LABEL: func.func @shapes(%arg0: vector<2x3xf32>, %arg1: vector<3xf32>)
; CHECK: vector.shape_cast %arg0 : vector<2x3xf32> to vector<3x1x2xf32>
; CHECK: vector.broadcast %arg1 : vector<3xf32> to vector<5x3xf32>
; CHECK: vector.transpose %arg0, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
; CHECK: vector.transpose %{{.*}}, [2, 0, 1] : vector<5x2x3xf32> to vector<3x5x2xf32>
(defn shapes [(: a vector<2x3xf32>) (: b vector<3xf32>)]
  (reshape a [3 1 (/ 4 2)])
  (broadcast b [5 3])
  (transpose a)
  (transpose (broadcast a [5 2 3]) [2 0 -2]))

; CHECK-LABEL: func.func @reductions(%arg0: vector<2x3x4xf32>, %arg1: vector<4xbf16>, %arg2: vector<2x4xi32>, %arg3: vector<4xi1>)
; CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : vector<2x3xf32>
; CHECK: vector.multi_reduction <add>, %arg0, %[[ZERO]] [2] : vector<2x3x4xf32> to vector<2x3xf32>
; CHECK: %[[M:.*]] = vector.multi_reduction <maximumf>, %arg0, %{{.*}} [0, 2] : vector<2x3x4xf32> to vector<3xf32>
; CHECK: vector.shape_cast %[[M]] : vector<3xf32> to vector<1x3x1xf32>
; All of them: a scalar. 16-bit floats are added in f32.
; CHECK: %[[WIDE:.*]] = arith.extf %arg1
; CHECK: %[[SUM:.*]] = vector.multi_reduction <add>, %[[WIDE]], %{{.*}} [0] : vector<4xf32> to f32
; CHECK: %[[FOUR:.*]] = arith.constant 4.0{{.*}} : f32
; CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]], %[[FOUR]] : f32
; CHECK: arith.truncf %[[MEAN]] : f32 to bf16
; CHECK: %[[MOST:.*]] = arith.constant dense<2147483647> : vector<2xi32>
; CHECK: vector.multi_reduction <minsi>, %arg2, %[[MOST]] [1]
; CHECK: vector.multi_reduction <or>, %arg3, %{{.*}} [0] : vector<4xi1> to i1
; CHECK: %[[ALL:.*]] = vector.multi_reduction <and>, %arg3
; CHECK: vector.broadcast %[[ALL]] : i1 to vector<1xi1>
(defn reductions [(: a vector<2x3x4xf32>) (: b vector<4xbf16>) (: n vector<2x4xi32>) (: m vector<4xi1>)]
  (sum a :axis -1)
  (max a :axes [2 0] :keep true)
  (mean b)
  (min n :axis 1)
  (any m)
  (all m :keep true))

; CHECK-LABEL: func.func @scans(%arg0: vector<2x4xf32>, %arg1: vector<8xi32>)
; CHECK: %[[START:.*]] = arith.constant dense<0.0{{.*}}> : vector<2xf32>
; CHECK: vector.scan <add>, %arg0, %[[START]] {inclusive = true, reduction_dim = 1 : i64}
; CHECK: vector.scan <add>, %arg1, %{{.*}} {inclusive = true, reduction_dim = 0 : i64} : vector<8xi32>, vector<i32>
; CHECK: arith.constant dense<0xFF800000> : vector<4xf32>
; CHECK: vector.scan <maximumf>, %arg0, %{{.*}} {inclusive = true, reduction_dim = 0 : i64}
; CHECK: vector.scan <mul>, %arg1
; CHECK: %[[ONE:.*]] = arith.constant 1 : i32
; CHECK: vector.multi_reduction <mul>, %arg1, %[[ONE]] [0]
; The first element that equals the maximum, or is a NaN.
; CHECK: %[[MOST:.*]] = vector.multi_reduction <maximumf>, %arg0
; CHECK: %[[KEPT:.*]] = vector.shape_cast %[[MOST]] : vector<2xf32> to vector<2x1xf32>
; CHECK: %[[EACH:.*]] = vector.broadcast %[[KEPT]] : vector<2x1xf32> to vector<2x4xf32>
; CHECK-DAG: %[[HIT:.*]] = arith.cmpf oeq, %arg0, %[[EACH]]
; CHECK-DAG: %[[NAN:.*]] = arith.cmpf uno, %arg0, %arg0
; CHECK: %[[FOUND:.*]] = arith.ori
; CHECK: %[[WHERE:.*]] = arith.select %[[FOUND]]
; CHECK: vector.multi_reduction <minsi>, %[[WHERE]], %{{.*}} [1] : vector<2x4xi32> to vector<2xi32>
; CHECK: vector.shape_cast %arg0 : vector<2x4xf32> to vector<8xf32>
; CHECK: vector.multi_reduction <minsi>, %{{.*}} [0] : vector<8xi32> to i32
(defn scans [(: a vector<2x4xf32>) (: n vector<8xi32>)]
  (cumsum a :axis 1)
  (cumsum n)
  (cummax a :axis 0)
  (cumprod n)
  (prod n)
  (argmax a :axis -1)
  (argmax a))

; A transposition, as an op or a keyword, is part of the product. Sums are f32, i32 of i8, f64 of f64.
; CHECK-LABEL: func.func @products(%arg0: vector<2x4xbf16>, %arg1: vector<8x4xbf16>, %arg2: vector<2x8xf32>, %arg3: vector<4x2xi8>, %arg4: vector<3x2x4xf64>)
; CHECK-NOT: vector.transpose
; CHECK: vector.contract {indexing_maps = [#[[MK]], #[[NK]], #[[MN]]]{{.*}}} %arg0, %arg1, %arg2 : vector<2x4xbf16>, vector<8x4xbf16> into vector<2x8xf32>
; CHECK: vector.contract {indexing_maps = [#[[MK]], #[[NK]], #[[MN]]]{{.*}}} %arg0, %arg1, %{{.*}} into vector<2x8xf32>
; CHECK: vector.contract {indexing_maps = [#[[KM]], #[[KN]], #[[MN]]]{{.*}}} %arg3, %arg3, %{{.*}} : vector<4x2xi8>, vector<4x2xi8> into vector<2x2xi32>
; CHECK: vector.contract {indexing_maps = [#[[BATCH]]{{.*}}} %arg4, %arg4, %{{.*}} into vector<3x2x2xf64>
(defn products [(: a vector<2x4xbf16>) (: b vector<8x4xbf16>) (: c vector<2x8xf32>) (: n vector<4x2xi8>)
                (: batch vector<3x2x4xf64>)]
  (dot a (transpose b) c)
  (dot a b :transpose-b true)
  (dot n n :transpose-a true)
  (dot batch (transpose batch)))

; A number that a loop starts from takes the shape of what the loop adds to it.
; CHECK-LABEL: func.func @carried(%arg0: vector<4xf32>)
; CHECK: %[[START:.*]] = arith.constant dense<0.0{{.*}}> : vector<4xf32>
; CHECK: %[[LOW:.*]] = arith.constant dense<0xFF800000> : vector<4xf32>
; CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[START]], %{{.*}} = %[[LOW]]) -> (vector<4xf32>, vector<4xf32>)
(defn carried [(: a vector<4xf32>)] -> vector<4xf32>
  (def [s m] (fold [s 0.0 m -inf] [i 0 8] [(+ s a) (max m a)]))
  (if (< (sum s) 0.0) m (do s)))

; What a used dialect has wins outside of tile programs, as before these forms were there.
; CHECK-LABEL: func.func @used(%arg0: memref<4xf32>)
; CHECK: memref.load %arg0
(use-dialect memref)
(defn used [(: m memref<4xf32>)] -> f32 (load m 1))
