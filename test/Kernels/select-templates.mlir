// RUN: lispier-opt %s -split-input-file -allow-unregistered-dialect -lispier-select-templates | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: lispier-opt %s -split-input-file -allow-unregistered-dialect -lispier-select-templates=target=cuda | FileCheck %s --check-prefixes=CHECK,CUDA

// A copy knows the attributes, the operands that are absent (memrefs without elements) and the operands' types. The second
// template is taken where the first does not fit. No template is left.
// CHECK-NOT: nn.template
// CPU: func.func private @linear_f32_0(%[[X:.*]]: memref<?x8xf32>, %{{.*}}: memref<4x8xf32>, %{{.*}}: memref<?x4xf32>) attributes {device.tuned} {
// CPU-DAG: %[[NOBIAS:.*]] = memref.alloca() : memref<0xf32>
// CPU-DAG: %[[BIAS:.*]] = memref.cast %[[NOBIAS]] : memref<0xf32> to memref<?xf32>
// CPU-DAG: %[[SILU:.*]] = arith.constant 3 : i64
// CPU-DAG: %[[ANY:.*]] = memref.cast %[[X]] : memref<?x8xf32> to memref<?x?xf32>
// CPU: "use"(%[[ANY]], %[[BIAS]], %[[SILU]])
func.func private @linear_f32(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>, %o: memref<?x?xf32>, %activation: i64)
    attributes {nn.template = "nn.linear", nn.template_targets = ["cpu"], nn.template_attributes = ["activation"]} {
  "use"(%x, %b, %activation) : (memref<?x?xf32>, memref<?xf32>, i64) -> ()
  return
}
// CPU: func.func private @linear_bf16_1(
func.func private @linear_bf16(%x: memref<?x?xf32>, %w: memref<?x?xbf16>, %b: memref<?xbf16>, %r: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {nn.template = "nn.linear", nn.template_targets = ["sim", "cpu"]} {
  return
}
func.func private @unused(%x: memref<?x?xbf16>, %o: memref<?x?xbf16>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["cpu"]} {
  return
}
// CHECK-LABEL: func @linear(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32>, %[[W:.*]]: memref<4x8xf32>, %[[H:.*]]: memref<4x8xbf16>, %[[B:.*]]: memref<4xbf16>, %[[O:.*]]: memref<?x4xf32>)
func.func @linear(%x: memref<?x8xf32>, %w: memref<4x8xf32>, %h: memref<4x8xbf16>, %b: memref<4xbf16>, %o: memref<?x4xf32>) {
  // CUDA: nn.linear
  // CPU: call @linear_f32_0(%[[X]], %[[W]], %[[O]])
  nn.linear %x, %w into %o {activation = #nn<activation silu>} : memref<?x8xf32>, memref<4x8xf32>, memref<?x4xf32>
  // CUDA: nn.linear
  // CPU: call @linear_bf16_1(
  nn.linear %x, %h bias %b residual %o into %o : memref<?x8xf32>, memref<4x8xbf16>, memref<4xbf16>, memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

// A default value is passed like a written one; ops that need the same share a copy. Without a list of targets a
// template is for all.
// CHECK: func.func private @[[FIRST:project_.]](
// CHECK: arith.constant 0 : i64
// CHECK: func.func private @[[SECOND:project_.]](
// CHECK: arith.constant 2 : i64
// CHECK-NOT: func.func private
func.func private @project(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>, %o: memref<?x?xf32>, %activation: i64)
    attributes {nn.template = "nn.linear", nn.template_attributes = ["activation"]} {
  "use"(%activation) : (i64) -> ()
  return
}
// CHECK-LABEL: func @linear_activations(
func.func @linear_activations(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %o: memref<?x?xf32>) {
  // CHECK: call @[[FIRST]](
  nn.linear %x, %w into %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  // CHECK: call @[[SECOND]](
  nn.linear %x, %w into %o {activation = #nn<activation relu>} : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  // CHECK: call @[[FIRST]](
  nn.linear %x, %w into %o {activation = #nn<activation none>} : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

// Ops that differ in what is passed as a value only share a copy; on a CPU, so do those that differ in which operands
// are absent.
// CUDA: func.func private @shared_0(%{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %[[ACTIVATION:.*]]: i64) attributes {device.tuned} {
// CPU: func.func private @shared_0(%{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>, %[[ACTIVATION:.*]]: i64) attributes {device.tuned} {
// CHECK-DAG: %[[WEIGHTS:.*]] = arith.constant -1 : i64
// CHECK: "use"(%[[WEIGHTS]], %[[ACTIVATION]])
// CUDA: func.func private @shared_1(
// CHECK-NOT: func.func private
func.func private @shared(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>, %o: memref<?x?xf32>, %weights: i64, %activation: i64)
    attributes {nn.template = "nn.linear", nn.template_attributes = ["constant_weights", "activation"], nn.template_values = ["activation"]} {
  "use"(%weights, %activation) : (i64, i64) -> ()
  return
}
// CHECK-LABEL: func @values(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?x?xf32>, %[[O:.*]]: memref<?x?xf32>)
func.func @values(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %o: memref<?x?xf32>) {
  // CPU-DAG: %[[EMPTY:.*]] = memref.alloca() : memref<0xf32>
  // CPU-DAG: %[[BIAS:.*]] = memref.cast %[[EMPTY]] : memref<0xf32> to memref<?xf32>
  // CHECK: %[[NONE:.*]] = arith.constant 0 : i64
  // CUDA: call @shared_0(%[[X]], %[[W]], %[[O]], %[[NONE]])
  // CPU: call @shared_0(%[[X]], %[[W]], %{{.*}}, %{{.*}}, %[[O]], %[[NONE]])
  nn.linear %x, %w into %o : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  // CHECK: %[[RELU:.*]] = arith.constant 2 : i64
  // CUDA: call @shared_1(%[[X]], %[[W]], %[[O]], %[[O]], %[[RELU]])
  // CPU: call @shared_0(%[[X]], %[[W]], %{{.*}}, %[[O]], %[[O]], %[[RELU]])
  nn.linear %x, %w residual %o into %o {activation = #nn<activation relu>} : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

// On a CPU, memory that begins at a known offset needs no copy of its own; its strides and sizes stay known.
// CPU: func.func private @any_offset_0(%{{.*}}: memref<?x8xf32, strided<[8, 1], offset: ?>>, %{{.*}}: memref<?x8xf32, strided<[8, 1], offset: ?>>)
// CUDA: func.func private @any_offset_0(%{{.*}}: memref<?x8xf32>,
// CUDA: func.func private @any_offset_1(%{{.*}}: memref<?x8xf32, strided<[8, 1], offset: ?>>,
// CHECK-NOT: func.func private
func.func private @any_offset(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %o: memref<?x?xf32, strided<[?, 1], offset: ?>>)
    attributes {nn.template = "nn.softmax"} {
  "use"(%x) : (memref<?x?xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}
// CHECK-LABEL: func @offsets(
func.func @offsets(%x: memref<?x8xf32>, %y: memref<?x8xf32, strided<[8, 1], offset: ?>>, %o: memref<?x8xf32>) {
  // CHECK: call @any_offset_0(
  nn.softmax %x into %o : memref<?x8xf32>, memref<?x8xf32>
  // CPU: call @any_offset_0(
  // CUDA: call @any_offset_1(
  nn.softmax %y into %o : memref<?x8xf32, strided<[8, 1], offset: ?>>, memref<?x8xf32>
  return
}

// -----

// A template may rely on what its parameters' types say, so these ops stay: a size that may differ, strides that may
// differ, another memory, another element type.
func.func private @rows_of_64(%x: memref<?x64xf32>, %o: memref<?x64xf32>) attributes {nn.template = "nn.softmax"} {
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

// A template with fewer requirements matches views as well as whole memrefs.
func.func private @rows(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %o: memref<?x?xf32>) attributes {nn.template = "nn.softmax"} {
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

// A template may leave what it does not do to the op itself, which it never takes, and use other ops, which may have
// templates.
// CHECK: func.func private @[[SOFTMAX:softmax_.]](
// CHECK: nn.softmax
// CHECK: call @[[GELU:gelu_.]](
// CHECK: func.func private @[[GELU]](
func.func private @softmax(%x: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {nn.template = "nn.softmax"} {
  nn.softmax %x into %o : memref<?x?xf32>, memref<?x?xf32>
  nn.gelu %o into %o : memref<?x?xf32>, memref<?x?xf32>
  return
}
func.func private @gelu(%x: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {nn.template = "nn.gelu"} {
  return
}
// CHECK-LABEL: func @caller(
func.func @caller(%x: memref<?x?xf32>) {
  // CHECK: call @[[SOFTMAX]](
  nn.softmax %x into %x : memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

// What it leaves goes to templates after it alone: two that leave a case to each other would never end.
// CHECK: func.func private @[[NARROW:narrow_.]](
// CHECK-NEXT: call @[[BROAD:broad_.]](
// CHECK: func.func private @[[BROAD]](
// CHECK-NEXT: nn.softmax
func.func private @narrow(%x: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {nn.template = "nn.softmax"} {
  nn.softmax %x into %o : memref<?x?xf32>, memref<?x?xf32>
  return
}
func.func private @broad(%x: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {nn.template = "nn.softmax"} {
  nn.softmax %x into %o : memref<?x?xf32>, memref<?x?xf32>
  return
}
// CHECK-LABEL: func @leaving(
func.func @leaving(%x: memref<?x?xf32>) {
  // CHECK: call @[[NARROW]](
  nn.softmax %x into %x : memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

// Code of another symbol table cannot call the template.
func.func private @softmax(%x: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {nn.template = "nn.softmax"} {
  return
}
gpu.module @device {
  // CHECK-LABEL: gpu.func @kernel
  gpu.func @kernel(%x: memref<?x?xf32>) kernel {
    // CHECK: nn.softmax
    nn.softmax %x into %x : memref<?x?xf32>, memref<?x?xf32>
    gpu.return
  }
}

// -----

// Somebody's own call of a template keeps it.
// CHECK: func.func private @softmax(
func.func private @softmax(%x: memref<?x?xf32>, %o: memref<?x?xf32>) attributes {nn.template = "nn.softmax"} {
  return
}
// CHECK-LABEL: func @by_name(
func.func @by_name(%x: memref<?x?xf32>) {
  // CHECK: call @softmax(
  call @softmax(%x, %x) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
  return
}

// -----

// A template may require features of the processor.
// RUN: lispier-opt %s -split-input-file -allow-unregistered-dialect -lispier-select-templates=features=avx2,avx512bf16 | FileCheck %s --check-prefix=FEATURES
func.func private @with_instruction(%x: memref<?x?xbf16>, %o: memref<?x?xbf16>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["cpu+avx512bf16"]} {
  return
}
func.func private @without(%x: memref<?x?xbf16>, %o: memref<?x?xbf16>)
    attributes {nn.template = "nn.softmax", nn.template_targets = ["cpu"]} {
  return
}
// CHECK-LABEL: func @features(
// FEATURES-LABEL: func @features(
func.func @features(%x: memref<?x?xbf16>) {
  // CPU: call @without_
  // CUDA: nn.softmax
  // FEATURES: call @with_instruction_
  nn.softmax %x into %x : memref<?x?xbf16>, memref<?x?xbf16>
  return
}

// -----

// Of kernels that stand there for templates those stay that a copy of a template launches.
// CPU: gpu.module @kernels {
// CPU: gpu.func @used
// CPU-NOT: gpu.func @unused
// CUDA-NOT: gpu.module @kernels
module attributes {gpu.container_module} {
  func.func private @template(%x: memref<?xf32>, %o: memref<?xf32>)
      attributes {nn.template = "nn.gelu", nn.template_targets = ["cpu"]} {
    %one = arith.constant 1 : index
    gpu.launch_func @kernels::@used blocks in (%one, %one, %one) threads in (%one, %one, %one)
    return
  }
  gpu.module @kernels attributes {nn.template_kernels} {
    gpu.func @used() kernel { gpu.return }
    gpu.func @unused() kernel { gpu.return }
  }
  func.func @launches(%x: memref<?xf32>) {
    nn.gelu %x into %x : memref<?xf32>, memref<?xf32>
    return
  }
}

// -----

// What the constants exclude is gone before its ops are looked at. A parameter whose sizes are 0 takes absent operands only.
// CPU: func.func private @absent_0(
// CPU-NOT: nn.softmax
// CPU: "absent"
// CPU: func.func private @present_
// CPU: "present"
func.func private @absent(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<0xf32>, %r: memref<0x0xf32>, %o: memref<?x?xf32>, %activation: i64)
    attributes {nn.template = "nn.linear", nn.template_targets = ["cpu"], nn.template_attributes = ["activation"]} {
  %relu = arith.constant 2 : i64
  %is_relu = arith.cmpi eq, %activation, %relu : i64
  scf.if %is_relu {
    nn.softmax %x into %o : memref<?x?xf32>, memref<?x?xf32>
  }
  "absent"() : () -> ()
  return
}
func.func private @present(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %r: memref<?x?xf32>, %o: memref<?x?xf32>)
    attributes {nn.template = "nn.linear", nn.template_targets = ["cpu"]} {
  "present"() : () -> ()
  return
}
func.func @biases(%x: memref<?x?xf32>, %w: memref<?x?xf32>, %b: memref<?xf32>, %o: memref<?x?xf32>) {
  // CPU: call @absent_0(
  nn.linear %x, %w into %o {activation = #nn<activation silu>} : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>
  // CPU: call @present_
  nn.linear %x, %w bias %b into %o : memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>
  return
}
