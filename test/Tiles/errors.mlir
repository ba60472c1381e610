// What cannot be distributed.
// RUN: lispier-opt --lispier-lay-out-tiles -split-input-file -verify-diagnostics %s

module attributes {device.target = "sim:sm_80"} {
gpu.module @kernels {
  gpu.func @batch_inside(%a: vector<4x2x8xf32>, %b: vector<2x8x4xf32>, %c: vector<2x4x4xf32>) kernel attributes {tile.program = #tile.program<>} {
    // expected-error@+1 {{is no product of matrices; a block multiplies [m k] by [k n], or with a batch [b m k] by [b k n], either factor transposed}}
    %d = vector.contract {indexing_maps = [affine_map<(b, m, n, k) -> (m, b, k)>, affine_map<(b, m, n, k) -> (b, k, n)>, affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<4x2x8xf32>, vector<2x8x4xf32> into vector<2x4x4xf32>
    gpu.return
  }
}
}
