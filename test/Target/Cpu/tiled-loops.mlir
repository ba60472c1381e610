// Loops that compute tiles of vectors are not unrolled, which would make 354 multiply-adds of the 65 of a product whose
// sizes are unknown: tiles of 16 and of 8 sums, packed and not, and loops for few rows and rests.
// RUN: lispier --emit=asm --cpu=x86-64-v4 --from=module %s -o %t.s
// RUN: grep -c vfmadd %t.s | FileCheck %s
// REQUIRES: x86
// CHECK: {{^[1-9][0-9]$}}
func.func @product(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  return
}
