; RUN: lispier --emit=forms %s | FileCheck %s

; An alias and the full name read as the same symbol, after the form and at any depth of it.
; CHECK: (require-dialect func [arith :as m])
(require-dialect func [arith :as m])
; CHECK-NEXT: (arith.addi arith.addi func.func)
(m/addi arith.addi func.func)
; CHECK-NEXT: (module (require-dialect [llvm :as l]) (llvm.mlir.global))
(module (require-dialect [llvm :as l]) (l/mlir.global))
; CHECK-NEXT: (llvm.mlir.zero)
(l/mlir.zero)

; An unknown alias is left for required files and structs; types, references and text in <> are not looked at.
; CHECK-NEXT: (Point/x lib/add @a.b !llvm.ptr memref<2xf32, #gpu.address_space<workgroup>> /i)
(Point/x lib/add @a.b !llvm.ptr memref<2xf32, #gpu.address_space<workgroup>> /i)
; CHECK-NEXT: (use-dialect scf)
(use-dialect scf)
; CHECK-NEXT: (scf.for)
(scf.for)
; What is commented out needs no dialect.
; CHECK-NEXT: (done)
(done #_(math.exp x))
