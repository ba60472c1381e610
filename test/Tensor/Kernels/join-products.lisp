; Products of one row with weights of their own, such as queries, keys and values, are one nn.linears, or nn.norm_linears
; with the norm that only they read. Of several rows they stay apart, and the run decides where it knows the number only.
; DEFINE: %{groups} = lispier --emit=module %s -o - | lispier-opt --lispier-inline-tensor-calls --canonicalize --cse --lispier-simplify-shapes --lispier-fuse-elementwise --canonicalize --cse --lispier-form-groups --lispier-bufferize-tensors
; RUN: %{groups} --lispier-match-kernels="multiprocessors=132 groups=one-row-product,product,one-row-products,normed-one-row-products" | FileCheck %s
; RUN: %{groups} --lispier-match-kernels="multiprocessors=132 groups=one-row-product,one-row-products" | FileCheck %s --check-prefix=WIDE
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=KERNEL
; KERNEL-DAG: call @__template_nn.linears
; KERNEL-DAG: call @__template_nn.norm_linears
; RUN: lispier --emit=tiles %s -o - | FileCheck %s --check-prefix=CPU
; CPU-NOT: linears
; RUN: lispier --emit=tiles --target=cuda:sm_90a --explain %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=EXPLAIN
; RUN: lispier run %s | FileCheck %s --check-prefix=VALUE
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s --check-prefix=VALUE

(defn dense [x w] (einsum "tk,nk->tn" x w :out f32))
(defn normed [x g] (* x (rsqrt (+ (mean (* x x) :axis -1 :keep true) 1e-5)) (cast f32 g)))

