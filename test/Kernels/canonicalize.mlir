// RUN: lispier-opt %s -pass-pipeline='builtin.module(func.func(lispier-canonicalize))' | FileCheck %s

// CHECK-LABEL: func.func @folds
// CHECK-NEXT: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-NEXT: return %[[THREE]]
func.func @folds() -> index {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.addi %one, %two : index
  return %three : index
}

// A template is canonicalized when it is cloned.
// CHECK-LABEL: func.func private @template
// CHECK: arith.addi
func.func private @template(%x: memref<?xf32>, %out: memref<?xf32>) attributes {nn.template = "nn.gelu"} {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %three = arith.addi %one, %two : index
  %v = memref.load %x[%three] : memref<?xf32>
  memref.store %v, %out[%three] : memref<?xf32>
  return
}

// A loop carries a known size only where every value has it; upstream's pattern looks at the first one.
// CHECK-LABEL: func.func @other_size
// CHECK: scf.for {{.*}} -> (tensor<?xf32>)
func.func @other_size(%x: tensor<3xf32>, %y: tensor<4xf32>, %from: index, %to: index, %by: index) -> tensor<?xf32> {
  %first = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %last = scf.for %i = %from to %to step %by iter_args(%t = %first) -> (tensor<?xf32>) {
    %next = tensor.cast %y : tensor<4xf32> to tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %last : tensor<?xf32>
}

// CHECK-LABEL: func.func @one_size
// CHECK: scf.for {{.*}} -> (tensor<3xf32>)
func.func @one_size(%x: tensor<3xf32>, %from: index, %to: index, %by: index) -> tensor<?xf32> {
  %first = tensor.cast %x : tensor<3xf32> to tensor<?xf32>
  %last = scf.for %i = %from to %to step %by iter_args(%t = %first) -> (tensor<?xf32>) {
    %known = tensor.cast %t : tensor<?xf32> to tensor<3xf32>
    %sum = arith.addf %known, %known : tensor<3xf32>
    %next = tensor.cast %sum : tensor<3xf32> to tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %last : tensor<?xf32>
}

// Constant sizes of an expanded cast become part of its type, without upstream's pattern, which crashes.
// CHECK-LABEL: func.func @expanded_cast
// CHECK: tensor.expand_shape %{{.*}} : tensor<4xf32> into tensor<1x4xf32>
func.func @expanded_cast(%x: tensor<4xf32>) -> tensor<1x?xf32> {
  %c4 = arith.constant 4 : index
  %cast = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  %expanded = tensor.expand_shape %cast [[0, 1, 2]] output_shape [1, %c4, 1] : tensor<?xf32> into tensor<1x?x1xf32>
  %collapsed = tensor.collapse_shape %expanded [[0], [1, 2]] : tensor<1x?x1xf32> into tensor<1x?xf32>
  return %collapsed : tensor<1x?xf32>
}

// Parts of a tensor without elements. When the cast is folded, the op itself has no valid offset any more.
// CHECK-LABEL: func.func @slice_nothing(
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty(%arg1) : tensor<?x0xf32>
// CHECK-NEXT: %[[CAST:.*]] = tensor.cast %[[EMPTY]] : tensor<?x0xf32> to tensor<?x?xf32>
// CHECK-NEXT: return %[[CAST]]
func.func @slice_nothing(%x: tensor<4x0xf32>, %n: index) -> tensor<?x?xf32> {
  %open = tensor.cast %x : tensor<4x0xf32> to tensor<?x?xf32>
  %zero = arith.constant 0 : index
  %part = tensor.extract_slice %open[0, 0] [%n, %zero] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %part : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @insert_nothing(
// CHECK-NEXT: return %arg1
func.func @insert_nothing(%x: tensor<2x0xf32>, %whole: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %open = tensor.cast %x : tensor<2x0xf32> to tensor<?x?xf32>
  %wide = tensor.cast %whole : tensor<4x0xf32> to tensor<?x?xf32>
  %two = arith.constant 2 : index
  %zero = arith.constant 0 : index
  %all = tensor.insert_slice %open into %wide[1, 0] [%two, %zero] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  %known = tensor.cast %all : tensor<?x?xf32> to tensor<4x0xf32>
  return %known : tensor<4x0xf32>
}

// Once the cast is folded, which only upstream's patterns do, the part is outside of the tensor.
// CHECK-LABEL: func.func @insert_into_nothing(
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @insert_into_nothing(%x: tensor<?x4xf32>, %whole: tensor<0x4xf32>, %n: index) -> tensor<?x4xf32> {
  %open = tensor.cast %whole : tensor<0x4xf32> to tensor<?x4xf32>
  %all = tensor.insert_slice %x into %open[0, 0] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  return %all : tensor<?x4xf32>
}

// A choice of tensors that both forget the same sizes has these sizes.
// CHECK-LABEL: func.func @branches(
// CHECK: arith.select %arg2, %arg0, %arg1 : tensor<4xf32>
// CHECK: return
func.func private @touch()
func.func @branches(%a: tensor<4xf32>, %b: tensor<4xf32>, %first: i1) -> tensor<?xf32> {
  %c = scf.if %first -> tensor<?xf32> {
    func.call @touch() : () -> ()
    %x = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
    scf.yield %x : tensor<?xf32>
  } else {
    %y = tensor.cast %b : tensor<4xf32> to tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %c : tensor<?xf32>
}

// Where other sizes are forgotten, it has any.
// CHECK-LABEL: func.func @other_branches(
// CHECK: scf.if %{{.*}} -> (tensor<?xf32>)
func.func @other_branches(%a: tensor<4xf32>, %b: tensor<5xf32>, %first: i1) -> tensor<?xf32> {
  %c = scf.if %first -> tensor<?xf32> {
    func.call @touch() : () -> ()
    %x = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
    scf.yield %x : tensor<?xf32>
  } else {
    %y = tensor.cast %b : tensor<5xf32> to tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %c : tensor<?xf32>
}

// All sizes that a dimension becomes are constants: so is what it has.
// CHECK-LABEL: func.func @rows(
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [3, 4] : tensor<12xf32> into tensor<3x4xf32>
func.func @rows(%x: tensor<?xf32>) -> tensor<?x?xf32> {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %y = tensor.expand_shape %x [[0, 1]] output_shape [%c3, %c4] : tensor<?xf32> into tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Memory that is known to have no elements, of a size that is not known: together they are an unknown size still.
// CHECK-LABEL: func.func @collapsed_casts(
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : memref<?x?xf32> into memref<?xf32>
// CHECK: memref.collapse_shape %{{.*}} {{\[\[}}0, 1]] : memref<2x?xf32> into memref<?xf32>
func.func @collapsed_casts(%x: memref<0x?xf32>, %y: memref<2x?xf32>) -> (memref<?xf32>, memref<?xf32>) {
  %a = memref.cast %x : memref<0x?xf32> to memref<?x?xf32>
  %b = memref.collapse_shape %a [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %c = memref.cast %y : memref<2x?xf32> to memref<?x?xf32>
  %d = memref.collapse_shape %c [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  return %b, %d : memref<?xf32>, memref<?xf32>
}

// A view of lower rank says no more which dimension it lacks once the other has the size 1, too.
// CHECK-LABEL: func.func @view_of_one(
// CHECK: %[[PART:.*]] = memref.subview %{{.*}}[0, 0, %{{.*}}, 0] [1, 7, 1, %{{.*}}] {{.*}} to memref<1x7x1x?xf32, strided<[?, ?, ?, 1], offset: ?>>
// CHECK: memref.collapse_shape %[[PART]] {{\[\[}}0], [1, 2], [3]] : {{.*}} into memref<1x7x?xf32, strided<[?, ?, 1], offset: ?>>
func.func @view_of_one(%x: memref<?x7x?x?xf32>, %i: index, %n: index) -> memref<?x7x?xf32, strided<[?, ?, 1], offset: ?>> {
  %one = arith.constant 1 : index
  %y = memref.subview %x[0, 0, %i, 0] [%one, 7, 1, %n] [1, 1, 1, 1] : memref<?x7x?x?xf32> to memref<?x7x?xf32, strided<[?, ?, 1], offset: ?>>
  return %y : memref<?x7x?xf32, strided<[?, ?, 1], offset: ?>>
}

// A product's sums begin with what a run adds to them, and not with a constant, by which the program may round.
// CHECK-LABEL: func.func @added(
// CHECK-SAME: %[[A:.*]]: vector<4x8xf64>, %[[B:.*]]: vector<8x4xf64>, %[[C:.*]]: vector<4x4xf64>)
// CHECK: %[[SUM:.*]] = vector.contract {{.*}} %[[A]], %[[B]], %[[C]]
// CHECK: %[[PRODUCT:.*]] = vector.contract {{.*}} %[[A]], %[[B]], %cst
// CHECK: %[[ROUNDED:.*]] = arith.addf %[[PRODUCT]]
// CHECK: return %[[SUM]], %[[ROUNDED]]
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @added(%a: vector<4x8xf64>, %b: vector<8x4xf64>, %c: vector<4x4xf64>) -> (vector<4x4xf64>, vector<4x4xf64>) {
  %zero = arith.constant dense<0.0> : vector<4x4xf64>
  %large = arith.constant dense<6755399441055744.0> : vector<4x4xf64>
  %x = vector.contract {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %zero : vector<4x8xf64>, vector<8x4xf64> into vector<4x4xf64>
  %sum = arith.addf %c, %x : vector<4x4xf64>
  %y = vector.contract {indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %zero : vector<4x8xf64>, vector<8x4xf64> into vector<4x4xf64>
  %rounded = arith.addf %y, %large : vector<4x4xf64>
  return %sum, %rounded : vector<4x4xf64>, vector<4x4xf64>
}
