// RUN: lispier-opt %s -lispier-call-device -split-input-file -verify-diagnostics

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @touch(%a: memref<8xf32>) kernel { gpu.return }
  }
  func.func @main() {
    %one = arith.constant 1 : index
    // expected-error @below {{kernels cannot reach the host's stack; allocate what they use with memref.alloc}}
    %m = memref.alloca() : memref<8xf32>
    gpu.launch_func @kernels::@touch blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%m : memref<8xf32>)
    return
  }
}

// -----

func.func @main() {
  %v = arith.constant 1.5 : f80
  %m = gpu.alloc() : memref<6xf80>
  // expected-error @below {{fills contiguous memory with elements of 1, 2, 4 or 8 bytes; this is 'memref<6xf80>'}}
  gpu.memset %m, %v : memref<6xf80>, f80
  return
}

// -----

func.func @main(%unranked: memref<*xf32>) {
  %c8 = arith.constant 8 : index
  // expected-error @below {{describes a memref of unknown rank; cast it from a ranked one here}}
  %map = nvgpu.tma.create.descriptor %unranked box[%c8, %c8] : memref<*xf32>
    -> !nvgpu.tensormap.descriptor<tensor = memref<8x8xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
  return
}

// -----

func.func @main(%ranked: memref<64xf32>) {
  %c8 = arith.constant 8 : index
  %unranked = memref.cast %ranked : memref<64xf32> to memref<*xf32>
  // expected-error @below {{describes tiles of integers or floats, one size a dimension; this is 'memref<64xf32>' in tiles of 2 dimensions}}
  %map = nvgpu.tma.create.descriptor %unranked box[%c8, %c8] : memref<*xf32>
    -> !nvgpu.tensormap.descriptor<tensor = memref<8x8xf32, 3>, swizzle = none, l2promo = none, oob = zero, interleave = none>
  return
}

// -----

#folded = affine_map<(d0, d1) -> (d0 mod 2, d1)>
func.func @main(%host: memref<4x4xf32, #folded>) {
  %m = gpu.alloc() : memref<4x4xf32>
  // expected-error @below {{copies between host and device need strided memory, not}}
  gpu.memcpy %m, %host : memref<4x4xf32>, memref<4x4xf32, #folded>
  return
}

// -----

// Callers of a library have their tensors on the device.
// expected-note @below {{memory that may be of this parameter or result}}
func.func @given(%x: memref<?xf32>) attributes {group.entry = {}} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  // expected-error @below {{the host accesses memory of a tensor that callers of the library have on the device; (host x) is a copy that it can access}}
  memref.store %one, %x[%c0] : memref<?xf32>
  return
}
