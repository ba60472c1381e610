// Compiled for a processor with AMX on any machine. Of many rows all panels are copied first; of fewer, each before it is
// multiplied, where tiles of two registers serve at most 16 columns. Each has whole tiles, which are read and written by
// the registers, and others, whose sums start at zero. What is stored is the sums of a tile, four registers or two; one
// that had to make room would add to it. The registers are configured outside of loops.
// RUN: lispier --emit=asm --cpu=sapphirerapids --from=module %s -o %t.s
// RUN: grep -c ldtilecfg %t.s | FileCheck %s --check-prefix=CONFIGURED
// RUN: grep -c tilezero %t.s | FileCheck %s --check-prefix=SUMS
// RUN: grep -c tilestored %t.s | FileCheck %s --check-prefix=STORED
// RUN: FileCheck %s < %t.s
// CONFIGURED: {{^2$}}
// SUMS: {{^10$}}
// STORED: {{^20$}}
// CHECK: ldtilecfg
// CHECK: tilezero
// CHECK: tileloadd
// CHECK: tdpbf16ps
// CHECK: tilestored
// CHECK: tilerelease
// A processor without AMX has pairs.
// RUN: lispier --emit=asm --cpu=cooperlake --from=module %s -o - | FileCheck %s --check-prefix=PAIRS
// PAIRS-NOT: tdpbf16ps
// PAIRS: vdpbf16ps
// REQUIRES: x86
func.func @f(%x: memref<?x?xbf16>, %b: memref<?x?xbf16>, %y: memref<?x?xf32>) {
  linalg.matmul ins(%x, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%y : memref<?x?xf32>)
  return
}
