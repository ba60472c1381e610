; Kernels that nobody wrote: parallel loops, linalg and nn ops run as on a GPU, and are checked like all others.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t parallel-loop sizes-differ unknown-position

;--- parallel-loop.lisp
(require-dialect memref)
; RIGHT: 49
(defn main []
  (def m (memref.alloc {:result memref<?xi32>} (: 8 index)))
  ; WRONG: [[#@LINE+3]]:5: error[sim-bounds]: index 8 of dimension 0 is outside its size 8
  ; WRONG: in kernel `main_kernel`, block (0, 0, 0), thread (8, 0, 0)
  (parallel [i 9]                                               ; fixed: (parallel [i 8]
    (memref.store (cast i32 (* i i)) m i))
  (println "%d" (memref.load m 7)))

;--- sizes-differ.lisp
(require-dialect memref linalg)
(defn product [(: a memref<?x?xf32>) (: b memref<?x?xf32>) (: c memref<?x?xf32>)]
  ; WRONG: [[#@LINE+1]]:3: error[sim-bounds]: index 5 of dimension 0 is outside its size 5
  (linalg.matmul a b c))
; RIGHT: 5
(defn main []
  (def n (: 6 index))                                           ; fixed: (def n (: 5 index))
  (def a (memref.alloc {:result memref<?x?xf32>} (: 3 index) n))
  (def b (memref.alloc {:result memref<?x?xf32>} (: 5 index) (: 4 index)))
  (def c (memref.alloc {:result memref<?x?xf32>} (: 3 index) (: 4 index)))
  (linalg.fill (: 1.0 f32) a)
  (linalg.fill (: 1.0 f32) b)
  (linalg.fill (: 0.0 f32) c)
  (product a b c)
  (println "%g" (cast f64 (memref.load c 2 3))))

;--- unknown-position.lisp
(require-dialect memref linalg nn)
; RIGHT: 1
(defn main []
  (def rows (memref.alloc {:result memref<1x2x64xbf16>}))
  (def cache (memref.alloc {:result memref<2x10x64xbf16>}))
  (def values (memref.alloc {:result memref<2x10x64xbf16>}))
  (def position (memref.alloc {:result memref<1xi32>}))
  (def x (memref.alloc {:result memref<1x2x64xbf16>}))
  (linalg.fill (: 1.0 bf16) rows)
  (linalg.fill (: 1.0 bf16) cache)
  (linalg.fill (: 1.0 bf16) values)
  (memref.store 10 position 0)                                  ; fixed: (memref.store 9 position 0)
  ; WRONG: gpu-attention.lisp:{{.*}}: error[sim-bounds]: index 10 of dimension 1 is outside its size 10
  ; WRONG: note: in kernel `
  ; WRONG: unknown-position.lisp:[[#@LINE+1]]:3: note: launched here
  (nn.attention rows rows rows cache values position x)
  (println "%g" (cast f64 (memref.load x 0 1 3))))
