// A tile that a program loads for a product alone is copied once, in pairs: where it lies within its source, it is read
// there.
// RUN: lispier-opt %s -lispier-pack-contractions=pairs | FileCheck %s

// CHECK-LABEL: func private @once
// CHECK: scf.if %[[WHOLE:.*]] {
// CHECK-NOT: linalg.copy
// CHECK: } else {
// CHECK-NEXT: linalg.fill
// CHECK: %[[PLACE:.*]] = memref.subview %arg0
// CHECK: %[[TILE:.*]] = memref.cast
// CHECK: arith.select %[[WHOLE]], %[[PLACE]], %[[TILE]]
// CHECK: x86vector.avx512.dot
func.func private @once(%x: memref<?x?xbf16>, %at: index, %whole: i1, %b: memref<64x64xbf16>)
    attributes {device.parallel_body} {
  %zero = arith.constant 0.0 : bf16
  %tile = memref.alloca() : memref<64x64xbf16>
  %sums = memref.alloca() : memref<64x64xf32>
  scf.if %whole {
    %from = memref.subview %x[%at, 0] [64, 64] [1, 1]
        : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1], offset: ?>>
    linalg.copy ins(%from : memref<64x64xbf16, strided<[?, 1], offset: ?>>) outs(%tile : memref<64x64xbf16>)
  } else {
    linalg.fill ins(%zero : bf16) outs(%tile : memref<64x64xbf16>)
  }
  linalg.matmul ins(%tile, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%sums : memref<64x64xf32>)
  return
}

// Not where the source may change before the product.
// CHECK-LABEL: func private @changed
// CHECK: linalg.copy
// CHECK-NOT: arith.select %{{.*}} : memref
// CHECK: x86vector.avx512.dot
func.func private @changed(%x: memref<?x?xbf16>, %at: index, %whole: i1, %b: memref<64x64xbf16>)
    attributes {device.parallel_body} {
  %zero = arith.constant 0.0 : bf16
  %tile = memref.alloca() : memref<64x64xbf16>
  %sums = memref.alloca() : memref<64x64xf32>
  scf.if %whole {
    %from = memref.subview %x[%at, 0] [64, 64] [1, 1]
        : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1], offset: ?>>
    linalg.copy ins(%from : memref<64x64xbf16, strided<[?, 1], offset: ?>>) outs(%tile : memref<64x64xbf16>)
  } else {
    linalg.fill ins(%zero : bf16) outs(%tile : memref<64x64xbf16>)
  }
  linalg.fill ins(%zero : bf16) outs(%x : memref<?x?xbf16>)
  linalg.matmul ins(%tile, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%sums : memref<64x64xf32>)
  return
}

// Nor where another op reads the tile.
// CHECK-LABEL: func private @shared
// CHECK: linalg.copy
// CHECK-NOT: arith.select %{{.*}} : memref
// CHECK: x86vector.avx512.dot
func.func private @shared(%x: memref<?x?xbf16>, %at: index, %whole: i1, %b: memref<64x64xbf16>)
    attributes {device.parallel_body} {
  %zero = arith.constant 0.0 : bf16
  %tile = memref.alloca() : memref<64x64xbf16>
  %sums = memref.alloca() : memref<64x64xf32>
  scf.if %whole {
    %from = memref.subview %x[%at, 0] [64, 64] [1, 1]
        : memref<?x?xbf16> to memref<64x64xbf16, strided<[?, 1], offset: ?>>
    linalg.copy ins(%from : memref<64x64xbf16, strided<[?, 1], offset: ?>>) outs(%tile : memref<64x64xbf16>)
  } else {
    linalg.fill ins(%zero : bf16) outs(%tile : memref<64x64xbf16>)
  }
  linalg.matmul ins(%tile, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%sums : memref<64x64xf32>)
  linalg.copy ins(%tile : memref<64x64xbf16>) outs(%b : memref<64x64xbf16>)
  return
}
