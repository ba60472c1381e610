; A product with bias, activation and residual is nn.linear, with the normalisation before it nn.norm_linear, for the
; kinds of groups that have hand-written kernels: on a CPU others than on a GPU.
; DEFINE: %{groups} = lispier --emit=module %s -o - | lispier-opt --lispier-inline-tensor-calls --canonicalize --cse --convert-elementwise-to-linalg --lispier-form-structures --lispier-simplify-shapes --lispier-fuse-elementwise --canonicalize --cse --lispier-form-groups --lispier-bufferize-tensors
; DEFINE: %{gpu-kinds} = one-row-product,product,layer-norm-before-product,normed-one-row-product,gated-one-row-product
; RUN: %{groups} --lispier-match-kernels="multiprocessors=132 groups=%{gpu-kinds}" | FileCheck %s --check-prefixes=CHECK,GPU
; RUN: %{groups} --lispier-match-kernels="multiprocessors=132 groups=%{gpu-kinds},normed-product" | FileCheck %s --check-prefix=FACTORS
; RUN: %{groups} --lispier-match-kernels=groups=one-row-product,product,layer-norm | FileCheck %s --check-prefixes=CHECK,CPU
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=INDEX
; RUN: lispier --emit=tiles %s -o - | FileCheck %s --check-prefix=INDEX
; RUN: lispier --emit=tiles --target=cuda:sm_90a %s -o - | FileCheck %s --check-prefix=KERNEL
; RUN: lispier --emit=tiles --target=cuda:sm_90a --print-pipeline %s 2>&1 >%t | FileCheck %s --check-prefix=OPTIONS
; A reproducer runs the pass as the compiler did.
; OPTIONS: lispier-match-kernels{groups={one-row-product,product,layer-norm-before-product,normed-one-row-product,normed-product,gated-one-row-product,one-row-products,normed-one-row-products,attention,whole-attention,rotated-attention} match=true multiprocessors=132 {{ *}}wide-attention={16896,65,256}{{ *}}wide-finished-product=4325376{{ *}}wide-product=8650752}
; KERNEL-LABEL: func.func @layer(
; KERNEL: call @__template_nn.linear
; KERNEL-LABEL: func.func @normed(
; KERNEL: call @__template_nn.norm_linear

; CHECK-LABEL: func.func @layer(
; CHECK: nn.linear %arg0, %arg1 bias %arg2 residual %arg3 into %{{[^ ]*}} {activation = #nn<activation gelu_tanh>, group.kernel = "layer_0"}
; CHECK-NOT: group.kernel "layer
(defn layer [(: x (tensor t c f32)) (: w (tensor n c bf16)) (: b (tensor n bf16)) (: r (tensor t n f32))]
  (+ r (gelu (linear x w b))))

; Also of one row that the type knows of.
; CHECK-LABEL: func.func @"one-row"(
; CHECK: nn.linear %arg0, %arg1 bias %arg2 residual %arg3 into %{{[^ ]*}} {activation = #nn<activation gelu_tanh>, group.kernel = "one-row_0"}
; CHECK-NOT: group.kernel "one-row
(defn one-row [(: x (tensor 1 c f32)) (: w (tensor n c bf16)) (: b (tensor n bf16)) (: r (tensor 1 n f32))]
  (+ r (gelu (linear x w b))))

; Other ways to write activations; relu of a product without a bias.
; CHECK-LABEL: func.func @swish(
; CHECK: nn.linear {{.*}} {activation = #nn<activation silu>,
(defn swish [(: x (tensor t c f32)) (: w (tensor n c bf16))]
  (let [y (einsum "tc,nc->tn" x w)] (/ y (+ 1.0 (exp (- y))))))
; CHECK-LABEL: func.func @rectified(
; CHECK: nn.linear {{.*}} {activation = #nn<activation rectify>,
(defn rectified [(: x (tensor t c f32)) (: w (tensor n c bf16))]
  (let [y (einsum "tc,nc->tn" x w)] (where (> y 0) y 0)))

; Of 16-bit floats and several rows, too, with the residual that a layer adds.
; CHECK-LABEL: func.func @narrow(
; CHECK: nn.linear %arg0, %arg1 bias %arg2 residual %arg3
; CHECK-NOT: group.kernel "narrow
(defn narrow [(: x (tensor 8 c bf16)) (: w (tensor n c bf16)) (: b (tensor n bf16)) (: r (tensor 8 n f32))]
  (+ r (+ (einsum "tc,nc->tn" x w :out f32) b)))

; CHECK-LABEL: func.func @normed(
; GPU-NOT: group.kernel "normed_
; GPU: nn.norm_linear %arg0, %arg1, %arg2 epsilon %{{.*}} through %{{.*}}, %arg3 bias %arg4 into %{{[^ ]*}} {group.apart
; CPU: nn.layer_norm %arg0, %arg1, %arg2 epsilon
; CPU: nn.linear
; Where a kernel rounds its factors, several rows have memory for these.
; FACTORS-LABEL: func.func @normed(
; FACTORS: scf.if
; FACTORS: nn.norm_linear {{.*}} memref<1x?xf32>
; FACTORS: } else {
; FACTORS: %[[MEMORY:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64, group.intermediate} : memref<?xbf16>
; FACTORS: nn.norm_product %arg0, %arg1, %arg2 epsilon %{{.*}} through %[[MEMORY]], %arg3 bias %arg4 into
; FACTORS: memref.dealloc %[[MEMORY]]
(defn normed [(: x (tensor t c f32)) (: g (tensor c bf16)) (: b (tensor c bf16)) (: w (tensor n c bf16)) (: c2 (tensor n bf16))]
  (linear (layer-norm x g b :eps 1e-6) w c2))
; The mean of what is left after the mean is subtracted, too, or not.
; CHECK-LABEL: func.func @centred_once(
; GPU: nn.norm_linear
; CHECK-LABEL: func.func @centred_twice(
; GPU: nn.norm_linear
(defn normed-rows [d g b] (+ (* d (rsqrt (+ (mean (* d d) :axis -1 :keep true) 1e-5)) g) b))
(defn centred_once [(: x (tensor t 768 f32)) (: g (tensor 768 bf16)) (: b (tensor 768 bf16)) (: w (tensor n 768 bf16))]
  (einsum "tc,nc->tn" (normed-rows (- x (mean x :axis -1 :keep true)) g b) w))
(defn centred_twice [(: x (tensor t 768 f32)) (: g (tensor 768 bf16)) (: b (tensor 768 bf16)) (: w (tensor n 768 bf16))]
  (let [a (- x (mean x :axis -1 :keep true))]
    (einsum "tc,nc->tn" (normed-rows (- a (mean a :axis -1 :keep true)) g b) w)))
; A variance by other means, of a mean that is subtracted elsewhere.
; CHECK-LABEL: func.func @normed_otherwise(
; GPU: nn.norm_linear
(defn normed_otherwise [(: x (tensor t 768 f32)) (: g (tensor 768 bf16)) (: b (tensor 768 bf16)) (: w (tensor n 768 bf16))]
  (def m (mean x :axis -1 :keep true))
  (def variance (- (mean (* x x) :axis -1 :keep true) (* m m)))
  (einsum "tc,nc->tn" (+ b (* g (/ (- x m) (sqrt (+ variance 1e-5))))) w))
; Of the last row alone: that of x is taken, too.
; CHECK-LABEL: func.func @last(
; GPU: %[[ROW:.*]] = memref.subview %arg0[
; GPU: %[[X:.*]] = memref.expand_shape %[[ROW]]
; GPU: nn.norm_linear %[[X]], %arg1, %arg2
(defn last [(: x (tensor t c f32)) (: g (tensor c bf16)) (: b (tensor c bf16)) (: w (tensor n c bf16))]
  (einsum "c,nc->n" (at (layer-norm x g b) (- t 1)) w))
; The number of columns as an integer of the host, which is that of x.
; CHECK-LABEL: func.func @normed_parts(
; GPU: nn.norm_linear
(defn normed_parts [(: columns i64) (: x (tensor t _ f32)) (: g (tensor _ bf16)) (: b (tensor _ bf16)) (: w (tensor n _ bf16))]
  (def c (cast index columns))
  (einsum "tc,nc->tn" (layer-norm (slice x [0 0] [t c]) (slice g [0] [c]) (slice b [0] [c])) (slice w [0 0] [n c])))
; CHECK-LABEL: func.func @divided_otherwise(
; GPU-NOT: nn.norm_linear
; GPU: return
(defn divided_otherwise [(: other i64) (: x (tensor t c f32)) (: g (tensor c bf16)) (: b (tensor c bf16)) (: w (tensor n c bf16))]
  (def n (cast f32 other))
  (def centered (- x (/ (sum x :axis -1 :keep true) n)))
  (def variance (/ (sum (* centered centered) :axis -1 :keep true) n))
  (einsum "tc,nc->tn" (+ (* (/ centered (sqrt (+ variance 1e-5))) g) b) w))
; RMS norm, for one row in the product; for several the group is as fast. Its number of columns is that of x.
; CHECK-LABEL: func.func @rms(
; GPU: scf.if
; GPU: nn.norm_linear %{{[^,]*}}, %arg1 epsilon %{{.*}} through %{{.*}}, %arg2 into {{.*}} : memref<1x?xf32>
; GPU: } else {
; GPU: group.kernel "rms_0"
; GPU: nn.linear %{{.*}} several_rows
(defn rms [(: x (tensor t c f32)) (: g (tensor c bf16)) (: w (tensor n c bf16))]
  (einsum "tc,nc->tn" (rms-norm x g) w))
; CHECK-LABEL: func.func @rms_of_one(
; GPU-NOT: group.kernel
; GPU: nn.norm_linear %{{[^,]*}}, %arg1 epsilon %arg3 through %{{.*}}, %arg2 into
(defn rms_of_one [(: x (tensor 1 64 f32)) (: g (tensor 64 bf16)) (: w (tensor 64 64 bf16)) (: e f32)]
  (einsum "tc,nc->tn" (/ (* (cast f32 g) x) (sqrt (+ e (/ (sum (* x x) :axis -1 :keep true) 64.0)))) w))
; The root by another name, the weight divided by it, squares by pow, an epsilon that is subtracted, and none.
; CHECK-LABEL: func.func @rms_by_pow(
; GPU: nn.norm_linear
; CHECK-LABEL: func.func @rms_by_root_pow(
; GPU: nn.norm_linear
; CHECK-LABEL: func.func @rms_of_divided_weight(
; GPU: nn.norm_linear
; CHECK-LABEL: func.func @rms_of_pow(
; GPU: nn.norm_linear
; CHECK-LABEL: func.func @rms_less_epsilon(
; GPU: nn.norm_linear
; CHECK-LABEL: func.func @rms_without_epsilon(
; GPU: nn.norm_linear
; CHECK-LABEL: func.func @norm_by_pow(
; GPU: nn.norm_linear
(defmacro rms [name formula]
  `(defn ~name [(: x (tensor 1 64 f32)) (: g (tensor 64 bf16)) (: w (tensor 64 64 bf16))]
     (def square (mean (* x x) :axis -1 :keep true))
     (einsum "tc,nc->tn" ~formula w)))
(rms rms_by_pow (* g (* x (pow (+ 1e-5 square) -0.5))))
(rms rms_by_root_pow (/ (* x g) (pow (+ square 1e-5) 0.5)))
(rms rms_of_divided_weight (* x (/ g (sqrt (+ square 1e-5)))))
(rms rms_of_pow (* x (rsqrt (+ (mean (pow x 2.0) :axis -1 :keep true) 1e-5)) g))
(rms rms_less_epsilon (* x (rsqrt (- square -1e-5)) g))
(rms rms_without_epsilon (* x (rsqrt square) g))
(defn norm_by_pow [(: x (tensor 1 64 f32)) (: g (tensor 64 bf16)) (: b (tensor 64 bf16)) (: w (tensor 64 64 bf16))]
  (def d (- x (mean x :axis -1 :keep true)))
  (einsum "tc,nc->tn" (+ b (* d (/ g (pow (+ (mean (pow d 2.0) :axis -1 :keep true) 1e-5) 0.5)))) w))
; Another power is another formula.
; CHECK-LABEL: func.func @rms_of_cubes(
; GPU-NOT: nn.norm_linear
; CHECK-LABEL: func.func @rms_by_cube_root(
; GPU-NOT: nn.norm_linear
; GPU: return
(rms rms_of_cubes (* x (rsqrt (+ (mean (pow x 3.0) :axis -1 :keep true) 1e-5)) g))
(rms rms_by_cube_root (* x (pow (+ square 1e-5) -0.25) g))
; CHECK-LABEL: func.func @rms_otherwise(
; GPU-NOT: nn.norm_linear
; GPU: return
(defn rms_otherwise [(: x (tensor t c f32)) (: g (tensor c bf16)) (: w (tensor n c bf16))]
  (einsum "tc,nc->tn" (* x (rsqrt (+ (/ (sum (* x x) :axis -1 :keep true) (cast f32 n)) 1e-5)) (cast f32 g)) w))
; CHECK-LABEL: func.func @rms_of_absolutes(
; GPU-NOT: nn.norm_linear
; GPU: return
(defn rms_of_absolutes [(: x (tensor t c f32)) (: g (tensor c bf16)) (: w (tensor n c bf16))]
  (einsum "tc,nc->tn" (* (abs x) (rsqrt (+ (mean (* x x) :axis -1 :keep true) 1e-5)) (cast f32 g)) w))

; A gate of a product with a norm before it, for one row; for several the three groups are as fast.
; CHECK-LABEL: func.func @gated(
; GPU: scf.if
; GPU: nn.norm_linear %{{[^,]*}}, %arg1 epsilon %{{.*}} {activation = #nn<activation silu>, gated,
; GPU: } else {
; GPU: group.kernel "gated_0"
; GPU: nn.linear %{{.*}} several_rows
; GPU: group.kernel "gated_2"
; GPU: }
; GPU: return
(defn gated [(: x (tensor t c f32)) (: g (tensor c bf16)) (: w (tensor n c bf16))]
  (def [gate up] (split (einsum "tc,nc->tn" (rms-norm x g) w) 2 :axis 1))
  (cast bf16 (* (silu gate) up)))
; Of one row that the type knows of: its gate has no dimension of rows.
; CHECK-LABEL: func.func @gated_row(
; GPU-NOT: group.kernel
; GPU: nn.norm_linear %arg0, %arg1 epsilon %{{.*}} into %{{.*}} {activation = #nn<activation silu>, gated, {{.*}} memref<1x32xf32>
; GPU-NOT: group.kernel
; GPU: return
(defn gated_row [(: x (tensor 1 64 f32)) (: g (tensor 64 bf16)) (: w (tensor 64 64 bf16))]
  (def [gate up] (split (einsum "tc,nc->tn" (rms-norm x g) w) 2 :axis 1))
  (* up (silu gate)))
; The halves the other way round, and parts that are no halves.
; CHECK-LABEL: func.func @gated_by_second(
; GPU-NOT: gated,
; GPU: return
(defn gated_by_second [(: x (tensor 1 64 f32)) (: g (tensor 64 bf16)) (: w (tensor 64 64 bf16))]
  (def [up gate] (split (einsum "tc,nc->tn" (rms-norm x g) w) 2 :axis 1))
  (* up (silu gate)))
; CHECK-LABEL: func.func @gated_by_quarters(
; GPU-NOT: gated,
; GPU: return
(defn gated_by_quarters [(: x (tensor 1 64 f32)) (: g (tensor 64 bf16)) (: w (tensor 64 64 bf16))]
  (def [gate up rest more] (split (einsum "tc,nc->tn" (rms-norm x g) w) 4 :axis 1))
  (* up (silu gate)))
; Another use of the outputs, and a gate by other means.
; CHECK-LABEL: func.func @gated_and_kept(
; GPU-NOT: gated,
; GPU: return
(defn gated_and_kept [(: x (tensor t c f32)) (: g (tensor c bf16)) (: w (tensor n c bf16))]
  (def y (einsum "tc,nc->tn" (rms-norm x g) w))
  (def [gate up] (split y 2 :axis 1))
  [(* (gelu gate) up) (sum y :axis 1)])
; CHECK-LABEL: func.func @gated_otherwise(
; GPU-NOT: gated,
; GPU: return
(defn gated_otherwise [(: x (tensor t c f32)) (: g (tensor c bf16)) (: w (tensor n c bf16))]
  (def [gate up] (split (einsum "tc,nc->tn" (rms-norm x g) w) 2 :axis 1))
  (* (silu gate) (tanh up)))

; Products with weights of F32 are generated, apart from those of one row: so say the kernels.
; INDEX-LABEL: func.func @wide(
; INDEX: scf.if
; INDEX: call @__template_nn.linear{{.*}}memref<1x?xf32
; INDEX: } else {
; INDEX-NOT: __template
; INDEX: return
(defn wide [(: x (tensor t c f32)) (: w (tensor n c f32))] (einsum "tc,nc->tn" x w))
; INDEX-LABEL: func.func @wide_rows(
; INDEX-NOT: __template
; INDEX: return
(defn wide_rows [(: x (tensor 8 c f32)) (: w (tensor n c f32))] (einsum "tc,nc->tn" x w))
; INDEX-LABEL: func.func @one(
; INDEX: call @__template_nn.linear
(defn one [(: x (tensor 1 c f32)) (: w (tensor n c f32))] (einsum "tc,nc->tn" x w))

; The comparison the other way round leaves NaN, as the maximum does.
; CHECK-LABEL: func.func @rectified_otherwise(
; CHECK: nn.linear {{.*}} {activation = #nn<activation relu>,
(defn rectified_otherwise [(: x (tensor t c f32)) (: w (tensor n c bf16))]
  (let [y (einsum "tc,nc->tn" x w)] (where (< y 0) 0 y)))

; The weight's rows lie apart; an activation that there is no kernel for; a precision that is asked for; a bias of rows.
; CHECK-LABEL: func.func @untransposed(
; CHECK-NOT: nn.linear
; CHECK: return
(defn untransposed [(: x (tensor t c f32)) (: w (tensor c n bf16))] (einsum "tc,cn->tn" x w))
; CHECK-LABEL: func.func @leaky(
; CHECK-NOT: nn.linear
; CHECK: return
(defn leaky [(: x (tensor t c f32)) (: w (tensor n c bf16))]
  (let [y (einsum "tc,nc->tn" x w)] (max y (* 0.1 y))))
; CHECK-LABEL: func.func @erf_gelu(
; CHECK-NOT: nn.linear
; CHECK: return
(defn erf_gelu [(: x (tensor t c f32)) (: w (tensor n c bf16)) (: b (tensor n bf16))] (gelu-erf (linear x w b)))
; CHECK-LABEL: func.func @bias_of_rows(
; CHECK-NOT: nn.linear
; CHECK: return
(defn bias_of_rows [(: x (tensor t c f32)) (: w (tensor n c bf16)) (: b (tensor t f32))]
  (+ (einsum "tc,nc->tn" x w) (reshape b [t 1])))

; One of known sizes that gives each multiprocessor of a large GPU wide tiles is generated.
; KERNEL-LABEL: func.func @filling(
; KERNEL-NOT: call
; KERNEL: return
; KERNEL-LABEL: gpu.func @filling_0(
; KERNEL: vector.contract {{.*}} into vector<128x256xf32>
; CHECK-LABEL: func.func @filling(
; CHECK: nn.linear
(defn filling [(: x (tensor 4096 64 bf16)) (: w (tensor 4096 64 bf16))] (einsum "tc,nc->tn" x w :out f32))
