// RUN: lispier-opt %s -split-input-file -lispier-select-templates | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: lispier-opt %s -split-input-file -lispier-select-templates=target=cuda | FileCheck %s --check-prefixes=CHECK,CUDA

// Absent operands are memrefs without elements; the attributes come last. The second template of an op is used where the
// first does not fit; what is called stays, what is not is erased.
// CPU: func.func private @linear_f32(
func.func private @linear_f32(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>, %o: memref<?x?xf32>, %activation: i64)
    attributes {lispier.template = "nn.linear", lispier.template_targets = ["cpu"], lispier.template_attributes = ["activation"]} {
  return
}
// CPU: func.func private @linear_bf16(
func.func private @linear_bf16(%x: memref<?x?xf32>, %w: memref<?x?xbf16>, %b: memref<?xbf16>, %r: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {lispier.template = "nn.linear", lispier.template_targets = ["sim", "cpu"]} {
  return
}
// CHECK-NOT: @unused
func.func private @unused(%x: memref<?x?xbf16>, %o: memref<?x?xbf16>)
    attributes {lispier.template = "nn.softmax", lispier.template_targets = ["cpu"]} {
  return
}
// CHECK-LABEL: func @linear(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32>, %[[W:.*]]: memref<4x8xf32>, %[[H:.*]]: memref<4x8xbf16>, %[[B:.*]]: memref<4xbf16>, %[[O:.*]]: memref<?x4xf32>)
func.func @linear(%x: memref<?x8xf32>, %w: memref<4x8xf32>, %h: memref<4x8xbf16>, %b: memref<4xbf16>, %o: memref<?x4xf32>) {
  // CUDA: nn.linear
  // CPU-DAG: %[[NOBIAS:.*]] = memref.alloca() : memref<0xf32>
  // CPU-DAG: %[[NOBIAS1:.*]] = memref.cast %[[NOBIAS]] : memref<0xf32> to memref<?xf32>
  // CPU-DAG: %[[NORESIDUAL:.*]] = memref.alloca() : memref<0x0xf32>
  // CPU-DAG: %[[NORESIDUAL1:.*]] = memref.cast %[[NORESIDUAL]] : memref<0x0xf32> to memref<?x?xf32>
  // CPU-DAG: %[[X1:.*]] = memref.cast %[[X]] : memref<?x8xf32> to memref<?x?xf32>
  // CPU-DAG: %[[W1:.*]] = memref.cast %[[W]] : memref<4x8xf32> to memref<?x?xf32>
  // CPU-DAG: %[[O1:.*]] = memref.cast %[[O]] : memref<?x4xf32> to memref<?x?xf32>
  // CPU-DAG: %[[SILU:.*]] = arith.constant 3 : i64
  // CPU: call @linear_f32(%[[X1]], %[[W1]], %[[NOBIAS1]], %[[NORESIDUAL1]], %[[O1]], %[[SILU]])
  nn.linear %x, %w into %o {activation = #nn<activation silu>} : memref<?x8xf32>, memref<4x8xf32>, memref<?x4xf32>
  // CUDA: nn.linear
  // CPU: call @linear_bf16(
  nn.linear %x, %h bias %b residual %o into %o : memref<?x8xf32>, memref<4x8xbf16>, memref<4xbf16>, memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

// A default value is passed like a written one. Without a list of targets a template is for all.
func.func private @normalise(%x: memref<?x?xf32>, %w: memref<?xf32>, %b: memref<?xf32>, %o: memref<?x?xf32>, %epsilon: f32)
    attributes {lispier.template = "nn.layer_norm", lispier.template_attributes = ["epsilon"]} {
  return
}
// CHECK-LABEL: func @layer_norm(
func.func @layer_norm(%x: memref<?x?xf32>, %w: memref<?xf32>) {
  // CHECK: %[[E:.*]] = arith.constant 9.99999974E-6 : f32
  // CHECK: call @normalise(%{{.*}}, %[[E]])
  nn.layer_norm %x, %w, %w into %x : memref<?x?xf32>, memref<?xf32>, memref<?xf32>, memref<?x?xf32>
  return
}

// -----

// A template may rely on what its parameters' types say, so these ops stay: a size that may differ, strides that may
// differ, another element type, another memory.
func.func private @rows_of_64(%x: memref<?x64xf32>, %o: memref<?x64xf32>) attributes {lispier.template = "nn.softmax"} {
  return
}
// CHECK-LABEL: func @sizes(
func.func @sizes(%some: memref<?x?xf32>, %other: memref<?x32xf32>, %same: memref<2x64xf32>) {
  // CHECK-COUNT-2: nn.softmax
  nn.softmax %some into %some : memref<?x?xf32>, memref<?x?xf32>
  nn.softmax %other into %other : memref<?x32xf32>, memref<?x32xf32>
  // CHECK: call @rows_of_64
  nn.softmax %same into %same : memref<2x64xf32>, memref<2x64xf32>
  return
}
// CHECK-LABEL: func @layouts(
func.func @layouts(%view: memref<?x64xf32, strided<[?, 1]>>, %high: memref<?x64xf32, 1>, %half: memref<?x64xbf16>, %plain: memref<?x64xf32>) {
  // CHECK-COUNT-3: nn.softmax
  nn.softmax %view into %plain : memref<?x64xf32, strided<[?, 1]>>, memref<?x64xf32>
  nn.softmax %high into %high : memref<?x64xf32, 1>, memref<?x64xf32, 1>
  nn.softmax %half into %plain : memref<?x64xbf16>, memref<?x64xf32>
  return
}

// -----

// A template that asks for less takes views as well as whole memrefs.
func.func private @rows(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %o: memref<?x?xf32>) attributes {lispier.template = "nn.softmax"} {
  return
}
// CHECK-LABEL: func @views(
func.func @views(%view: memref<?x64xf32, strided<[128, 1], offset: ?>>, %columns: memref<?x64xf32, strided<[1, ?]>>, %plain: memref<?x64xf32>) {
  // CHECK: call @rows
  nn.softmax %view into %plain : memref<?x64xf32, strided<[128, 1], offset: ?>>, memref<?x64xf32>
  // CHECK: call @rows
  nn.softmax %plain into %plain : memref<?x64xf32>, memref<?x64xf32>
  // CHECK: nn.softmax
  nn.softmax %columns into %plain : memref<?x64xf32, strided<[1, ?]>>, memref<?x64xf32>
  return
}

// -----

// A template may use the op itself for what it does not do, and templates of other ops: they stay as long as it does.
// CHECK: func.func private @softmax(
func.func private @softmax(%x: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {lispier.template = "nn.softmax"} {
  // CHECK: nn.softmax
  nn.softmax %x into %o : memref<?x?xf32>, memref<?x?xf32>
  // CHECK: call @gelu
  nn.gelu %o into %o : memref<?x?xf32>, memref<?x?xf32>
  return
}
// CHECK: func.func private @gelu(
func.func private @gelu(%x: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {lispier.template = "nn.gelu"} {
  return
}
// CHECK-NOT: @add
func.func private @add(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {lispier.template = "nn.add"} {
  return
}
// CHECK-LABEL: func @caller(
func.func @caller(%x: memref<?x?xf32>) {
  // CHECK: call @softmax
  nn.softmax %x into %x : memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

// The empty memref is made once a call, not once an iteration.
func.func private @product(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {lispier.template = "nn.linear"} {
  return
}
// CHECK-LABEL: func @loop(
func.func @loop(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %o: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: memref.alloca() : memref<0x0xf32>
  // CHECK: scf.for
  // CHECK-NOT: memref.alloca
  // CHECK: call @product
  scf.for %i = %c0 to %n step %c1 {
    nn.linear %x, %w bias %b into %o : memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>
  }
  return
}
// Code of another symbol table cannot call the template.
gpu.module @device {
  // CHECK-LABEL: gpu.func @kernel
  gpu.func @kernel(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %o: memref<?x?xf32>) kernel {
    // CHECK: nn.linear
    nn.linear %x, %w into %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
    gpu.return
  }
}
