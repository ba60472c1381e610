; The constants of a tile program: in sizes, in conditions, and as keywords of the functions that it calls.
; RUN: lispier --emit=module %s | FileCheck %s
(require-dialect scf)
(require ["./Inputs/library.lisp" :as lib])

(defn main [(: m memref<?xf32>)]
  (launch sized {:const {:n 8 :doubles true}} m)
  (launch sized {:const {:n 8 :doubles false}} m)
  (launch lib/filled {:const {:n 2}} m)
  (launch joined {:const {:n 4 :epilogue tanh :type bf16}} m)
  (launch joined {:const {:n 4 :epilogue halved :type f16}} m)
  (launch joined {:const {:n 4 :epilogue halved :type f16}} m))

; CHECK: gpu.func @filled_2
; CHECK: dense<1.0{{.*}}> : vector<2xf32>

; An `if` on constants leaves one branch, so that the other one's shapes may be wrong for these constants.
; CHECK: gpu.func @sized_8_1(%[[M:.*]]: memref<?xf32>)
; CHECK: vector.transfer_read %[[M]]{{.*}} : memref<?xf32>, vector<4xf32>
; CHECK-NOT: scf.if
; CHECK: %[[TWICE:.*]] = arith.addf {{.*}} : vector<4xf32>
; CHECK-NOT: scf.if
; CHECK: %[[COLUMN:.*]] = vector.shape_cast %[[TWICE]] : vector<4xf32> to vector<2x2x1xf32>
; CHECK: vector.broadcast %[[COLUMN]] : vector<2x2x1xf32> to vector<2x2x8xf32>
; CHECK: gpu.func @sized_8_0(%[[M:.*]]: memref<?xf32>)
; CHECK-NOT: arith.addf
; CHECK: %[[T:.*]] = vector.transfer_read
; CHECK-NOT: arith.addf
; CHECK: vector.shape_cast %[[T]] : vector<4xf32> to vector<2x2x1xf32>
; CHECK: gpu.return
(deftile sized {:const [n doubles]} [(: m memref<?xf32>)]
  (def half (/ n 2))
  (def t (load m [0] [(if (> n 4) half (* 2 half))]))
  (def u (if (= doubles 1) (+ t t) t))
  (def v (if (= n 7) (+ u (zeros f32 [3])) u))
  (store (reshape (spread v :columns n :parts (/ half 2)) [(* n half)]) m [0]))

; A branch with a yield of its own needs the op.
; CHECK: gpu.func @yields
; CHECK: scf.if
(deftile yields [(: m memref<?xf32>)]
  (store (if (= 1 1) (do (scf.yield (zeros f32 [4]))) (full f32 [4] 1.0)) m [0]))

; Functions and types are constants, too: their names stand in the place of the constant's.
; CHECK: gpu.func @joined_4_tanh_bf16
; CHECK: math.tanh %{{.*}} : vector<4xf32>
; CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
; CHECK: gpu.func @joined_4_halved_f16
; CHECK: arith.mulf
; CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
; CHECK-NOT: gpu.func @joined
(deftile joined {:const [n epilogue type]} [(: m memref<?xf32>)]
  (store (cast f32 (cast type (epilogue (load m [0] [n])))) m [0]))
(defn halved [x] (* 0.5 x))

(defn spread [x & {:columns 1 :parts 1}]
  (broadcast (reshape x [parts 2 1]) [parts 2 columns]))
