// RUN: lispier-opt %s -lispier-decompose-nn -split-input-file | FileCheck %s --implicit-check-not=nn.
// RUN: lispier-opt %s -lispier-decompose-nn -lispier-decompose-nn -split-input-file | FileCheck %s --implicit-check-not=nn.

// The values are tested by running them: numbers.mlir and sample.mlir. Here is
// what may run at the same time, and that nothing is summed in bf16.

// Rows are independent; a row's mean, variance and result are three passes over it.
// CHECK-LABEL: func @layer_norm
func.func @layer_norm(%x: memref<?x?xf32>, %w: memref<?xbf16>, %b: memref<?xbf16>, %e: f32, %out: memref<?x?xbf16>) {
  // CHECK: scf.parallel (%{{[^,]*}}) =
  // CHECK: scf.for {{.*}} -> (f32)
  // CHECK: scf.for {{.*}} -> (f32)
  // CHECK: math.sqrt
  // CHECK: scf.for
  // CHECK: %[[R:.*]] = arith.truncf %{{.*}} : f32 to bf16
  // CHECK: memref.store %[[R]]
  nn.layer_norm %x, %w, %b epsilon %e into %out : memref<?x?xf32>, memref<?xbf16>, memref<?xbf16>, memref<?x?xbf16>
  return
}

// -----

