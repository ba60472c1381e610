// RUN: lispier-opt %s --lispier-split-products -split-input-file | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {device.target = "sim:sm_80"} {
  gpu.module @kernels {
    // a = a1 + a2, b = b1 + b2: a1 b2, a2 b1 and, last, a1 b1.
    // CHECK-LABEL: gpu.func @bf16x3
    // CHECK-SAME: %[[A:.*]]: vector<16x16xf32>, %[[B:.*]]: vector<16x16xf32>, %[[C:.*]]: vector<16x16xf32>
    // CHECK: %[[A1:.*]] = arith.truncf %[[A]]
    // CHECK: %[[WIDE:.*]] = arith.extf %[[A1]]
    // CHECK: %[[REST:.*]] = arith.subf %[[A]], %[[WIDE]]
    // CHECK: %[[A2:.*]] = arith.truncf %[[REST]]
    // CHECK: %[[B1:.*]] = arith.truncf %[[B]]
    // CHECK: %[[B2:.*]] = arith.truncf
    // CHECK: %[[S:.*]] = vector.contract {{.*}} %[[A1]], %[[B2]], %[[C]] : vector<16x16xbf16>
    // CHECK: %[[T:.*]] = vector.contract {{.*}} %[[A2]], %[[B1]], %[[S]]
    // CHECK: vector.contract {{.*}} %[[A1]], %[[B1]], %[[T]]
    // CHECK-NOT: vector.contract
    gpu.func @bf16x3(%a: vector<16x16xf32>, %b: vector<16x16xf32>, %c: vector<16x16xf32>) kernel attributes {tile.program = #tile.program<>} {
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, tile.precision = #tile.precision<bf16x3>} %a, %b, %c : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
      gpu.return
    }

    // A factor that was BF16 is one term.
    // CHECK-LABEL: gpu.func @mixed
    // CHECK-SAME: %{{.*}}: vector<16x16xf32>, %[[B:.*]]: vector<16x16xbf16>,
    // CHECK: %[[S:.*]] = vector.contract {{.*}} %{{.*}}, %[[B]], %{{.*}} : vector<16x16xbf16>
    // CHECK: vector.contract {{.*}} %{{.*}}, %[[B]], %[[S]] : vector<16x16xbf16>
    // CHECK-NOT: vector.contract
    gpu.func @mixed(%a: vector<16x16xf32>, %b: vector<16x16xbf16>, %c: vector<16x16xf32>) kernel attributes {tile.program = #tile.program<>} {
      %w = arith.extf %b : vector<16x16xbf16> to vector<16x16xf32>
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, tile.precision = #tile.precision<bf16x3>} %a, %w, %c : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
      gpu.return
    }

    // CHECK-LABEL: gpu.func @tf32x3
    // CHECK-SAME: %[[A:.*]]: vector<16x16xf32>, %[[B:.*]]: vector<16x16xf32>, %[[C:.*]]: vector<16x16xf32>
    // CHECK: arith.andi %{{.*}}, %{{.*}} : vector<16x16xi32>
    // CHECK: %[[A2:.*]] = arith.subf %[[A]], %[[A1:.*]] :
    // CHECK: %[[B2:.*]] = arith.subf %[[B]], %[[B1:.*]] :
    // CHECK: vector.contract {{.*}} %[[A1]], %[[B2]], %[[C]] {tile.precision = #tile.precision<tf32>}
    // CHECK: vector.contract {{.*}} %[[A2]], %[[B1]], {{.*}} {tile.precision = #tile.precision<tf32>}
    // CHECK: vector.contract {{.*}} %[[A1]], %[[B1]], {{.*}} {tile.precision = #tile.precision<tf32>}
    gpu.func @tf32x3(%a: vector<16x16xf32>, %b: vector<16x16xf32>, %c: vector<16x16xf32>) kernel attributes {tile.program = #tile.program<>} {
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, tile.precision = #tile.precision<tf32x3>} %a, %b, %c : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
      gpu.return
    }

    // No instruction has 4 columns: exact.
    // CHECK-LABEL: gpu.func @narrow
    // CHECK-NOT: arith.
    // CHECK: vector.contract {{.*}} : vector<16x16xf32>, vector<16x4xf32>
    // CHECK-NOT: vector.contract
    gpu.func @narrow(%a: vector<16x16xf32>, %b: vector<16x4xf32>, %c: vector<16x4xf32>) kernel attributes {tile.program = #tile.program<>} {
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, tile.precision = #tile.precision<bf16x3>} %a, %b, %c : vector<16x16xf32>, vector<16x4xf32> into vector<16x4xf32>
      gpu.return
    }
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {device.target = "sim:gfx1100"} {
  gpu.module @kernels {
    // A chip without instructions for TF32: two terms of BF16 are closer than one of TF32, but not than two.
    // CHECK-LABEL: gpu.func @tf32
    // CHECK-COUNT-3: vector.contract {{.*}} : vector<16x16xbf16>
    // CHECK-NOT: vector.contract
    gpu.func @tf32(%a: vector<16x16xf32>, %b: vector<16x16xf32>, %c: vector<16x16xf32>) kernel attributes {tile.program = #tile.program<>} {
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, tile.precision = #tile.precision<tf32>} %a, %b, %c : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
      gpu.return
    }
    // CHECK-LABEL: gpu.func @tf32x3
    // CHECK: vector.contract {{.*}} : vector<16x16xf32>
    // CHECK-NOT: vector.contract
    gpu.func @tf32x3(%a: vector<16x16xf32>, %b: vector<16x16xf32>, %c: vector<16x16xf32>) kernel attributes {tile.program = #tile.program<>} {
      %d = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, tile.precision = #tile.precision<tf32x3>} %a, %b, %c : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
      gpu.return
    }
  }
}
