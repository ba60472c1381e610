// RUN: lispier-opt %s -lispier-decompose-softmax | FileCheck %s
// RUN: lispier run --from=module %s | FileCheck %s --check-prefix=NUMBERS
// RUN: lispier run --target=sim --from=module %s | FileCheck %s --check-prefix=NUMBERS

// CHECK-LABEL: func.func @rows
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[MOST:.*]] : memref<?xf32>)
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]} ins(%arg0 : memref<?x?xf32>) outs(%[[MOST]] :
// CHECK: arith.maxnumf
// CHECK: linalg.generic {{.*}}["parallel", "parallel"]} ins(%arg0, %[[MOST]] : {{.*}}) outs(%arg1 :
// CHECK: math.exp
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[SUM:.*]] : memref<?xf32>)
// CHECK: linalg.generic {{.*}}["parallel", "reduction"]} ins(%arg1 : memref<?x?xf32>) outs(%[[SUM]] :
// CHECK: linalg.generic {{.*}}["parallel", "parallel"]} ins(%[[SUM]] : {{.*}}) outs(%arg1 :
// CHECK: arith.divf
// CHECK: memref.dealloc
func.func @rows(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// The first dimension; BF16 is summed in F32.
// CHECK-LABEL: func.func @columns
// CHECK: linalg.generic {{.*}}["reduction", "parallel"]} ins(%arg1 : memref<4x3xbf16>) outs(%{{.*}} : memref<3xf32>)
// CHECK: arith.extf
func.func @columns(%x: memref<4x3xbf16>, %y: memref<4x3xbf16>) {
  linalg.softmax dimension(0) ins(%x : memref<4x3xbf16>) outs(%y : memref<4x3xbf16>)
  return
}

// e^0 : e^1 : e^2 is 0.0900 : 0.2447 : 0.6652, and four equal numbers are a quarter each.
// NUMBERS: 0.09003
// NUMBERS-NEXT: 0.2447
// NUMBERS-NEXT: 0.6652
// NUMBERS-NEXT: 0.25
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %x = memref.alloc(%c2, %c3) : memref<?x?xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %n = arith.index_cast %j : index to i32
      %f = arith.sitofp %n : i32 to f32
      memref.store %f, %x[%i, %j] : memref<?x?xf32>
    }
  }
  func.call @rows(%x, %x) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
  %a = memref.load %x[%c1, %c0] : memref<?x?xf32>
  %b = memref.load %x[%c1, %c1] : memref<?x?xf32>
  %c = memref.load %x[%c1, %c2] : memref<?x?xf32>
  vector.print %a : f32
  vector.print %b : f32
  vector.print %c : f32
  %y = memref.alloc() : memref<4x3xbf16>
  %one = arith.constant 1.0 : bf16
  linalg.fill ins(%one : bf16) outs(%y : memref<4x3xbf16>)
  func.call @columns(%y, %y) : (memref<4x3xbf16>, memref<4x3xbf16>) -> ()
  %q = memref.load %y[%c3, %c1] : memref<4x3xbf16>
  %w = arith.extf %q : bf16 to f32
  vector.print %w : f32
  return
}
