// RUN: lispier-opt %s -lispier-lower-contractions -cse | FileCheck %s
// RUN: lispier run --from=module %s | FileCheck %s --check-prefix=RESULT
// RUN: lispier run --cpu=x86-64-v3 --from=module %s | FileCheck %s --check-prefix=RESULT
// REQUIRES: avx2
func.func private @printF32(f32)
func.func private @printI64(i64)
func.func private @printNewline()

// Few: unrolled, one row of sums after the other.
// CHECK-LABEL: func.func @product
// CHECK-COUNT-12: vector.fma {{.*}} : vector<16xf32>
// CHECK-NOT: vector.contract
func.func @product(%a: vector<4x3xf32>, %b: vector<3x16xf32>, %c: vector<4x16xf32>) -> vector<4x16xf32> {
  %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %c : vector<4x3xf32>, vector<3x16xf32> into vector<4x16xf32>
  return %r : vector<4x16xf32>
}

// BF16, the right side and the result transposed, a batch.
// CHECK-LABEL: func.func @mixed
// CHECK: arith.extf {{.*}} to vector<16xf32>
// CHECK: vector.fma
// CHECK-NOT: vector.contract
func.func @mixed(%a: vector<2x3x5xbf16>, %b: vector<2x16x5xbf16>, %c: vector<2x16x3xf32>) -> vector<2x16x3xf32> {
  %r = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, n, m)>],
                        iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %c : vector<2x3x5xbf16>, vector<2x16x5xbf16> into vector<2x16x3xf32>
  return %r : vector<2x16x3xf32>
}

// The largest product, in a vector of rows: vectors extend along m.
// CHECK-LABEL: func.func @largest
// CHECK: arith.mulf {{.*}} : vector<16xf32>
// CHECK: arith.maxnumf {{.*}} : vector<16xf32>
func.func @largest(%a: vector<16x4xf32>, %x: vector<4xf32>, %c: vector<16xf32>) -> vector<16xf32> {
  %r = vector.contract {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>],
                        iterator_types = ["parallel", "reduction"], kind = #vector.kind<maxnumf>}
      %a, %x, %c : vector<16x4xf32>, vector<4xf32> into vector<16xf32>
  return %r : vector<16xf32>
}

