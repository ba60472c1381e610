; A program's own AMX ops run as written. Lispier requests the tiles from the operating system before `main`, in this
; process and in an executable.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier build %s -o %t
; RUN: %t | FileCheck %s
; REQUIRES: amx
(require-dialect amx memref)

; c[i, j] = sum over p of a[i, p] b[p, j]: rows of a tile of b hold two rows of b, woven together.
(defn main []
  (def zero (: 0 index))
  (def a (memref.alloc {:result memref<16x32xbf16>}))
  (def b (memref.alloc {:result memref<16x32xbf16>}))
  (def c (memref.alloc {:result memref<16x16xf32>}))
  (for [i 0 16]
    (for [p 0 32]
      (memref.store (cast bf16 (cast i32 (+ i p))) a i p)
      (memref.store (cast bf16 (cast i32 (- (/ p 2) (* i (% p 2))))) b i p)))
  (amx.tile_store c zero zero
    (amx.tile_mulf {:result !amx.tile<16x16xf32>}
      (amx.tile_load {:result !amx.tile<16x32xbf16>} a zero zero)
      (amx.tile_load {:result !amx.tile<16x32xbf16>} b zero zero)
      (amx.tile_zero {:result !amx.tile<16x16xf32>})))
  (def wrong
    (fold [wrong (: 0 i32)] [i 0 16]
      (fold [wrong wrong] [j 0 16]
        (def sum
          (fold [sum (: 0 i32)] [p 0 32]
            (+ sum (* (cast i32 (+ i p)) (cast i32 (- j (* (/ p 2) (% p 2))))))))
        (if (= (memref.load c i j) (cast f32 sum)) wrong (+ wrong (: 1 i32))))))
  ; CHECK: 0 of 256 wrong
  (println "%d of 256 wrong" wrong))
