; Functions of f64 in a kernel have the formulas that a GPU gets, not the C library's: within two units of the last place.
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --target=sim --emit=target %s | FileCheck %s --check-prefix=KERNEL
; KERNEL-LABEL: llvm.func @kernels_functions({{.*}}device.checked
; KERNEL-NOT: llvm.intr.{{exp|tanh|log|cos|pow}}
; KERNEL-NOT: @{{exp|tanh|log|cos|pow}}(
; KERNEL: llvm.return
(require-dialect memref math arith)

(defmacro store-functions [x m at]
  `(do ~@(map (fn [f k] `(memref.store ~f ~m (+ ~at ~k)))
              [`(math.exp ~x) `(math.tanh ~x) `(math.log (math.absf ~x)) `(math.cos ~x) `(math.powf (math.absf ~x) ~x)]
              (range 5))))

(defn argument [(: i index)] -> f64 (* (- (cast f64 i) 511.5) 0.37))

(defkernel functions [(: out memref<?xf64>)]
  (def i (+ (* (block-id :x) 64) (thread-id :x)))
  (def x (* (- (cast f64 i) 511.5) 0.37))
  (store-functions x out (* i 5)))

; CHECK: {{^0 far$}}
(defn main []
  (def n (: 1024 index))
  (def ours (device-alloc memref<?xf64> [(* n 5)]))
  (launch functions {:grid [16] :block [64]} ours)
  (def exact (memref.alloc {:result memref<?xf64>} (* n 5)))
  (for [i 0 n]
    (def x (argument i))
    (store-functions x exact (* i 5)))
  (def far (fold [count (: 0 i64)] [i 0 (* n 5)]
    (def distance (math.absi (- (arith.bitcast {:result i64} (memref.load ours i))
                                (arith.bitcast {:result i64} (memref.load exact i)))))
    (if (> distance 2) (+ count 1) count)))
  (println "%ld far" far))