// A number; integers.
// CHECK-LABEL: func.func @dot
// CHECK: arith.extsi
// CHECK: arith.muli
// CHECK: return %{{.*}} : i32
func.func @dot(%a: vector<8xi8>, %b: vector<8xi8>, %c: i32) -> i32 {
  %r = vector.contract {indexing_maps = [affine_map<(k) -> (k)>, affine_map<(k) -> (k)>, affine_map<(k) -> ()>],
                        iterator_types = ["reduction"], kind = #vector.kind<add>}
      %a, %b, %c : vector<8xi8>, vector<8xi8> into i32
  return %r : i32
}

// Many: loops, four registers of a row at a time, and the rest of it.
// CHECK-LABEL: func.func @many
// CHECK-COUNT-3: memref.alloca
// CHECK: scf.for
// CHECK-COUNT-1: vector.fma {{.*}} : vector<64xf32>
// CHECK-COUNT-1: vector.fma {{.*}} : vector<8xf32>
// CHECK-NOT: vector.fma
func.func @many(%pa: memref<8x64xf32>, %pb: memref<64x72xf32>, %pc: memref<8x72xf32>) {
  %c0 = arith.constant 0 : index
  %a = vector.load %pa[%c0, %c0] : memref<8x64xf32>, vector<8x64xf32>
  %b = vector.load %pb[%c0, %c0] : memref<64x72xf32>, vector<64x72xf32>
  %c = vector.load %pc[%c0, %c0] : memref<8x72xf32>, vector<8x72xf32>
  %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %c : vector<8x64xf32>, vector<64x72xf32> into vector<8x72xf32>
  vector.store %r, %pc[%c0, %c0] : memref<8x72xf32>, vector<8x72xf32>
  return
}

func.func @main() {
  %x = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 2.0]]> : vector<4x3xf32>
  %i = vector.step : vector<16xindex>
  %i64 = arith.index_cast %i : vector<16xindex> to vector<16xi64>
  %f = arith.sitofp %i64 : vector<16xi64> to vector<16xf32>
  %y = vector.broadcast %f : vector<16xf32> to vector<3x16xf32>
  %ones = arith.constant dense<1.0> : vector<4x16xf32>
  %p = func.call @product(%x, %y, %ones) : (vector<4x3xf32>, vector<3x16xf32>, vector<4x16xf32>) -> vector<4x16xf32>
  // RESULT: 46
  %p13 = vector.extract %p[1, 3] : f32 from vector<4x16xf32>
  func.call @printF32(%p13) : (f32) -> ()
  func.call @printNewline() : () -> ()
  %h0 = arith.constant dense<2.0> : vector<2x3x5xbf16>
  %h1 = arith.constant dense<3.0> : vector<2x16x5xbf16>
  %h2 = arith.constant dense<0.5> : vector<2x16x3xf32>
  %h = func.call @mixed(%h0, %h1, %h2) : (vector<2x3x5xbf16>, vector<2x16x5xbf16>, vector<2x16x3xf32>) -> vector<2x16x3xf32>
  // RESULT-NEXT: 30.5
  %h3 = vector.extract %h[1, 15, 2] : f32 from vector<2x16x3xf32>
  func.call @printF32(%h3) : (f32) -> ()
  func.call @printNewline() : () -> ()
  %t = vector.broadcast %f : vector<16xf32> to vector<4x16xf32>
  %tt = vector.transpose %t, [1, 0] : vector<4x16xf32> to vector<16x4xf32>
  %u = arith.constant dense<[1.0, -1.0, 3.0, 2.0]> : vector<4xf32>
  %low = arith.constant dense<4.0> : vector<16xf32>
  %l = func.call @largest(%tt, %u, %low) : (vector<16x4xf32>, vector<4xf32>, vector<16xf32>) -> vector<16xf32>
  // RESULT-NEXT: 4
  // RESULT-NEXT: 45
  %l1 = vector.extract %l[1] : f32 from vector<16xf32>
  func.call @printF32(%l1) : (f32) -> ()
  func.call @printNewline() : () -> ()
  %l15 = vector.extract %l[15] : f32 from vector<16xf32>
  func.call @printF32(%l15) : (f32) -> ()
  func.call @printNewline() : () -> ()
  %b0 = arith.constant dense<100> : vector<8xi8>
  %b1 = arith.constant dense<-100> : vector<8xi8>
  %seven = arith.constant 7 : i32
  %d = func.call @dot(%b0, %b1, %seven) : (vector<8xi8>, vector<8xi8>, i32) -> i32
  %d64 = arith.extsi %d : i32 to i64
  // RESULT-NEXT: -79993
  func.call @printI64(%d64) : (i64) -> ()
  func.call @printNewline() : () -> ()
  %two = arith.constant 2.0 : f32
  %one = arith.constant 1.0 : f32
  %quarter = arith.constant 0.25 : f32
  %m0 = memref.alloc() : memref<8x64xf32>
  %m1 = memref.alloc() : memref<64x72xf32>
  %m2 = memref.alloc() : memref<8x72xf32>
  linalg.fill ins(%two : f32) outs(%m0 : memref<8x64xf32>)
  linalg.fill ins(%one : f32) outs(%m1 : memref<64x72xf32>)
  linalg.fill ins(%quarter : f32) outs(%m2 : memref<8x72xf32>)
  func.call @many(%m0, %m1, %m2) : (memref<8x64xf32>, memref<64x72xf32>, memref<8x72xf32>) -> ()
  // RESULT-NEXT: 128.25
  // RESULT-NEXT: 128.25
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c71 = arith.constant 71 : index
  %first = memref.load %m2[%c0, %c0] : memref<8x72xf32>
  func.call @printF32(%first) : (f32) -> ()
  func.call @printNewline() : () -> ()
  %last = memref.load %m2[%c7, %c71] : memref<8x72xf32>
  func.call @printF32(%last) : (f32) -> ()
  func.call @printNewline() : () -> ()
  return
}
