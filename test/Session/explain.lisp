; --explain says which lines are one kernel and why others are not, also of a program from the cache.
; RUN: rm -rf %t && mkdir %t && cp %s %t/p.lisp
; RUN: env LISPIER_CACHE_DIR=%t/cache LISPIER_CACHE=1 lispier run --explain %t/p.lisp >%t/out 2>%t/first
; RUN: env LISPIER_CACHE_DIR=%t/cache LISPIER_CACHE=1 lispier run --explain -v %t/p.lisp >%t/out 2>%t/second
; RUN: FileCheck %s --input-file=%t/first
; RUN: FileCheck %s --input-file=%t/second --check-prefixes=CACHED,CHECK
; RUN: lispier run --explain=memory %s 2>&1 | FileCheck %s --check-prefix=MEMORY
; RUN: not lispier run --explain=kernels %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: `--explain` does not take `kernels`
; CACHED: from the cache

; A normalization of rows is one kernel; the product that follows is another.
; CHECK: p.lisp:[[#@LINE+9]]:{{[0-9]+}}: kernel main_0, row: lines [[#@LINE+5]], [[#@LINE+6]], [[#@LINE+9]]
; CHECK-NEXT: reads 0 bytes, writes {{[0-9]+}} bytes
; CHECK-NEXT: kernel
; MEMORY: memory of main: {{[0-9]+}} bytes for {{[0-9]+}} tensors, 100.0 % of the most that is live
(defn norm [(: x (tensor t 64 f32))] -> (tensor t 64 f32)
  (let [d (- x (mean x :axis -1 :keep true))]
    (* d (rsqrt (+ (mean (* d d) :axis -1 :keep true) 1e-5)))))

(defn main []
  (def x (norm (norm (full f32 [5 64] 1.0))))
  (println "%g" (cast f64 (sum x))))
