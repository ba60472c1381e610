; A cast to bf16 rounds to nearest, ties to even, and keeps subnormals on every processor: the instruction of AVX512-BF16
; would take them for 0, and LLVM would call a library elsewhere. Explicit vectors use the instruction where there is one.
; RUN: lispier run %s | FileCheck %s
; RUN: lispier run --cpu=x86-64-v3 %s | FileCheck %s
; RUN: lispier run --target=sim %s | FileCheck %s
; RUN: lispier --emit=asm --cpu=sapphirerapids %s | FileCheck %s --check-prefix=NATIVE
; RUN: lispier --emit=asm --cpu=x86-64-v4 %s | FileCheck %s --check-prefix=NONE
; REQUIRES: avx2
(require-dialect arith)
; NATIVE-LABEL: {{^}}of_scalar:
; NATIVE-NOT: vcvtneps2bf16
; NATIVE-LABEL: {{^}}of_vector:
; NATIVE: vcvtneps2bf16
; NONE-NOT: __truncsfbf2
(defn of_scalar [(: x f32)] -> bf16 (cast bf16 x))
(defn of_vector [(: x vector<16xf32>)] -> vector<16xbf16> (cast vector<16xbf16> x))

(defn rounded [(: bits i32)] -> i32
  (arith.extui {:result i32} (arith.bitcast {:result i16} (of_scalar (arith.bitcast {:result f32} bits)))))
(defn main []
  ; The smallest bf16, one more than half of it, half of it, and the largest subnormal.
  ; CHECK: 1 1 0 80
  (println "%x %x %x %x" (rounded 0x00010000) (rounded 0x00008001) (rounded 0x00008000) (rounded 0x007FFFFF))
  ; Ties, overflow, infinity.
  ; CHECK-NEXT: 3f80 3f82 7f80 ff80
  (println "%x %x %x %x" (rounded 0x3F808000) (rounded 0x3F818000) (rounded 0x7F7FFFFF) (rounded 0xFF800000))
  ; NaNs, whose payload may end below.
  ; CHECK-NEXT: 7fc0 ffc0
  (println "%x %x" (rounded 0x7F800001) (rounded 0xFFC00000)))
