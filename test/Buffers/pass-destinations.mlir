// RUN: lispier-opt %s -lispier-pass-destinations -split-input-file | FileCheck %s
// RUN: lispier-opt %s -lispier-pass-destinations -lispier-bufferize-tensors -split-input-file | FileCheck %s --check-prefix=MEMORY

// The caller has the memory of a result whose sizes follow from the arguments: sizes of them, numbers, and sums and
// products of these.
// CHECK-LABEL: func.func private @grown(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %{{[^:]*}}: index, %[[OUT:[^:]*]]: tensor<?x8xf32> {bufferization.writable = true, group.out}) -> tensor<?x8xf32>
// CHECK: %[[Y:.*]] = group.kernel
// CHECK: %[[PLACED:.*]] = bufferization.materialize_in_destination %[[Y]] in %[[OUT]]
// CHECK: return %[[PLACED]]
// CHECK-LABEL: func.func @caller(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x4xf32>, %[[N:[^:]*]]: index
// CHECK: %[[T:.*]] = tensor.dim %[[X]]
// CHECK: %[[SUM:.*]] = arith.addi
// CHECK: %[[SIZE:.*]] = arith.maxsi %{{.*}}, %c0
// CHECK: %[[EMPTY:.*]] = tensor.empty(%[[SIZE]]) : tensor<?x8xf32>
// CHECK: call @grown(%[[X]], %[[N]], %[[EMPTY]])
// MEMORY-LABEL: func.func private @grown(
// MEMORY-SAME: %[[OUT:[^:]*]]: memref<?x8xf32> {group.out}) {
// MEMORY-NOT: memref.alloc
// MEMORY: group.kernel {{.*}} outs(%[[OUT]] :
// MEMORY-NOT: memref.copy
// MEMORY: return
// What the caller stores is made where it stores it.
// MEMORY-LABEL: func.func @caller(
// MEMORY-SAME: %[[M:[^:]*]]: memref<?x8xf32>)
// MEMORY-NOT: memref.alloc
// MEMORY: call @grown(%{{.*}}, %{{.*}}, %[[M]])
// MEMORY-NOT: memref.copy
// MEMORY: return
func.func private @grown(%x: tensor<?x4xf32>, %n: index) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : tensor<?x4xf32>
  %size = arith.addi %t, %n : index
  %e = tensor.empty(%size) : tensor<?x8xf32>
  %y = group.kernel "zero" kind(elementwise) outs(%e : tensor<?x8xf32>) {
  ^bb0(%o: tensor<?x8xf32>):
    %zero = arith.constant 0.0 : f32
    %r = linalg.fill ins(%zero : f32) outs(%o : tensor<?x8xf32>) -> tensor<?x8xf32>
    group.yield %r : tensor<?x8xf32>
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
func.func @caller(%x: tensor<?x4xf32>, %n: index, %m: memref<?x8xf32>) {
  %y = call @grown(%x, %n) : (tensor<?x4xf32>, index) -> tensor<?x8xf32>
  bufferization.materialize_in_destination %y in restrict writable %m : (tensor<?x8xf32>, memref<?x8xf32>) -> ()
  return
}

// -----

// A size that depends on what is in memory is only known to the function. The other result is an argument, behind it.
// CHECK-LABEL: func.func private @selected(
// CHECK-SAME: %{{[^:]*}}: tensor<1xindex>, %[[OUT:[^:]*]]: tensor<4xf32> {bufferization.writable = true, group.out}) -> (tensor<?xf32>, i64, tensor<4xf32>)
// CHECK-LABEL: func.func @caller(
// CHECK: %[[R:.*]]:3 = call @selected(
// CHECK: return %[[R]]#2, %[[R]]#0
func.func private @selected(%n: tensor<1xindex>) -> (tensor<4xf32>, tensor<?xf32>, i64) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %zero = arith.constant 0.0 : f32
  %size = tensor.extract %n[%c0] : tensor<1xindex>
  %a = tensor.splat %zero : tensor<4xf32>
  %b = tensor.splat %zero[%size] : tensor<?xf32>
  return %a, %b, %one : tensor<4xf32>, tensor<?xf32>, i64
}
func.func @caller(%n: tensor<1xindex>) -> (tensor<4xf32>, tensor<?xf32>) {
  %r:3 = call @selected(%n) : (tensor<1xindex>) -> (tensor<4xf32>, tensor<?xf32>, i64)
  return %r#0, %r#1 : tensor<4xf32>, tensor<?xf32>
}

// -----

