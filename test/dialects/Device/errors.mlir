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
