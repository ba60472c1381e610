// RUN: lispier-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{no cuda chip `sm_90b`; did you mean `sm_90`}}
module attributes {device.target = "cuda:sm_90b"} {}

// -----

// expected-error @below {{device.target is the name of a target, on a module or gpu.module}}
func.func private @f() attributes {device.target = "sim"}

// -----

// expected-error @below {{the device dialect has no attribute `device.targets`}}
module attributes {device.targets = "sim"} {}

// -----

// expected-error @below {{device.waits is for kernels of a gpu.module}}
func.func private @f() attributes {device.waits}

// -----

gpu.module @kernels {
  // expected-error @below {{device.kernel is a #device.kernel, on a kernel of a gpu.module}}
  gpu.func @k() kernel attributes {device.kernel = 1 : i64} { gpu.return }
}

// -----

// expected-error @below {{#device.code has either `bytes` or the `symbol` of a binary}}
gpu.module @k attributes {device.code = #device.code<format = "ptx">} {}

// -----

// expected-error @below {{device.code is a #device.code, on a gpu.module}}
module attributes {device.code = #device.code<format = "ptx", bytes = "">} {}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-note @below {{the kernel, without `device.waits`}}
    gpu.func @k() kernel { gpu.return }
  }
  func.func @main(%one: index) {
    // expected-error @below {{may begin before the work before it is done, but its kernel does not wait}}
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) {device.dependent_launch}
    return
  }
}

// -----

func.func @types(%m: memref<4xf32>) {
  // expected-error @below {{failed to verify that all of {source, result} have same type}}
  %d = "device.upload"(%m) : (memref<4xf32>) -> memref<8xf32>
  return
}

// -----

func.func @memory(%v: i32) {
  // expected-error @below {{must be ranked or unranked memref}}
  %d = "device.upload"(%v) : (i32) -> i32
  return
}

// -----

func.func @arguments() {
  // expected-error @below {{has a body without arguments; it uses what is defined around it}}
  "device.replay"() ({
  ^bb0(%v: i32):
    device.yield
  }) : () -> ()
  return
}

// -----

func.func @results(%v: i32) {
  // expected-error @below {{along control flow edge}}
  %r = device.replay -> i64 {
    // expected-note @below {{region branch point}}
    device.yield %v : i32
  }
  return
}

// -----

func.func @alone() {
  // expected-error @below {{expects parent op 'device.replay'}}
  device.yield
}

// -----

// expected-error @below {{device.reduction is a unit attribute, on a loop}}
func.func private @f() attributes {device.reduction}

// -----

// expected-error @below {{device.sim_thread is a unit attribute, on a function of a thread}}
func.func private @f() attributes {device.sim_thread}

// -----

// expected-error @below {{device.checked is a unit attribute, on a function}}
module attributes {device.checked} {}

// -----

// expected-error @below {{device.parallel_body is a unit attribute, on a function}}
module attributes {device.parallel_body} {}

// -----

// expected-error @below {{device.tuned is a unit attribute, on a function}}
module attributes {device.tuned} {}

// -----

// expected-error @below {{device.plain is a unit attribute, on a linalg op}}
func.func private @f() attributes {device.plain}

// -----

// expected-error @below {{device.prefetch is a number of inputs, an i64, on a linalg op}}
func.func private @f() attributes {device.prefetch}

// -----

func.func @download(%t: tensor<4xf32>) {
  // expected-error @below {{has a result of other type, 'memref<4xf32>', than its source, 'tensor<4xf32>'}}
  %m = device.download %t : tensor<4xf32> to memref<4xf32>
  return
}

// -----

func.func @download(%m: memref<4x4xf32>) {
  // expected-error @below {{allocates contiguous memory, not 'memref<4x4xf32, strided<[8, 1]>>'}}
  %d = device.download %m : memref<4x4xf32> to memref<4x4xf32, strided<[8, 1]>>
  return
}
