; A long row that is read for its statistics, and again for results as long as it is, is copied to shared memory once, and
; stays there for all loops over it.
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s
; RUN: lispier --emit=ptx --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=PTX
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s --check-prefix=VALUE
(require-dialect memref)

; The loss of each row and its gradient: one loop for the maximum, one for the sum, one for the results. The number of the
; element that counts is read while the row is on its way.
; CHECK-LABEL: gpu.func @classify_0(
; CHECK-SAME: tile.keeps_rows, tile.program = #tile.program<warps = 16>
; CHECK: memref.load
; CHECK: scf.if
; CHECK: scf.for {{.*}} -> (vector<4096xf32>)
; CHECK-NEXT: vector.transfer_read %arg0
; CHECK-NOT: math.exp2
; CHECK: arith.maximumf
; CHECK-NEXT: scf.yield
; CHECK: scf.for {{.*}} -> (vector<4096xf32>)
; CHECK-NEXT: vector.transfer_read %arg0
; CHECK: math.exp2
; CHECK: scf.for
; CHECK-NEXT: vector.transfer_read %arg0
; CHECK: vector.transfer_write
; PTX-LABEL: .entry classify_0(
; PTX: cp.async.cg.shared.global {{.*}}, 16
; PTX: ld.global
; PTX: cp.async.wait_group
; PTX: ld.shared.v4
; PTX: ex2
; PTX: ld.shared.v4
; PTX-NOT: ld.global.v4
; PTX: st.global.v4
; PTX-LABEL: .entry classify_0_unaligned(
(defn classifier [logits targets]
  (def x (cast f32 logits))
  (def most (max x :axis -1 :keep true))
  (def e (exp (- x most)))
  (def z (sum e :axis -1 :keep true))
  (def hit (= (iota i32 [(dim logits -1)]) (reshape targets [(dim logits 0) 1])))
  [(- (+ most (log z)) (sum (where hit x 0.0) :axis -1 :keep true))
   (cast bf16 (- (/ e z) (where hit 1.0 0.0)))])
(defn classify [(: x (tensor 3 20008 bf16)) (: targets (tensor 3 i32))] (classifier x targets))

; Rows of an odd length begin anywhere: their copies, also of 16 bytes, begin up to 14 bytes before them.
; CHECK-LABEL: gpu.func @odd_0(
; CHECK-SAME: tile.keeps_rows
; PTX-LABEL: .entry odd_0(
; PTX: cp.async.cg.shared.global {{.*}}, 16
; PTX: ld.shared.b16
; PTX: ld.shared.b16
; PTX-NOT: ld.global.b16
; PTX: .entry
(defn odd [(: x (tensor 8 17001 bf16))] (softmax x))
; Whose memory is no multiple of 16 bytes they are read element by element.
(defn odder [(: x (tensor 3 17001 bf16))] (softmax x))

; Elements that are a function of what is read are computed once for the maximum and the sum.
; CHECK-LABEL: gpu.func @costly_0(
; CHECK-SAME: tile.keeps_rows
; CHECK: scf.for {{.*}} -> (f32, vector<4096xf32>)
; CHECK: math.tanh
; CHECK: scf.for
; CHECK: math.tanh
; CHECK-NOT: math.tanh
; CHECK: gpu.return
(defn costly [(: x (tensor 3 20008 bf16))] (softmax (tanh x)))

; Room for one block of a multiprocessor alone.
; CHECK-LABEL: gpu.func @whole_0(
; CHECK-SAME: tile.keeps_rows, tile.program = #tile.program<warps = 32>
(defn whole [(: x (tensor 2 40000 f32))] (softmax x))
; For none.
; CHECK-LABEL: gpu.func @longer_0(
; CHECK-NOT: tile.keeps_rows
; CHECK: math.exp
(defn longer [(: x (tensor 2 60000 f32))] (softmax x))
; Statistics alone need the row once.
; CHECK-LABEL: gpu.func @statistics_0(
; CHECK-NOT: tile.keeps_rows
; CHECK: math.exp
(defn statistics [(: x (tensor 3 20008 bf16))] (logsumexp (cast f32 x) :axis -1))

; Memory for rows: sixteenths, and a maximum at the last place but one.
(defmacro with-rows [T rows columns x y & body]
  (let [type (str "memref<" rows "x" columns "x" T ">")]
    `(let [~x (memref.alloc {:result ~type}) ~y (memref.alloc {:result ~type})]
       (for [i 0 ~rows]
         (for [j 0 ~columns]
           (def number (+ (% (+ (* 31 j) (* 7 i)) 61) (if (= j ~(- columns 2)) 90 0)))
           (memref.store (cast ~T (/ (cast f32 (cast i32 number)) 16.0)) ~x i j)))
       ~@body)))

; Of results beside softmax(f(x)), `off` more at each place, the largest error relative to what is wanted: BF16 rounds to
; 0.004, and an element of another place differs by 0.06 or more.
(defmacro check [rows columns x y f off]
  `(println "%d"
     (cast i32 (< 1e-2
       (fold [worst (: 0.0 f64)] [i 0 ~rows]
         (def sum (fold [s (: 0.0 f64)] [j 0 ~columns] (+ s (exp (~f (cast f64 (memref.load ~x i j)))))))
         (fold [worst worst] [j 0 ~columns]
           (def wanted (+ (/ (exp (~f (cast f64 (memref.load ~x i j)))) sum) (~off i j)))
           (max worst (/ (abs (- (cast f64 (memref.load ~y i j)) wanted)) (+ (abs wanted) 1e-7)))))))))
(defmacro same [x] x)
(defmacro nothing [i j] `(: 0.0 f64))
(defmacro minus-target [i j] `(if (= ~j (+ 5 (* 10001 ~i))) (: -1.0 f64) (: 0.0 f64)))

(defn main []
  ; VALUE: {{^0$}}
  (with-rows bf16 3 20008 x y
    (def losses (memref.alloc {:result memref<3x1xf32>}))
    (let [[loss dx] (classify (load x) (+ 5 (* 10001 (iota i32 [3]))))]
      (store loss losses)
      (store dx y))
    (check 3 20008 x y same minus-target)
    ; VALUE-NEXT: {{^0$}}
    (println "%d" (cast i32 (< 1e-5
      (fold [worst (: 0.0 f64)] [i 0 3]
        (def sum (fold [s (: 0.0 f64)] [j 0 20008] (+ s (exp (cast f64 (memref.load x i j))))))
        (def loss (- (log sum) (cast f64 (memref.load x i (+ 5 (* 10001 i))))))
        (max worst (abs (- loss (cast f64 (memref.load losses i 0))))))))))
  ; VALUE-COUNT-4: {{^0$}}
  (with-rows bf16 8 17001 x y (store (odd (load x)) y) (check 8 17001 x y same nothing))
  (with-rows bf16 3 17001 x y (store (odder (load x)) y) (check 3 17001 x y same nothing))
  (with-rows bf16 3 20008 x y (store (costly (load x)) y) (check 3 20008 x y tanh nothing))
  (with-rows f32 2 40000 x y (store (whole (load x)) y) (check 2 40000 x y same nothing)))