// What others may call keeps its signature. In a branch that calls the function again its result is already in place.
// CHECK-LABEL: func.func private @halved.into(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %{{[^:]*}}: i1, %[[OUT:[^:]*]]: tensor<?xf32> {bufferization.writable = true, group.out})
// CHECK: %[[R:.*]] = scf.if
// CHECK: bufferization.materialize_in_destination %[[X]] in %[[OUT]]
// CHECK: else
// CHECK: %[[CALLED:.*]] = func.call @halved.into(%[[X]], %{{.*}}, %[[OUT]])
// CHECK-NEXT: scf.yield %[[CALLED]]
// CHECK: return %[[R]]
// CHECK-LABEL: func.func @halved(
// CHECK-SAME: tensor<?xf32>, %{{[^:]*}}: i1) -> tensor<?xf32>
// CHECK: call @halved.into(
// CHECK: return
// MEMORY-LABEL: func.func private @halved.into(
// MEMORY-COUNT-1: memref.copy
// MEMORY-NOT: memref.{{copy|alloc}}
// MEMORY-LABEL: func.func @halved(
func.func @halved(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %true = arith.constant true
  %r = scf.if %c -> (tensor<?xf32>) {
    scf.yield %x : tensor<?xf32>
  } else {
    %y = func.call @halved(%x, %true) : (tensor<?xf32>, i1) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A function that nothing in the module calls, and one whose recursion changes the size, remain as they are.
// CHECK-LABEL: func.func @uncalled(
// CHECK-NOT: group.out
// CHECK-LABEL: func.func private @longer(
// CHECK-NOT: group.out
func.func @uncalled(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @longer(%x: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    scf.yield %x : tensor<?xf32>
  } else {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %two = arith.addi %n, %n : index
    %zero = arith.constant 0.0 : f32
    %y = tensor.splat %zero[%two] : tensor<?xf32>
    %z = func.call @longer(%y, %c) : (tensor<?xf32>, i1) -> tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A loop's last value would be copied to a destination: the function makes it.
// CHECK-LABEL: func.func private @last(
// CHECK-SAME: %{{[^,]*}}: tensor<?xf32>, %{{[^,]*}}: index) -> tensor<?xf32>
func.func private @last(%x: tensor<?xf32>, %count: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> (tensor<?xf32>) {
    %e = tensor.extract %a[%c0] : tensor<?xf32>
    %b = tensor.insert %e into %a[%i] : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  return %y : tensor<?xf32>
}
func.func @calls_last(%x: tensor<?xf32>, %count: index) -> tensor<?xf32> {
  %y = call @last(%x, %count) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %y : tensor<?xf32>
}


// -----

// A value that is returned twice is made in the place of one result, and is that result's value as the other, too, of
// which the caller gets a copy. Two places for one value are more than bufferization can do.
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME: %{{[^,]*}}: tensor<4xf32>, %[[OUT:[^:]*]]: tensor<4xf32> {bufferization.writable = true, group.out}) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: %[[PLACED:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[OUT]]
// CHECK: return %[[PLACED]], %[[PLACED]]
// MEMORY-LABEL: func.func private @twice(
// MEMORY-SAME: %[[OUT:[^:]*]]: memref<4xf32> {group.out}) -> memref<4xf32>
// MEMORY: group.kernel {{.*}} outs(%[[OUT]] :
// MEMORY: %[[COPY:.*]] = memref.alloc() {{.*}}: memref<4xf32>
// MEMORY: memref.copy %[[OUT]], %[[COPY]]
// MEMORY: return %[[COPY]]
func.func private @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %y = group.kernel "zero" kind(elementwise) outs(%e : tensor<4xf32>) {
  ^bb0(%o: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %r = linalg.fill ins(%zero : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
    group.yield %r : tensor<4xf32>
  } -> tensor<4xf32>
  return %y, %y : tensor<4xf32>, tensor<4xf32>
}
func.func @calls_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a, %b = call @twice(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// Of an entry of a library, the function itself has the memory of its results; what a loop ends with it returns. Its
// callers learn the sizes from a further function.
// CHECK-LABEL: func.func @entry.sizes
// CHECK-SAME: (%{{.*}}: tensor<?xf32>, %{{.*}}: index) -> (index, index)
// CHECK-LABEL: func.func @entry(
// CHECK-SAME: %{{.*}}: tensor<?xf32>, %{{.*}}: index, %{{.*}}: tensor<?xf32> {{.*}}group.out
// CHECK-SAME: group.entry = {destinations = array<i64: 0>
// CHECK-SAME: results = [{name = "a", sizes = ["m + n"], type = f32}, {name = "b", sizes = ["n"], type = f32}]
// CHECK-SAME: size_function = @entry.sizes
func.func @entry(%x: tensor<?xf32>, %m: index) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {group.entry = {name = "entry", doc = "", place = "a.lisp:1:1",
        parameters = [{name = "x", sizes = ["n"], type = f32}, {name = "m", type = index}],
        results = [{name = "a", sizes = ["_"], type = f32}, {name = "b", sizes = ["_"], type = f32}]}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %size = arith.addi %n, %m : index
  %empty = tensor.empty(%size) : tensor<?xf32>
  %a = linalg.fill ins(%one : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %b = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %x) -> tensor<?xf32> {
    %next = linalg.add ins(%acc, %acc : tensor<?xf32>, tensor<?xf32>) outs(%acc : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %next : tensor<?xf32>
  }
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
