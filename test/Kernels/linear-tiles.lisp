; RUN: lispier run --target=sim:gfx942 %s | FileCheck %s
; RUN: lispier run --target=sim:gfx1100 %s | FileCheck %s
; RUN: lispier --emit=hsaco --target=rocm:gfx942 %s -o %t.942.hsaco
; RUN: llvm-objdump -d %t.942.hsaco | FileCheck %s --check-prefixes=CODE,CDNA
; RUN: lispier --emit=hsaco --target=rocm:gfx1100 %s -o %t.1100.hsaco
; RUN: llvm-objdump -d %t.1100.hsaco | FileCheck %s --check-prefixes=CODE,RDNA

; nn.linear of several tokens on AMD's matrix units, against the op written out as loops, which it is for a view whose
; columns may be apart. F32 numbers are two BF16 terms there, which leave out 2^-17 of each product, below 1; K products are
; summed in two orders. BF16 results are rounded to 2^-8.
(require-dialect memref nn math arith)
(require-macros "Inputs/random.lisp")

; CODE-LABEL: <linear_bf16_bf16_64_64_32_1>:
; CODE-NOT: scratch_
; CDNA: global_load_dwordx4
; CDNA: v_mfma_f32_{{.*}}bf16
; RDNA: global_load_b128
; RDNA: v_wmma_f32_16x16x16_bf16
; CODE: s_endpgm
(defmacro define-layer [name A O activation rounding]
  `(defn ~name [(: T index) (: N index) (: K index)]
     (def x (new-rows ~A T K 1))
     (def w (new-rows bf16 N K 2))
     (def bias (memref.alloc {:result memref<?xbf16>} N))
     (for [i 0 N] (memref.store (cast bf16 (random 3 i i)) bias i))
     (def a (new-rows ~O T N 4))
     (def b (new-rows ~O T N 4))
     (def any (cast ~(str "memref<?x?x" O ", strided<[?, ?], offset: ?>>") b))
     (nn.linear {:activation ~activation} [x] [w] [bias] [a] [a])
     (nn.linear {:activation ~activation} [x] [w] [bias] [any] [any])
     (def k (cast f32 K))
     (def allowed (+ (* k (+ (: 7.7e-6 f32) (* (math.sqrt k) (: 6.0e-8 f32)))) (: 4.0e-6 f32)))
     (def wrong (fold [wrong (: 0 i64)] [i 0 T] (fold [wrong wrong] [j 0 N]
       (def y (cast f32 (memref.load b i j)))
       (def apart (math.absf (- (cast f32 (memref.load a i j)) y)))
       (if (<= apart (+ allowed (* (: ~rounding f32) (math.absf y)))) wrong (+ wrong (: 1 i64))))))
     (print "%s, %ld x %ld x %ld: %ld wrong\n" (cstring ~(str name)) (cast i64 T) (cast i64 N) (cast i64 K) wrong)))
(define-layer exact f32 f32 "none" 0.0)
(define-layer gelu bf16 bf16 "gelu_tanh" 0.008)
(define-layer relu bf16 f32 "relu" 0.0)
(define-layer silu f32 bf16 "silu" 0.008)

; CHECK-COUNT-6: : 0 wrong
; CHECK-NOT: wrong
(defn main []
  (exact 70 67 72)
  (exact 64 64 13)
  (gelu 65 70 40)
  (gelu 5 9 33)
  (relu 30 72 64)
  (silu 66 65 50))
