// RUN: lispier --emit=asm --cpu=x86-64-v3 --from=module %s > %t.s
// RUN: FileCheck %s < %t.s
// RUN: grep -m1 -B3 vbroadcastss %t.s | FileCheck %s --check-prefix=LOADS
// RUN: lispier --emit=asm --cpu=x86-64-v4 --from=module %s | FileCheck %s --check-prefix=WIDE

// The inner loop of a large product of F32 by AVX2: a tile of 6 rows by 2 vectors in 12 of 16 registers; for each row and
// column of the factors' copies 2 loads, 6 broadcasts and 12 FMAs. Sums go to memory behind it, without masks.
// CHECK-LABEL: {{^}}product_parallel:
// LOADS: {{^}}.LBB
// LOADS-NEXT: vmovaps {{.*}}, %ymm
// LOADS-NEXT: vmovaps {{.*}}, %ymm
// LOADS-NEXT: vbroadcastss
// CHECK: vbroadcastss
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vbroadcastss
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vbroadcastss
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vbroadcastss
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vbroadcastss
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vbroadcastss
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: vfmadd231ps
// CHECK-NEXT: incq
// CHECK-NEXT: addq
// CHECK-NEXT: cmpq
// CHECK-NEXT: jne
// CHECK-NOT: vmaskmov
// CHECK: vaddps ({{.*}}), %ymm
// CHECK-NOT: vmaskmov
// CHECK: {{vmov[au]ps %ymm[0-9]+, \(}}
// 8 rows in AVX-512's 32 registers.
// WIDE-LABEL: {{^}}product_parallel:
// WIDE-COUNT-16: vfmadd231ps {{.*}}%zmm
// WIDE-NOT: vmovups {{.*}} {%k
// WIDE: vaddps ({{.*}}), %zmm
func.func @product(%a: memref<1024x1024xf32>, %b: memref<1024x1024xf32>, %c: memref<1024x1024xf32>) {
  linalg.matmul ins(%a, %b : memref<1024x1024xf32>, memref<1024x1024xf32>) outs(%c : memref<1024x1024xf32>)
  return
}
