; Kernels that nobody wrote: parallel loops, linalg and nn ops run as on a GPU, and are checked like all others.
; RUN: rm -rf %t && split-file --leading-lines %s %t
; RUN: %S/Inputs/check-mistakes %t parallel-loop sizes-differ unknown-token

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

;--- unknown-token.lisp
(require-dialect memref linalg nn)
; RIGHT: 2
(defn main []
  (def tokens (memref.alloc {:result memref<?xi32>} (: 2 index)))
  (def position (memref.alloc {:result memref<1xi32>}))
  (def table (memref.alloc {:result memref<?x?xbf16>} (: 10 index) (: 4 index)))
  (def x (memref.alloc {:result memref<?x?xf32>} (: 2 index) (: 4 index)))
  (linalg.fill (: 1.0 bf16) table)
  (memref.store 0 position 0)
  (linalg.fill (: 10 i32) tokens)                               ; fixed: (linalg.fill (: 9 i32) tokens)
  ; WRONG: gpu-rows.lisp:{{.*}}: error[sim-bounds]: index 10 of dimension 0 is outside its size 10
  ; WRONG: note: in kernel `embedding`
  ; WRONG: unknown-token.lisp:[[#@LINE+1]]:3: note: launched here
  (nn.embedding tokens table table position x)
  (println "%g" (cast f64 (memref.load x 1 3))))
