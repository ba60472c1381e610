// Accesses to memory that the same program writes elsewhere happen in the program's order, in all threads.
// RUN: lispier-opt %s -lispier-lay-out-tiles -lispier-distribute-tiles -canonicalize | FileCheck %s
// RUN: lispier run --from=tiles --target=sim:sm_80 %s | FileCheck %s --check-prefix=VALUES --implicit-check-not={{.}}

// 1 + 2 at each place, and what is then read in another order: 31 + 3 down to 0 + 3.
// VALUES: 34 3
module attributes {gpu.container_module, device.target = "sim:sm_80"} {
  gpu.module @kernels {
    // CHECK-LABEL: gpu.func @apart
    // CHECK: gpu.barrier
    // CHECK: memref.store
    // CHECK: gpu.barrier
    // CHECK: memref.atomic_rmw
    // CHECK: gpu.barrier
    // CHECK: memref.load
    gpu.func @apart(%x: memref<32xf32>, %y: memref<32xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %i = vector.step : vector<32xindex>
      %last = arith.constant dense<31> : vector<32xindex>
      %j = arith.subi %last, %i : vector<32xindex>
      %n = arith.index_cast %i : vector<32xindex> to vector<32xi32>
      %f = arith.sitofp %n : vector<32xi32> to vector<32xf32>
      %three = arith.constant dense<3.0> : vector<32xf32>
      vector.transfer_write %f, %x[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
      tile.atomic_add %three, %x[%j] : vector<32xf32>, memref<32xf32>, vector<32xindex>
      %v = tile.gather %x[%j], %zero : memref<32xf32>, vector<32xindex> -> vector<32xf32>
      vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
      gpu.return
    }
    // A scalar that all threads load is one thread's element.
    // CHECK-LABEL: gpu.func @scalar
    // CHECK: gpu.barrier
    // CHECK: memref.store
    // CHECK: gpu.barrier
    // CHECK-NEXT: memref.load %{{.*}}[%c31]
    // CHECK-NOT: gpu.barrier
    // CHECK: gpu.return
    gpu.func @scalar(%x: memref<32xf32>, %y: memref<32xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %i = vector.step : vector<32xindex>
      %n = arith.index_cast %i : vector<32xindex> to vector<32xi32>
      %f = arith.sitofp %n : vector<32xi32> to vector<32xf32>
      vector.transfer_write %f, %x[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
      %s = memref.load %x[%c31] : memref<32xf32>
      %t = vector.broadcast %s : f32 to vector<32xf32>
      vector.transfer_write %t, %y[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
      gpu.return
    }
    // Each thread finds what it wrote, or reads what nobody writes.
    // CHECK-LABEL: gpu.func @own
    // CHECK-NOT: gpu.barrier
    // CHECK: gpu.return
    gpu.func @own(%x: memref<32xf32>, %y: memref<32xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
      %w = vector.transfer_read %y[%c0], %zero {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
      %s = arith.addf %v, %w : vector<32xf32>
      vector.transfer_write %s, %x[%c0] {in_bounds = [true]} : vector<32xf32>, memref<32xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c31 = arith.constant 31 : index
    %x = gpu.alloc() : memref<32xf32>
    %y = gpu.alloc() : memref<32xf32>
    gpu.launch_func @kernels::@apart blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<32xf32>, %y : memref<32xf32>)
    %a = memref.load %y[%c0] : memref<32xf32>
    %b = memref.load %y[%c31] : memref<32xf32>
    vector.print %a : f32 punctuation <no_punctuation>
    vector.print str " "
    vector.print %b : f32
    return
  }
}
