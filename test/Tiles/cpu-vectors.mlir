// On a CPU the loops of a tile program are vectors, whole tiles and edges alike: no exponential of one number, no product of
// two, no loop for other threads.
// RUN: lispier --emit=loops --from=tiles --target=cpu --cpu=x86-64-v4 %s | FileCheck %s
// RUN: lispier --emit=loops --from=tiles --target=cpu --cpu=x86-64-v3 %s | FileCheck %s --check-prefix=NARROW
// REQUIRES: x86

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK-LABEL: func.func private @kernels_exp
    // CHECK-NOT: scf.parallel
    // CHECK-NOT: linalg
    // CHECK-NOT: math.exp {{.*}} : f32
    // CHECK: math.exp {{.*}} : vector<16xf32>
    // CHECK-NOT: math.exp {{.*}} : f32
    // CHECK: vector.maskedstore
    // CHECK-LABEL: func.func private @kernels_product
    // NARROW-LABEL: func.func private @kernels_exp
    // NARROW: math.exp {{.*}} : vector<8xf32>
    // NARROW-LABEL: func.func private @kernels_product
    gpu.func @exp(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %row = gpu.block_id x
      %c0 = arith.constant 0 : index
      %low = arith.constant 0xFF800000 : f32
      %v = vector.transfer_read %x[%row, %c0], %low : memref<?x?xf32>, vector<1x512xf32>
      %lows = arith.constant dense<0xFF800000> : vector<1xf32>
      %m = vector.multi_reduction <maximumf>, %v, %lows [1] : vector<1x512xf32> to vector<1xf32>
      %m1 = vector.shape_cast %m : vector<1xf32> to vector<1x1xf32>
      %mb = vector.broadcast %m1 : vector<1x1xf32> to vector<1x512xf32>
      %d = arith.subf %v, %mb : vector<1x512xf32>
      %e = math.exp %d : vector<1x512xf32>
      vector.transfer_write %e, %y[%row, %c0] : vector<1x512xf32>, memref<?x?xf32>
      gpu.return
    }
    // CHECK-NOT: scf.parallel
    // CHECK-NOT: linalg
    // CHECK-NOT: mulf {{.*}} : f32
    // CHECK: arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
    // CHECK-NOT: mulf {{.*}} : f32
    // NARROW: arith.mulf {{.*}} fastmath<contract> : vector<8xf32>
    // CHECK-LABEL: func.func @main
    // NARROW-LABEL: func.func @main
    gpu.func @product(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %c: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : bf16
      %zeros = arith.constant dense<0.0> : vector<32x64xf32>
      %l = vector.transfer_read %a[%c0, %c0], %zero : memref<?x?xbf16>, vector<32x16xbf16>
      %r = vector.transfer_read %b[%c0, %c0], %zero : memref<?x?xbf16>, vector<16x64xbf16>
      %s = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %zeros : vector<32x16xbf16>, vector<16x64xbf16> into vector<32x64xf32>
      vector.transfer_write %s, %c[%c0, %c0] : vector<32x64xf32>, memref<?x?xf32>
      gpu.return
    }
  }
  func.func @main(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %a: memref<?x?xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@exp blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?x?xf32>, %y : memref<?x?xf32>)
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?x?xbf16>, %a : memref<?x?xbf16>, %y : memref<?x?xf32>)
    return
  }
}
