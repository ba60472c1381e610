// RUN: lispier-opt %s -lispier-lay-out-tiles -lispier-distribute-tiles -canonicalize -cse -split-input-file | FileCheck %s
// RUN: lispier-opt %s -lispier-lay-out-tiles -lispier-distribute-tiles -lispier-share-memory -canonicalize -cse -split-input-file | FileCheck %s --check-prefix=SHARED

module attributes {gpu.container_module, device.target = "sim"} {
  gpu.module @kernels {
    // One test for the whole tile; else a predicate a vector of 4, in one unsigned comparison.
    // CHECK-LABEL: gpu.func @bounds
    // CHECK: %[[INSIDE:.*]] = arith.cmpi sge, %{{.*}}, %c512
    // CHECK: %[[V:.*]] = scf.if %[[INSIDE]] -> (vector<8xf32>) {
    // CHECK-COUNT-2: vector.load %{{.*}} : memref<?xf32>, vector<4xf32>
    // CHECK-NOT: vector.load
    // CHECK: } else {
    // CHECK: %[[P:.*]] = arith.cmpi ult
    // CHECK-NEXT: scf.if %[[P]] -> (vector<4xf32>) {
    // CHECK-NEXT: vector.load
    // CHECK: arith.negf %[[V]] : vector<8xf32>
    // Nothing is moved or reduced between threads.
    // SHARED-LABEL: gpu.func @bounds
    // SHARED-NOT: gpu.dynamic_shared_memory
    // SHARED-NOT: gpu.barrier
    gpu.func @bounds(%x: memref<?xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%c0], %p {tile.vector = 4 : i64} : memref<?xf32>, vector<512xf32>
      %n = arith.negf %v : vector<512xf32>
      vector.transfer_write %n, %x[%c0] {tile.vector = 4 : i64} : vector<512xf32>, memref<?xf32>
      gpu.return
    }
    // Five steps in a warp, then a number of each of two warps, which one lane of each writes.
    // CHECK-LABEL: gpu.func @sum
    // CHECK-COUNT-5: gpu.shuffle xor
    // CHECK-NOT: gpu.shuffle
    // CHECK: %[[MEMORY:.*]] = memref.alloc() : memref<2xf32, #gpu.address_space<workgroup>>
    // CHECK: scf.if
    // CHECK: memref.store %{{.*}}, %[[MEMORY]]
    // CHECK-NEXT: }
    // CHECK-COUNT-2: memref.load %[[MEMORY]]
    // A barrier after the write comes with its place in memory; the scalar's store has two of its own.
    // CHECK: gpu.barrier
    // CHECK-NEXT: arith.ori
    // CHECK-NEXT: arith.cmpi eq
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%c0] : memref<1xf32>
    // CHECK-NEXT: }
    // CHECK-NEXT: gpu.barrier
    // SHARED-LABEL: gpu.func @sum
    // SHARED: %[[ALL:.*]] = gpu.dynamic_shared_memory
    // SHARED: %[[MEMORY:.*]] = memref.view %[[ALL]]
    // SHARED: memref.store %{{.*}}, %[[MEMORY]]
    // SHARED: gpu.barrier
    // SHARED: memref.load %[[MEMORY]]
    gpu.func @sum(%x: memref<64xf32>, %y: memref<1xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
      %s = vector.multi_reduction <add>, %v, %p [0] : vector<64xf32> to f32
      memref.store %s, %y[%c0] : memref<1xf32>
      gpu.return
    }
    // Under a mask an access is made where one of its elements is wanted.
    // CHECK-LABEL: gpu.func @masked
    // CHECK: %[[MASK:.*]]:8 = vector.to_elements
    // CHECK: scf.if %{{.*}} -> (vector<8xf32>) {
    // CHECK: %[[FIRST:.*]] = arith.ori %[[MASK]]#0, %[[MASK]]#1
    // CHECK: %[[MORE:.*]] = arith.ori %[[FIRST]], %[[MASK]]#2
    // CHECK: %[[WANTED:.*]] = arith.ori %[[MORE]], %[[MASK]]#3
    // CHECK: scf.if %[[WANTED]] -> (vector<4xf32>) {
    // CHECK-NEXT: vector.load
    gpu.func @masked(%x: memref<?xf32>, %y: memref<512xf32>, %n: index) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %step = vector.step : vector<512xindex>
      %last = vector.broadcast %n : index to vector<512xindex>
      %mask = arith.cmpi sle, %step, %last : vector<512xindex>
      %v = vector.transfer_read %x[%c0], %p, %mask {tile.vector = 4 : i64} : memref<?xf32>, vector<512xf32>
      vector.transfer_write %v, %y[%c0] {in_bounds = [true], tile.vector = 4 : i64} : vector<512xf32>, memref<512xf32>
      gpu.return
    }
  }
  // CHECK-LABEL: func.func @launch
  // CHECK: gpu.launch_func @kernels::@sum {{.*}} threads in (%c64, %c1, %c1)
  // SHARED-LABEL: func.func @launch
  // SHARED: gpu.launch_func @kernels::@sum {{.*}} threads in (%c64, %c1, %c1) dynamic_shared_memory_size %c128_i32
  func.func @launch(%x: memref<64xf32>, %y: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@sum blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %y : memref<1xf32>)
    return
  }
}