// bf16 products are made and summed in f32; the residual comes after the activation.
// CHECK-LABEL: func @linear
func.func @linear(%x: memref<?x?xbf16>, %w: memref<?x?xbf16>, %b: memref<?xbf16>, %out: memref<?x?xbf16>) {
  // CHECK: scf.parallel (%[[T:.*]], %[[N:.*]]) =
  // CHECK: scf.for %[[K:[^ ]*]] = {{.*}} -> (f32)
  // CHECK: memref.load %{{.*}}[%[[T]], %[[K]]]
  // CHECK: memref.load %{{.*}}[%[[N]], %[[K]]]
  // CHECK: arith.mulf %{{.*}} : f32
  // CHECK: arith.addf %{{.*}} : f32
  // CHECK: memref.load %{{.*}}[%[[N]]] : memref<?xbf16>
  // CHECK: arith.maximumf
  // CHECK: memref.load %[[OUT:.*]][%[[T]], %[[N]]]
  // CHECK: arith.truncf
  // CHECK: memref.store %{{.*}}, %[[OUT]][%[[T]], %[[N]]]
  nn.linear %x, %w bias %b residual %out into %out {activation = #nn<activation relu>} : memref<?x?xbf16>, memref<?x?xbf16>, memref<?xbf16>, memref<?x?xbf16>, memref<?x?xbf16>
  return
}

// -----

// The caches are filled before any head reads them; the scores of a head are f32 whatever the caches are.
// CHECK-LABEL: func @attention
func.func @attention(%q: memref<?x?x?xbf16>, %k: memref<?x?x?xbf16>, %v: memref<?x?x?xbf16>, %keys: memref<?x?x?xbf16>, %values: memref<?x?x?xbf16>, %position: memref<1xi32>, %out: memref<?x?x?xbf16>) {
  // CHECK-NOT: memref.load
  // CHECK: scf.parallel (%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) =
  // CHECK-COUNT-2: memref.store %{{.*}} : memref<?x?x?xbf16>
  // CHECK: %[[SCORES:.*]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) : memref<?x?x?xf32>
  // CHECK: scf.parallel (%{{[^,]*}}, %{{[^,]*}}) =
  // CHECK: memref.dealloc %[[SCORES]]
  nn.attention %q, %k, %v cache %keys, %values at %position into %out : memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<1xi32>, memref<?x?x?xbf16>
  return
}

// -----

// Without caches nothing is stored but scores and results; without a position nothing is read from memory for it.
// CHECK-LABEL: func @among
func.func @among(%q: memref<?x?x?xf32>, %k: memref<?x?x?xf32>, %v: memref<?x?x?xf32>, %out: memref<?x?x?xf32>) {
  // CHECK-NOT: memref.load
  // CHECK: memref.alloc
  // CHECK: scf.parallel (%{{[^,]*}}, %{{[^,]*}}) =
  // CHECK-NOT: xi32
  // CHECK: memref.dealloc
  nn.attention %q, %k, %v into %out {window = 5} : memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>
  return
}

// -----

// Queries, and keys after them, are rotated into the scratch memory, which attention then reads.
// CHECK-LABEL: func @rotated_attention
func.func @rotated_attention(%q: memref<1x?x?xbf16>, %rotated: memref<1x?x?xbf16>, %c: memref<1x?xf32>, %s: memref<1x?xf32>, %keys: memref<?x?x?xbf16>, %position: memref<1xi32>) {
  // CHECK-COUNT-2: memref.store %{{.*}}, %arg1
  // CHECK-COUNT-2: memref.store %{{.*}}, %arg1
  // CHECK: memref.subview %arg1[0, %c0, 0]
  // CHECK: memref.subview %arg1[0, %{{.*}}, 0]
  // CHECK: memref.store %{{.*}}, %arg4
  // CHECK: memref.load %{{.*}} : memref<1x?x?xbf16, strided
  nn.rotated_attention %q, %q, %q by %c, %s through %rotated cache %keys, %keys at %position into %q : memref<1x?x?xbf16>, memref<1x?x?xbf16>, memref<1x?x?xbf16>, memref<1x?xf32>, memref<1x?xf32>, memref<1x?x?xbf16>, memref<?x?x?xbf16>, memref<?x?x?xbf16>, memref<1xi32>, memref<1x?x?xbf16>
  return
}

// -----

// A window in memory is read where a token is computed, which may be on a device.
// CHECK-LABEL: func @window_in_memory
// CHECK-SAME: %[[POSITION:[^,]*]]: memref<1xi32>, %[[WINDOW:.*]]: memref<1xi32>)
func.func @window_in_memory(%q: memref<?x?x?xf32>, %k: memref<?x?x?xf32>, %out: memref<?x?x?xf32>, %position: memref<1xi32>, %window: memref<1xi32>) {
  // CHECK: scf.parallel
  // CHECK: memref.load %[[POSITION]]
  // CHECK: memref.load %[[WINDOW]]
  nn.attention %q, %k, %k at %position window %window into %out : memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>, memref<1xi32>, memref<1xi32>, memref<?x?x?xf32>
  return
}

// -----

// Linalg ops, which become vectors on a CPU and threads on a GPU. Operands may be views.
// CHECK-LABEL: func @softmax
func.func @softmax(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %out: memref<?x?xf32>) {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%arg0 :
  // CHECK: arith.maximumf
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
  // CHECK: math.exp
  // CHECK: arith.addf
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} {{.*}} outs(%arg1 :
  // CHECK: math.exp
  // CHECK: arith.divf
  // CHECK-COUNT-2: memref.dealloc
  nn.softmax %x into %out : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32>
  return
}

// -----

// Elementwise ops stay fusable.
// CHECK-LABEL: func @elementwise
func.func @elementwise(%x: memref<?x?x4xbf16>, %y: memref<?x?x4xf32>) {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]}
  // CHECK: math.tanh %{{.*}} : f32
  // CHECK: linalg.yield %{{.*}} : f32
  nn.gelu %x into %y : memref<?x?x4xbf16>, memref<?x?x4xf32>
  // CHECK: linalg.generic
  // CHECK: arith.addf %{{.*}} : f32
  // CHECK: linalg.yield %{{.*}} : bf16
  nn.add %x, %y into %x : memref<?x?x4xbf16>, memref<?x?x4xf32>, memref<?x?x4xbf16>
  return
}

// -----

// Sums of weights are integers: any order of summing gives the same token.
// CHECK-LABEL: func @sample
func.func @sample(%logits: memref<?xf32>, %scratch: memref<?xf32>, %state: memref<1xi64>, %t: f32, %k: i32, %p: f32, %out: memref<1xi32>) {
  // CHECK: scf.for {{.*}} -> (f32, i32)
  // CHECK: scf.if
  // CHECK: math.exp
  // CHECK-NOT: arith.addf
  // CHECK: arith.mului_extended
  // CHECK-NOT: arith.addf
  // CHECK: memref.store %{{.*}} : memref<1xi32>
  nn.sample %logits, %scratch, %state temperature %t top_k %k top_p %p into %out : memref<?xf32>, memref<?xf32>, memref<1xi64>, memref<1xi32>
  return
}

// -----

// CHECK-LABEL: func @argmax
func.func @argmax(%logits: memref<?xf32>, %out: memref<1xi32>) {
  // CHECK: arith.cmpf ogt
  // CHECK: memref.store %{{.*}} : memref<1xi32>
  nn.argmax %logits into %out : memref<?xf32>, memref<1xi32>
  return
}
