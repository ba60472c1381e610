; Every lowering of one op with dynamic sizes: nn.layer_norm is loops on a CPU (its decomposition, or the CPU's template),
; and shuffles within a warp on a GPU, because a template replaces it.
; RUN: lispier run --templates=false %s | FileCheck %s
; RUN: lispier run %s | FileCheck %s
; RUN: lispier --emit=loops --target=cuda %s | FileCheck %s --check-prefix=LOOPS
; RUN: lispier --emit=ptx --target=cuda:sm_80 %s -o %t.ptx && FileCheck %s --input-file=%t.ptx --check-prefix=PTX
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.hsaco && llvm-objdump -d %t.hsaco | FileCheck %s --check-prefix=HSACO
(require-dialect nn memref math)

(defkernel layer-norm-rows [(: x memref<?x?xf32>) (: weight memref<?xbf16>) (: bias memref<?xbf16>)
                            (: y memref<?x?xf32>) (: epsilon f32)]
  (def row (block-id :x))
  (def C (memref.dim x 1))
  (def each (/ (: 1.0 f32) (cast f32 C)))
  (def mean (* each (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) C (warp-size)]
                                        (+ s (memref.load x row c))))))
  (def variance (* each (warp-reduce :add (fold [s (: 0.0 f32)] [c (lane-id) C (warp-size)]
                                            (def d (- (memref.load x row c) mean))
                                            (+ s (* d d))))))
  (def scale (math.rsqrt (+ variance epsilon)))
  (for [c (lane-id) C (warp-size)]
    (memref.store (+ (* (* (- (memref.load x row c) mean) scale) (cast f32 (memref.load weight c)))
                     (cast f32 (memref.load bias c)))
                  y row c)))

(deftemplate nn.layer_norm {:for [gpu]} [(: x memref<?x?xf32>) (: weight memref<?xbf16>) (: bias memref<?xbf16>)
                                         (: y memref<?x?xf32>) (: epsilon f32)]
  (launch layer-norm-rows {:grid [(memref.dim x 0)] :block [32]} x weight bias y epsilon))

; LOOPS: gpu.func @layer_norm_rows
; LOOPS: gpu.launch_func @kernels::@layer_norm_rows
; LOOPS: call @__template_nn.layer_norm
; PTX: .entry layer_norm_rows(
; PTX-COUNT-10: shfl.sync.bfly.b32
; HSACO: <layer_norm_rows>:
; Half of a wave of 64: five steps, as on NVIDIA, among the lanes that there are.
; HSACO-COUNT-10: {{ds_bpermute|ds_swizzle|_dpp}}
; HSACO-NOT: {{ds_bpermute|ds_swizzle|_dpp}}

(defn normalize [(: x memref<?x?xf32>) (: weight memref<?xbf16>) (: bias memref<?xbf16>) (: y memref<?x?xf32>)]
  (nn.layer_norm x weight bias y (: 1e-5 f32)))

; A row 0 1 ... 99 has mean 49.5 and variance 833.25: its last value becomes 49.5 / sqrt(833.25) * 2 + 1.
; CHECK: 4.4296
(defn main []
  (def x (device-alloc memref<?x?xf32> [2 100]))
  (def y (device-alloc memref<?x?xf32> [2 100]))
  (def weight (device-alloc memref<?xbf16> [100]))
  (def bias (device-alloc memref<?xbf16> [100]))
  (parallel [c 100]
    (memref.store 2.0 weight c)
    (memref.store 1.0 bias c)
    (for [t 0 2] (memref.store (cast f32 c) x t c)))
  (normalize x weight bias y)
  (def host (memref.alloc {:result memref<?x?xf32>} (: 2 index) (: 100 index)))
  (download! host y)
  (println "%.4f" (memref.load host 1 99)))
