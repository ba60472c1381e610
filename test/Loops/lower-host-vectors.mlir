// RUN: lispier-opt %s -pass-pipeline='builtin.module(func.func(lispier-lower-host-vectors))' | FileCheck %s

// The rows of a transfer are read one by one, and a sum over rows adds vectors.
// CHECK-LABEL: func @rows
// CHECK-COUNT-2: vector.transfer_read %{{.*}} : memref<2x8xf32>, vector<8xf32>
// CHECK-NOT: vector.multi_reduction
// CHECK: arith.addf %{{.*}} : vector<8xf32>
func.func @rows(%m: memref<2x8xf32>, %start: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %x = vector.transfer_read %m[%c0, %c0], %f {in_bounds = [true, true]} : memref<2x8xf32>, vector<2x8xf32>
  %s = vector.multi_reduction <add>, %x, %start [0] : vector<2x8xf32> to vector<8xf32>
  return %s : vector<8xf32>
}

// CHECK-LABEL: func @printed
// CHECK-NOT: vector.print %{{.*}} : vector<2x2xf32>
func.func @printed(%x: vector<2x2xf32>) {
  vector.print %x : vector<2x2xf32>
  return
}

// What has none of these ops is not rewritten: a greedy rewrite would erase the constant, which nobody uses.
// CHECK-LABEL: func @plain
// CHECK: arith.constant 7
func.func @plain(%m: memref<8xf32>) -> vector<8xf32> {
  %unused = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  %x = vector.load %m[%c0] : memref<8xf32>, vector<8xf32>
  return %x : vector<8xf32>
}
