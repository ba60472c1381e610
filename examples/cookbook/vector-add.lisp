; a x + y: on tensors a formula; the same as a kernel of threads, which is what CUDA has for it.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
(require-dialect memref)
(require ["./check.lisp" :as check])
(require-macros "./check.lisp")

(defn axpy [a (: x (tensor n f32)) (: y (tensor n f32))] (+ (* a x) y))

(defkernel add-threads [(: a f32) (: x (tensor n f32)) (: y (tensor n f32)) (: z memref<?xf32>)]
  (def i (+ (thread-id :x) (* (block-id :x) 256)))
  (when (< i n) (memref.store (+ (* a (at x i)) (at y i)) z i)))

(defn main [(: argc i64) (: argv !llvm.ptr)]
  (def x (iota f32 [1000]))
  (def y (full f32 [1000] 0.5))
  (def z (axpy 2.0 x y))
  (println "%g" (sum z))                                       ; CHECK: {{^}}999500{{$}}
  (def memory (to-memref (zeros f32 [1000])))
  (launch add-threads {:grid [4] :block [256]} 2.0 x y memory)
  (check/report (cstring "threads") (check/difference (load memory) z) 0.0)      ; CHECK: threads: ok
  (def [left right] [(to-memref (sin (iota f32 [4000000]))) (to-memref (sin (iota f32 [4000000])))])
  (timed argc memref<?xf32> [(: 4000000 index)] (axpy 2.0 (load left) (load right))))
