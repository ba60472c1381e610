// RUN: lispier-opt %s | lispier-opt | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // CHECK: gpu.func @rows(%{{.*}}: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<warps = 8, stages = 3>}
    gpu.func @rows(%m: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<warps = 8, stages = 3>} { gpu.return }
    // CHECK: tile.program = #tile.program<>
    gpu.func @defaults(%m: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %zero = arith.constant 0.0 : f32
      %i = arith.constant dense<1> : vector<4x8xindex>
      %mask = arith.constant dense<true> : vector<4x8xi1>
      // CHECK: tile.gather %{{.*}}[%[[I:.*]], %[[I]]], %{{.*}} : memref<?x?xf32>, vector<4x8xindex> -> vector<4x8xf32>
      %a = tile.gather %m[%i, %i], %zero : memref<?x?xf32>, vector<4x8xindex> -> vector<4x8xf32>
      // CHECK: tile.gather %{{.*}}[%[[I]], %[[I]]], %{{.*}}, %[[MASK:.*]] : memref<?x?xf32>, vector<4x8xindex>, vector<4x8xi1> -> vector<4x8xf32>
      %b = tile.gather %m[%i, %i], %zero, %mask : memref<?x?xf32>, vector<4x8xindex>, vector<4x8xi1> -> vector<4x8xf32>
      // CHECK: tile.scatter %{{.*}}, %{{.*}}[%[[I]], %[[I]]] : vector<4x8xf32>, memref<?x?xf32>, vector<4x8xindex>
      tile.scatter %a, %m[%i, %i] : vector<4x8xf32>, memref<?x?xf32>, vector<4x8xindex>
      // CHECK: tile.atomic_add %{{.*}}, %{{.*}}[%[[I]], %[[I]]], %[[MASK]] : vector<4x8xf32>, memref<?x?xf32>, vector<4x8xindex>, vector<4x8xi1>
      tile.atomic_add %b, %m[%i, %i], %mask : vector<4x8xf32>, memref<?x?xf32>, vector<4x8xindex>, vector<4x8xi1>
      gpu.return
    }
  }
}
