; RUN: lispier --emit=forms %s | FileCheck %s
; RUN: lispier --emit=forms %s | lispier --emit=forms - | FileCheck %s
; One type or attribute is one token, whatever stands inside its <>.

; CHECK: (memref<64x768xf32> memref<768xf32, strided<[1], offset: ?>>)
(memref<64x768xf32> memref<768xf32, strided<[1], offset: ?>>)
; CHECK-NEXT: (!llvm.array<39 x i8> !llvm.func<i32 (ptr, ...)> !llvm.ptr)
(!llvm.array<39 x i8> !llvm.func<i32 (ptr, ...)> !llvm.ptr)
; The `>` of an arrow and of `>=` closes nothing.
; CHECK-NEXT: (affine_map<(d0, d1) -> (d1, 768 + d0*64)> affine_set<(d0) : (d0 >= 0)> next)
(affine_map<(d0, d1) -> (d1, 768 + d0*64)> affine_set<(d0) : (d0 >= 0)> next)
; CHECK-NEXT: (array<i32: 0, 1, 1> dense<[1, 2]> memref<32xf32, #gpu.address_space<workgroup>>)
(array<i32: 0, 1, 1> dense<[1, 2]> memref<32xf32, #gpu.address_space<workgroup>>)
; Dialect types, strings with brackets and new lines may stand inside.
; CHECK-NEXT: (memref<4x!llvm.ptr> dense<"0x00>;(">)
(memref<4x!llvm.ptr> dense<"0x00>;(">)
; CHECK-NEXT: (vector<4x [8]xf32>)
(vector<4x
[8]xf32>)
