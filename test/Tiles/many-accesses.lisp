; Tiles whose loads and stores would be thousands of instructions of each thread, though no register keeps a whole one,
; and tiles whose copies take too much shared memory.
; RUN: split-file %s %t
; RUN: not lispier --emit=ptx --target=cuda:sm_90a %t/large.lisp -o %t.ptx 2>&1 | FileCheck %t/large.lisp
; RUN: lispier run %t/large.lisp | FileCheck %t/large.lisp --check-prefix=CPU
; RUN: not lispier run --target=sim:gfx942 %t/odd.lisp 2>&1 | FileCheck %t/odd.lisp
; RUN: not lispier run --target=sim:sm_80 %t/kept.lisp 2>&1 | FileCheck %t/kept.lisp
; RUN: not lispier run --target=sim:sm_80 %t/shared.lisp 2>&1 | FileCheck %t/shared.lisp
;--- large.lisp
(require-dialect memref)
; CHECK: :[[#@LINE+2]]:15: error[mlir]: this tile, f32 [512 512], takes 2048 registers of each of 128 threads, and a load or store at most 512: use smaller tiles, more warps, or a loop over chunks{{$}}
(deftile p [(: m memref<?x?xf32>)]
  (store (exp (load m [0 0] [512 512])) m [0 0]))
; CPU: 1
(defn main []
  (def m (memref.alloc {:result memref<?x?xf32>} (: 1 index) (: 1 index)))
  (memref.store 0.0 m 0 0)
  (launch p {:grid [1]} m)
  (println "%g" (memref.load m 0 0)))
;--- odd.lisp
(require-dialect memref)
; CHECK: :[[#@LINE+2]]:10: error[mlir]: this tile, f32 [33 33], takes 1089 registers of each of 64 threads, and a load or store at most 512: use smaller tiles, more warps, or a loop over chunks; only factors of two of a size are divided among threads
(deftile p {:warps 1} [(: m memref<?x?xf32>)]
  (store (load m [0 0] [33 33]) m [1 1]))
(defn main []
  (def m (memref.alloc {:result memref<?x?xf32>} (: 1 index) (: 1 index)))
  (launch p {:grid [1]} m))
;--- kept.lisp
(require-dialect memref)
(deftile p {:warps 1} [(: m memref<?x?xf32>)]
  ; CHECK: :[[#@LINE+3]]:15: error[mlir]: the tiles that are in use here take 1089 registers
  ; CHECK: :[[#@LINE+1]]:10: note: the largest of them is this one, f32 [33 33]; only factors of two of a size are divided among threads
  (def v (load m [0 0] [33 33]))
  (store (- v (sum v :axis 1 :keep true)) m [1 1]))
(defn main []
  (def m (memref.alloc {:result memref<?x?xf32>} (: 1 index) (: 1 index)))
  (launch p {:grid [1]} m))
;--- shared.lisp
(require-dialect memref)
; CHECK: :[[#@LINE+1]]:1: error[mlir]: the tiles of this program need 524288 bytes of shared memory; a block has at most 166912: use smaller tiles, or fewer stages
(deftile p {:stages 4 :warps 8} [(: m memref<?x?xbf16>) (: y memref<?x?xf32>)]
  (store (fold [acc (zeros f32 [128 128])] [k 0 (memref.dim m 1) 256]
           (dot (load m [0 k] [128 256]) (load m [k 0] [256 128]) acc))
         y [0 0]))
(defn main []
  (def m (memref.alloc {:result memref<?x?xbf16>} (: 1 index) (: 1 index)))
  (def y (memref.alloc {:result memref<?x?xf32>} (: 1 index) (: 1 index)))
  (launch p {:grid [1]} m y))
