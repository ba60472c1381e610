; Tile programs: one kernel for each set of constants, and the launches that choose between them.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect memref)

; A run-time value chooses among the programs that are listed; another value fails the assertion.
; CHECK-LABEL: func.func @soft(%arg0: memref<?x?xf32>
; CHECK: math.ctlz
; CHECK: %[[COLS:.*]] = arith.index_cast %{{.*}} : i64 to index
; CHECK: %[[ROWS:.*]] = memref.dim %arg0
; CHECK: cf.assert %{{.*}}, "the constant `cols` of `softmax-rows` is none of 128, 256"
; CHECK: scf.index_switch %[[COLS]]
; CHECK-NEXT: case 128 {
; CHECK: gpu.launch_func @kernels::@"softmax-rows_128" blocks in (%[[ROWS]], %{{.*}}, %{{.*}}) threads in (%[[ONE:.*]], %[[ONE]], %[[ONE]]) args(%arg0 : memref<?x?xf32>, %arg1 : memref<?x?xf32>)
; CHECK: case 256 {
; CHECK: gpu.launch_func @kernels::@"softmax-rows_256"
; CHECK: default {
; CHECK-NEXT: }
(defn soft [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (launch softmax-rows
    {:grid [(memref.dim x 0)] :const {:cols (next-power-of-2 (memref.dim x 1) :among [128 256])}}
    x y))

; Numbers and expressions of numbers are known; a size that the types tell is, too. Two launches share a program.
; CHECK-LABEL: func.func @products
; CHECK-NOT: index_switch
; CHECK: gpu.launch_func @kernels::@matmul_64_64_32 blocks
; CHECK: gpu.launch_func @kernels::@matmul_64_64_32 blocks
; CHECK: gpu.launch_func @kernels::@matmul_64_64_16 blocks
(defn products [(: a memref<?x32xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (launch matmul {:grid [4 4] :const {:bm 64 :bn 64 :bk (* 2 16)}} a b c)
  (launch matmul {:grid [4 4] :const {:bm 64 :bn 64 :bk (memref.dim a 1)}} a b c)
  (launch matmul {:grid [4 4] :const {:bm 64 :bn 64 :bk (min 16 32 :among [16 32])}} a b c))

; Two values that the run knows: one switch inside the other. A name may stand before :among.
; CHECK-LABEL: func.func @both
; CHECK: cf.assert
; CHECK: scf.index_switch %arg0
; CHECK: case 1 {
; CHECK: scf.index_switch %arg1
; CHECK: @twice_1_0
; CHECK: @twice_1_m3
; CHECK: case 2 {
; CHECK: scf.index_switch %arg1
; CHECK: @twice_2_0
; CHECK: @twice_2_m3
(defn both [(: a index) (: b index)]
  (launch twice {:const {:one (a :among [1 2]) :two (b :among [0 -3])}}))
(deftile twice {:const [one two]} [] (def x (+ one two)))

; CHECK-NOT: @squash
; CHECK: func.func @half
; CHECK-NOT: @squash
; CHECK: gpu.module @kernels
; CHECK: gpu.func @"softmax-rows_128"(%[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>, tune = {cols = array<i64: 128, 256>, warps = array<i64: 2, 4>}}
; CHECK: %[[ROW:.*]] = gpu.block_id x
; CHECK: %[[PAD:.*]] = arith.constant 0xFF800000 : f32
; CHECK: %[[V:.*]] = vector.transfer_read %[[X]][%[[ROW]], %{{.*}}], %[[PAD]] : memref<?x?xf32>, vector<1x128xf32>
; CHECK: %[[LEAST:.*]] = arith.constant dense<0xFF800000> : vector<1xf32>
; CHECK: %[[M:.*]] = vector.multi_reduction <maximumf>, %[[V]], %[[LEAST]] [1] : vector<1x128xf32> to vector<1xf32>
; CHECK: %[[MK:.*]] = vector.shape_cast %[[M]] : vector<1xf32> to vector<1x1xf32>
; CHECK: %[[MB:.*]] = vector.broadcast %[[MK]] : vector<1x1xf32> to vector<1x128xf32>
; CHECK: %[[D:.*]] = arith.subf %[[V]], %[[MB]]
; CHECK: %[[E:.*]] = math.exp %[[D]]
; CHECK: vector.multi_reduction <add>, %[[E]]
; CHECK: vector.transfer_write %{{.*}}, %[[Y]][%[[ROW]], %{{.*}}] : vector<1x128xf32>, memref<?x?xf32>
; CHECK: gpu.return
; CHECK: gpu.func @"softmax-rows_256"
; CHECK: vector<1x256xf32>
(deftile softmax-rows "Softmax of each row."
  {:const [cols] :warps 4 :tune {:cols [128 256] :warps [2 4]}} [(: x memref<?x?xf32>) (: y memref<?x?xf32>)]
  (def row (program-id 0))
  (def v (load x [row 0] [1 cols] :else -inf))
  (def e (exp (- v (max v :axis 1 :keep true))))
  (store (/ e (sum e :axis 1 :keep true)) y [row 0]))

; CHECK: gpu.func @matmul_64_64_32(%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[C:.*]]: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<warps = 8, stages = 4>, tile.ring_allowed}
; CHECK: %[[I:.*]] = arith.muli
; CHECK: %[[J:.*]] = arith.muli
; CHECK: %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : vector<64x64xf32>
; CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (vector<64x64xf32>)
; CHECK: %[[TA:.*]] = vector.transfer_read %[[A]][%[[I]], %[[K]]]
; CHECK: %[[TB:.*]] = vector.transfer_read %[[B]][%[[K]], %[[J]]]
; CHECK: vector.contract {{.*}} %[[TA]], %[[TB]], %[[ACC]] : vector<64x32xbf16>, vector<32x64xbf16> into vector<64x64xf32>
; CHECK: vector.transfer_write %[[SUM]], %[[C]][%[[I]], %[[J]]]
(deftile matmul {:const [bm bn bk] :stages 4 :warps 8}
    [(: a memref<?x?xbf16>) (: b memref<?x?xbf16>) (: c memref<?x?xf32>)]
  (def i (* bm (program-id 0)))
  (def j (* bn (program-id 1)))
  (store (fold [acc (zeros f32 [bm bn])] [k 0 (memref.dim a 1) bk]
           (dot (load a [i k] [bm bk]) (load b [k j] [bk bn]) acc))
         c [i j]))

; A program without constants is made even if nothing launches it. Functions of tiles become part of it, and those that
; nothing else calls do not stay on the host; a function of scalars does.
; CHECK: gpu.func @calls(%[[M:.*]]: memref<?xf32>, %[[S:.*]]: f32)
; CHECK: gpu.grid_dim y
; CHECK-NOT: call
; CHECK: %[[T:.*]] = vector.transfer_read
; CHECK: math.tanh %[[T]] : vector<16xf32>
; CHECK-NOT: call
; CHECK: gpu.return
(deftile calls [(: m memref<?xf32>) (: s f32)]
  (store (squash (load m [(* 16 (num-programs 1))] [16]) (half s)) m [0]))
(defn squash [(: v vector<16xf32>) (: by f32)] -> vector<16xf32> (doubled (tanh v) by))
(defn doubled [(: v vector<16xf32>) (: by f32)] -> vector<16xf32> (* 2.0 by v))
(defn half [(: s f32)] -> f32 (* 0.5 s))