; CHECK-LABEL: func.func @plain(
; CHECK: scf.if
; CHECK: nn.linears %{{.*}}, %arg1, %arg2, %arg3 bias %arg4 into2 %{{.*}} into3 %{{.*}} into %{{[^ ]*}} {group.kernel = "plain_0"} : memref<1x?xf32>
; CHECK: } else {
; CHECK-COUNT-3: nn.linear %arg0, {{.*}} several_rows
; CHECK-NOT: nn.
; CHECK: return
; EXPLAIN: kernel plain_0, nn.linears: lines [[#@LINE-10]], [[#@LINE+4]], [[#@LINE+5]], [[#@LINE+6]]
; EXPLAIN: reads {{.*}} k l {{.*}} k m {{.*}} k n
(defn plain [(: x (tensor t k f32)) (: q (tensor n k bf16)) (: key (tensor m k bf16)) (: v (tensor l k bf16))
             (: b (tensor n bf16))]
  [(+ (dense x q) b)
   (dense x key)
   (dense x v)])

; CHECK-LABEL: func.func @"with-norm"(
; CHECK-NOT: group.kernel
; CHECK: scf.if
; CHECK-NOT: group.kernel
; CHECK: nn.norm_linears %{{.*}}, %arg1 epsilon %{{.*}} through %{{.*}}, %arg2, %arg3, %arg4 into2
; CHECK: } else {
; CHECK: group.kernel "with-norm_0" kind(row)
; CHECK-COUNT-3: nn.linear %{{.*}} several_rows
; CHECK: return
(defn with-norm [(: x (tensor t k f32)) (: g (tensor k bf16)) (: q (tensor n k bf16)) (: key (tensor m k bf16))
                 (: v (tensor l k bf16))]
  (def h (normed x g))
  [(dense h q) (dense h key) (dense h v)])

; Weights of F32, of which only one row has a hand-written kernel.
; CHECK-LABEL: func.func @wide(
; WIDE-LABEL: func.func @wide(
; WIDE: scf.if
; WIDE: nn.linears {{.*}} : memref<1x?xf32>, memref<?x?xf32>, memref<?x?xf32>
; WIDE: } else {
; WIDE-COUNT-2: group.kernel {{.*}} kind(contraction)
; WIDE-NOT: nn.
; WIDE: return
(defn wide [(: x (tensor t k f32)) (: key (tensor m k f32)) (: v (tensor l k f32))] [(dense x key) (dense x v)])

; A norm that something else reads stays.
; CHECK-LABEL: func.func @"norm-read-elsewhere"(
; CHECK: group.kernel {{.*}} kind(row)
; CHECK: nn.linears
; CHECK-NOT: norm_linears
; CHECK: return
(defn norm-read-elsewhere [(: x (tensor 1 k f32)) (: g (tensor k bf16)) (: key (tensor m k bf16)) (: v (tensor l k bf16))]
  (def h (normed x g))
  [h (dense h key) (dense h v)])

; Four products: three in one launch.
; CHECK-LABEL: func.func @four(
; CHECK: nn.linears %arg0, %arg1, %arg2, %arg3 into2
; CHECK: nn.linear %arg0, %arg4 into
; CHECK: return
(defn four [(: x (tensor 1 k f32)) (: a (tensor n k bf16)) (: b (tensor m k bf16)) (: c (tensor l k bf16))
            (: d (tensor j k bf16))]
  [(dense x a) (dense x b) (dense x c) (dense x d)])

; An activation, a residual, several rows, or another x.
; CHECK-LABEL: func.func @apart(
; CHECK-NOT: nn.linears
; CHECK: return
(defn apart [(: x (tensor 1 k f32)) (: y (tensor 1 k f32)) (: z (tensor 8 k f32)) (: r (tensor 1 n f32))
             (: a (tensor n k bf16)) (: b (tensor n k bf16)) (: c (tensor n k bf16))]
  [(silu (dense x a)) (+ r (dense x b)) (dense x c) (dense y a) (dense z b) (dense z c)])

; The second product has another x after the update.
; CHECK-LABEL: func.func @updated(
; CHECK-NOT: nn.linears
; CHECK: return
(defn updated [(: x (inout (tensor 1 k f32))) (: a (tensor n k bf16)) (: b (tensor m k bf16))]
  (def first (dense x a))
  (update x (cast f32 (slice first :axis 1 :to 1)) [0 0])
  [first (dense x b)])

; The second product's x is the first one's result.
; CHECK-LABEL: func.func @chain(
; CHECK-NOT: nn.linears
; CHECK: return
(defn chain [(: x (tensor 1 k f32)) (: a (tensor k k bf16)) (: b (tensor m k bf16))]
  (dense (dense x a) b))

(defn numbers [(: n index) (: k index) (: seed f32)] -> (tensor _ _ bf16)
  (cast bf16 (sin (* seed (+ (* 7.0 (iota f32 [n k] :axis 0)) (iota f32 [n k] :axis 1))))))
(defn sums [x] (sum (* x (+ 1.0 (iota f32 [(dim x 1)]))) :axis 1))
(defn first [y] (slice y :axis 0 :to 1))
(defn close [x y] (< (max (abs (- x y))) 1e-3))
; One row, and the same as the first of two.
(defn check [(: k index)]
  (def x (sin (* 0.7 (iota f32 [2 k] :axis 1))))
  (def row (slice x :axis 0 :to 1))
  (def g (reshape (numbers 1 k 0.9) [k]))
  (def [q key v b] [(numbers 40 k 0.31) (numbers 24 k 0.17) (numbers 8 k 0.23) (reshape (numbers 1 40 0.5) [40])])
  (def [q1 k1 v1] (plain row q key v b))
  (def [q2 k2 v2] (plain x q key v b))
  (def [q3 k3 v3] (with-norm row g q key v))
  (def [q4 k4 v4] (with-norm x g q key v))
  (def [a1 a2 a3 a4] (four row q key v v))
  (println (close q1 (first q2)))
  (println (close k1 (first k2)))
  (println (close v1 (first v2)))
  (println (close q3 (first q4)))
  (println (close k3 (first k4)))
  (println (close v3 (first v4)))
  (println (close a4 v1))
  (def [key32 v32] [(cast f32 key) (cast f32 v)])
  (def [k5 v5] (wide row key32 v32))
  (def [k6 v6] (wide x key32 v32))
  (println (close k5 (first k6)))
  (println (close v5 (first v6))))
; VALUE-COUNT-18: i1 [] true
(defn main [] (check 256) (check 20))
