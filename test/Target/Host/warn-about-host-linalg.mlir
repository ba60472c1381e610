// RUN: lispier-opt %s --lispier-warn-about-host-linalg -verify-diagnostics

// One warning for each linalg op name in host code, none for ops in kernels.
func.func @host(%m: memref<4xf32>, %v: f32) {
  %c1 = arith.constant 1 : index
  // expected-warning @+1 {{the passes of the file make no kernel of `linalg.fill`: it runs on the host, as loops}}
  linalg.fill ins(%v : f32) outs(%m : memref<4xf32>)
  linalg.fill ins(%v : f32) outs(%m : memref<4xf32>)
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    linalg.copy ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
    gpu.terminator
  }
  return
}
