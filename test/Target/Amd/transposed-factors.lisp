; Factors whose summed dimension is not the last in memory are transposed in registers on the way to shared memory,
; where a lane then reads 16 bytes of a row: no accesses of two bytes. Whole and cut tiles, aligned rows and others, are
; as on the CPU.
; RUN: lispier run %s > %t.expected
; RUN: lispier run --target=sim:gfx942 %s | diff %t.expected -
; RUN: lispier run --target=sim:gfx950 %s | diff %t.expected -
; RUN: lispier run --target=sim:gfx1100 %s | diff %t.expected -
; RUN: lispier --target=rocm:gfx942 --emit=hsaco %s -o %t.hsaco
; RUN: llvm-objdump -d --disassemble-symbols=gradient_0 %t.hsaco | FileCheck %s
; CHECK-NOT: ds_read_u16
; CHECK-NOT: ds_write_b16
; CHECK: v_perm_b32
; CHECK: ds_write_b64
; CHECK: s_barrier
; CHECK: global_load_dword
; CHECK-NOT: ds_read_u16
; CHECK: ds_read_b128
; CHECK: v_mfma_f32_16x16x16_bf16
; CHECK-NOT: ds_read_u16
; CHECK-NOT: ds_write_b16
; CHECK: s_endpgm
(defn gradient [(: g (tensor 192 128 bf16)) (: x (tensor 192 64 bf16))] (cast bf16 (einsum "km,kn->mn" g x :out f32)))
(defmacro numbers [modulus T & sizes]
  `(cast ~T (- (% (reshape (iota i32 [(* ~@sizes)]) [~@sizes]) ~modulus) (/ ~modulus 2))))
; Exact sums, weighted by place, so that elements that change places are seen.
(defmacro show [size y]
  `(println "%g" (at (sum (* (reshape (cast f32 ~y) [~size]) (cast f32 (% (iota i32 [~size]) 11)))))))
(defn main []
  (show 8192 (gradient (numbers 7 bf16 192 128) (numbers 5 bf16 192 64)))
  (show 8800 (einsum "mk,kn->mn" (numbers 7 bf16 100 72) (numbers 5 bf16 72 88) :out f32))
  (show 3570 (einsum "mk,kn->mn" (numbers 7 f16 70 33) (numbers 5 f16 33 51) :out f32))
  (show 3840 (einsum "km,nk->mn" (numbers 9 bf16 72 40) (numbers 5 bf16 96 72) :out f32))
  (show 3840 (einsum "bkm,bkn->bmn" (numbers 9 bf16 2 72 40) (numbers 5 bf16 2 72 48) :out f32)))
