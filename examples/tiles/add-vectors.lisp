; c = a + b: the smallest tile program. A block adds n numbers; what lies past the end is not read and not written.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier run --target=sim:sm_80 %s | FileCheck %s
; RUN: lispier run --target=sim:sm_90a %s | FileCheck %s
; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
(require-dialect memref)

(deftile add {:const [n]} [(: a memref<?xf32>) (: b memref<?xf32>) (: c memref<?xf32>)]
  (def i (* n (program-id 0)))
  (store (+ (load a [i] [n]) (load b [i] [n])) c [i]))

(defn add-vectors [(: a memref<?xf32>) (: b memref<?xf32>) (: c memref<?xf32>)]
  (launch add {:grid [(/ (+ (memref.dim a 0) 255) 256)] :const {:n 256}} a b c))

; CHECK: ok, largest difference 0
(defn main []
  (def size (: 1000 index))
  (def a (memref.alloc {:result memref<?xf32>} size))
  (def b (memref.alloc {:result memref<?xf32>} size))
  (def c (memref.alloc {:result memref<?xf32>} size))
  (for [i 0 size]
    (memref.store (* 0.5 (cast f32 i)) a i)
    (memref.store (- 3.0 (cast f32 i)) b i))
  (add-vectors a b c)
  (def worst (fold [worst (: 0.0 f32)] [i 0 size]
    (max worst (abs (- (memref.load c i) (+ (memref.load a i) (memref.load b i)))))))
  (println "%s, largest difference %g" (if (<= worst 0.0) (cstring "ok") (cstring "wrong")) worst))
