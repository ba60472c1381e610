// An op reads a tile in the memory from which it is loaded, where all of the tile lies in it.
// RUN: lispier-opt %s -lispier-read-tile-sources | FileCheck %s
#all = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// The part of a tile that exists, through a view of all of it.
// CHECK-LABEL: func.func @sum
// CHECK: scf.if %[[SEEN:.*]] {
// CHECK-NOT: linalg.copy
// CHECK: linalg.fill
// CHECK: %[[PLACE:.*]] = memref.subview %arg0
// CHECK: %[[TILE:.*]] = memref.cast
// CHECK: %[[EITHER:.*]] = arith.select %[[SEEN]], %[[PLACE]], %[[TILE]]
// CHECK: linalg.generic {{.*}} ins(%[[EITHER]]
func.func @sum(%x: memref<?xf32>, %at: index, %n: index, %seen: i1, %sum: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloca() : memref<64xf32>
  %local = memref.alloca() : memref<f32>
  %part = memref.subview %tile[0] [%n] [1] : memref<64xf32> to memref<?xf32, strided<[1]>>
  linalg.fill ins(%zero : f32) outs(%part : memref<?xf32, strided<[1]>>)
  scf.if %seen {
    %from = memref.subview %x[%at] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %to = memref.subview %tile[0] [%n] [1] : memref<64xf32> to memref<?xf32, strided<[1]>>
    linalg.copy ins(%from : memref<?xf32, strided<[1], offset: ?>>) outs(%to : memref<?xf32, strided<[1]>>)
  }
  linalg.fill ins(%zero : f32) outs(%local : memref<f32>)
  %whole = memref.subview %part[0] [%n] [1] : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  linalg.generic {indexing_maps = [#all, #none], iterator_types = ["reduction"]}
      ins(%whole : memref<?xf32, strided<[1]>>) outs(%local : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %o, %a : f32
    linalg.yield %r : f32
  }
  memref.copy %local, %sum : memref<f32> to memref<f32>
  return
}

// Two ops read the tile.
// CHECK-LABEL: func.func @twice
// CHECK: linalg.copy
// CHECK-NOT: arith.select
func.func @twice(%x: memref<?xf32>, %at: index, %seen: i1) {
  %tile = memref.alloca() : memref<64xf32>
  %a = memref.alloca() : memref<64xf32>
  %b = memref.alloca() : memref<64xf32>
  scf.if %seen {
    %from = memref.subview %x[%at] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.copy ins(%from : memref<64xf32, strided<[1], offset: ?>>) outs(%tile : memref<64xf32>)
  }
  linalg.exp ins(%tile : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%tile : memref<64xf32>) outs(%b : memref<64xf32>)
  return
}

// The source may change before the tile is read.
// CHECK-LABEL: func.func @changed
// CHECK: linalg.copy
// CHECK-NOT: arith.select
func.func @changed(%x: memref<?xf32>, %at: index, %seen: i1, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloca() : memref<64xf32>
  %a = memref.alloca() : memref<64xf32>
  scf.if %seen {
    %from = memref.subview %x[%at] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.copy ins(%from : memref<64xf32, strided<[1], offset: ?>>) outs(%tile : memref<64xf32>)
  }
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  linalg.exp ins(%tile : memref<64xf32>) outs(%a : memref<64xf32>)
  return
}

// So may what the reader writes.
// CHECK-LABEL: func.func @written
// CHECK: linalg.copy
// CHECK-NOT: arith.select
func.func @written(%x: memref<?xf32>, %at: index, %seen: i1, %y: memref<64xf32>) {
  %tile = memref.alloca() : memref<64xf32>
  scf.if %seen {
    %from = memref.subview %x[%at] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.copy ins(%from : memref<64xf32, strided<[1], offset: ?>>) outs(%tile : memref<64xf32>)
  }
  linalg.exp ins(%tile : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// The tile that is read is that of the step before.
// CHECK-LABEL: func.func @before
// CHECK: linalg.copy
// CHECK-NOT: arith.select
func.func @before(%x: memref<?xf32>, %n: index, %seen: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %tile = memref.alloca() : memref<64xf32>
  %a = memref.alloca() : memref<64xf32>
  scf.for %at = %c0 to %n step %c64 {
    linalg.exp ins(%tile : memref<64xf32>) outs(%a : memref<64xf32>)
    scf.if %seen {
      %from = memref.subview %x[%at] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
      linalg.copy ins(%from : memref<64xf32, strided<[1], offset: ?>>) outs(%tile : memref<64xf32>)
    }
  }
  return
}

// A part of it is written once more after the load.
// CHECK-LABEL: func.func @cleared
// CHECK: linalg.copy
// CHECK-NOT: arith.select
func.func @cleared(%x: memref<?xf32>, %at: index, %seen: i1) {
  %zero = arith.constant 0.0 : f32
  %tile = memref.alloca() : memref<64xf32>
  %a = memref.alloca() : memref<64xf32>
  scf.if %seen {
    %from = memref.subview %x[%at] [64] [1] : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
    linalg.copy ins(%from : memref<64xf32, strided<[1], offset: ?>>) outs(%tile : memref<64xf32>)
  }
  %end = memref.subview %tile[60] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: 60>>
  linalg.fill ins(%zero : f32) outs(%end : memref<4xf32, strided<[1], offset: 60>>)
  linalg.exp ins(%tile : memref<64xf32>) outs(%a : memref<64xf32>)
  return
}
