// RUN: lispier-opt %s | lispier-opt | FileCheck %s
// RUN: lispier-opt %s -mlir-print-op-generic | lispier-opt | FileCheck %s
// RUN: lispier-opt %s -cse | FileCheck %s --check-prefix=CSE
// RUN: lispier-opt %s -canonicalize | FileCheck %s --check-prefix=FOLD

#id = affine_map<(d0) -> (d0)>

// Operands are tensors and scalars; each of `outs` has a result.
// CHECK-LABEL: func.func @scale
// CHECK: %[[Y:.*]] = group.kernel "scale" kind(elementwise) ins(%{{.*}}, %{{.*}} : tensor<?xf32>, f32) outs(%{{.*}} : tensor<?xf32>) {
// CHECK: ^bb0(%{{.*}}: tensor<?xf32>, %{{.*}}: f32, %{{.*}}: tensor<?xf32>):
// CHECK: group.yield %{{.*}} : tensor<?xf32>
// CHECK: } -> tensor<?xf32>
// CHECK: return %[[Y]]
func.func @scale(%x: tensor<?xf32>, %a: f32, %init: tensor<?xf32>) -> tensor<?xf32> {
  %y = group.kernel "scale" kind(elementwise) ins(%x, %a : tensor<?xf32>, f32) outs(%init : tensor<?xf32>) {
  ^bb0(%xs: tensor<?xf32>, %factor: f32, %out: tensor<?xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%xs : tensor<?xf32>) outs(%out : tensor<?xf32>) {
    ^bb0(%e: f32, %o: f32):
      %p = arith.mulf %e, %factor : f32
      linalg.yield %p : f32
    } -> tensor<?xf32>
    group.yield %r : tensor<?xf32>
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// On memrefs there is no result, the arguments are tensors, and the op writes memory: CSE keeps the second kernel, which
// reads what the first has written.
// CHECK-LABEL: func.func @on_memrefs
// CHECK: group.kernel "one" kind(row) outs(%{{.*}} : memref<4xf32, strided<[2]>>) attributes {some = 1 : i64} {
// CHECK: ^bb0(%{{.*}}: tensor<4xf32>):
// CHECK: }
// CSE-LABEL: func.func @on_memrefs
// CSE-COUNT-2: group.kernel
func.func @on_memrefs(%out: memref<4xf32, strided<[2]>>) {
  group.kernel "one" kind(row) outs(%out : memref<4xf32, strided<[2]>>) attributes {some = 1 : i64} {
  ^bb0(%o: tensor<4xf32>):
    %y = arith.addf %o, %o : tensor<4xf32>
    group.yield %y : tensor<4xf32>
  }
  group.kernel "one" kind(row) outs(%out : memref<4xf32, strided<[2]>>) attributes {some = 1 : i64} {
  ^bb0(%o: tensor<4xf32>):
    %y = arith.addf %o, %o : tensor<4xf32>
    group.yield %y : tensor<4xf32>
  }
  return
}

// Kernels on tensors are values: equal ones are one, and unused ones go.
// CSE-LABEL: func.func @values
// CSE-COUNT-1: group.kernel
// CSE-NOT: group.kernel
// CSE: return
func.func @values(%init: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = group.kernel "twice" kind(elementwise) outs(%init : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    %y = arith.addf %o, %o : tensor<4xf32>
    group.yield %y : tensor<4xf32>
  } -> tensor<4xf32>
  %b = group.kernel "twice" kind(elementwise) outs(%init : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    %y = arith.addf %o, %o : tensor<4xf32>
    group.yield %y : tensor<4xf32>
  } -> tensor<4xf32>
  %c = group.kernel "unused" kind(elementwise) outs(%init : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    group.yield %o : tensor<4xf32>
  } -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// What a cast forgets of where elements are, the kernel still knows; not sizes, which its body has.
// FOLD-LABEL: func.func @forgotten(
// FOLD-SAME: %[[X:.*]]: memref<8xf32>, %[[Y:.*]]: memref<8xf32>)
// FOLD: %[[ANY:.*]] = memref.cast %[[X]] : memref<8xf32> to memref<?xf32>
// FOLD: group.kernel "copy" kind(copy) ins(%[[X]], %[[ANY]] : memref<8xf32>, memref<?xf32>) outs(%[[Y]] : memref<8xf32>)
func.func @forgotten(%x: memref<8xf32>, %y: memref<8xf32>) {
  %strided = memref.cast %x : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  %any = memref.cast %x : memref<8xf32> to memref<?xf32>
  %to = memref.cast %y : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
  group.kernel "copy" kind(copy) ins(%strided, %any : memref<8xf32, strided<[?], offset: ?>>, memref<?xf32>)
      outs(%to : memref<8xf32, strided<[?], offset: ?>>) {
  ^bb0(%from: tensor<8xf32>, %other: tensor<?xf32>, %out: tensor<8xf32>):
    %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%from : tensor<8xf32>) outs(%out : tensor<8xf32>) {
    ^bb0(%e: f32, %o: f32):
      linalg.yield %e : f32
    } -> tensor<8xf32>
    group.yield %r : tensor<8xf32>
  }
  return
}

// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<?xf32>, %start: f32) -> tensor<?xf32> {
  // CHECK: group.scan %{{.*}} along 0 from %{{.*}} reverse exclusive outs
  // CHECK-NEXT: ^bb0(%[[SOFAR:.*]]: f32, %[[NEXT:.*]]: f32):
  // CHECK-NEXT: %[[SUM:.*]] = arith.subf %[[NEXT]], %[[SOFAR]]
  // CHECK-NEXT: group.next %[[SUM]] : f32
  %y = group.scan %x along 0 from %start reverse exclusive outs(%x : tensor<?xf32>) : tensor<?xf32> -> tensor<?xf32> {
  ^bb0(%sofar: f32, %next: f32):
    %difference = arith.subf %next, %sofar : f32
    group.next %difference : f32
  }
  return %y : tensor<?xf32>
}
