// Products of 100 x 200 by 200 x 90 in tiles of 32 x 48 x 16: edges in all dimensions, and either factor transposed.
// RUN: lispier run --from=tiles --target=sim %s | FileCheck %s
// RUN: lispier run --from=tiles --target=cpu %s | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @nn(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c48 = arith.constant 48 : index
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<32x48xf32>
      %x = gpu.block_id x
      %y = gpu.block_id y
      %i = arith.muli %x, %c32 : index
      %j = arith.muli %y, %c48 : index
      %depth = memref.dim %a, %c1 : memref<?x?xf32>
      %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%acc = %zeros) -> vector<32x48xf32> {
        %l = vector.transfer_read %a[%i, %k], %zero : memref<?x?xf32>, vector<32x16xf32>
        %r = vector.transfer_read %b[%k, %j], %zero : memref<?x?xf32>, vector<16x48xf32>
        %next = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %acc : vector<32x16xf32>, vector<16x48xf32> into vector<32x48xf32>
        scf.yield %next : vector<32x48xf32>
      }
      vector.transfer_write %sum, %c[%i, %j] : vector<32x48xf32>, memref<?x?xf32>
      gpu.return
    }
    gpu.func @nt(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c48 = arith.constant 48 : index
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<32x48xf32>
      %x = gpu.block_id x
      %y = gpu.block_id y
      %i = arith.muli %x, %c32 : index
      %j = arith.muli %y, %c48 : index
      %depth = memref.dim %a, %c1 : memref<?x?xf32>
      %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%acc = %zeros) -> vector<32x48xf32> {
        %l = vector.transfer_read %a[%i, %k], %zero : memref<?x?xf32>, vector<32x16xf32>
        %r = vector.transfer_read %b[%j, %k], %zero : memref<?x?xf32>, vector<48x16xf32>
        %next = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %acc : vector<32x16xf32>, vector<48x16xf32> into vector<32x48xf32>
        scf.yield %next : vector<32x48xf32>
      }
      vector.transfer_write %sum, %c[%i, %j] : vector<32x48xf32>, memref<?x?xf32>
      gpu.return
    }
    gpu.func @tn(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c48 = arith.constant 48 : index
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<32x48xf32>
      %x = gpu.block_id x
      %y = gpu.block_id y
      %i = arith.muli %x, %c32 : index
      %j = arith.muli %y, %c48 : index
      %depth = memref.dim %a, %c0 : memref<?x?xf32>
      %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%acc = %zeros) -> vector<32x48xf32> {
        %l = vector.transfer_read %a[%k, %i], %zero : memref<?x?xf32>, vector<16x32xf32>
        %r = vector.transfer_read %b[%k, %j], %zero : memref<?x?xf32>, vector<16x48xf32>
        %next = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %acc : vector<16x32xf32>, vector<16x48xf32> into vector<32x48xf32>
        scf.yield %next : vector<32x48xf32>
      }
      vector.transfer_write %sum, %c[%i, %j] : vector<32x48xf32>, memref<?x?xf32>
      gpu.return
    }
    gpu.func @tt(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c48 = arith.constant 48 : index
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<32x48xf32>
      %x = gpu.block_id x
      %y = gpu.block_id y
      %i = arith.muli %x, %c32 : index
      %j = arith.muli %y, %c48 : index
      %depth = memref.dim %a, %c0 : memref<?x?xf32>
      %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%acc = %zeros) -> vector<32x48xf32> {
        %l = vector.transfer_read %a[%k, %i], %zero : memref<?x?xf32>, vector<16x32xf32>
        %r = vector.transfer_read %b[%j, %k], %zero : memref<?x?xf32>, vector<48x16xf32>
        %next = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %acc : vector<16x32xf32>, vector<48x16xf32> into vector<32x48xf32>
        scf.yield %next : vector<32x48xf32>
      }
      vector.transfer_write %sum, %c[%i, %j] : vector<32x48xf32>, memref<?x?xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %m = arith.constant 100 : index
    %n = arith.constant 90 : index
    %k = arith.constant 200 : index
    %a = memref.alloc(%m, %k) : memref<?x?xf32>
    %at = memref.alloc(%k, %m) : memref<?x?xf32>
    %b = memref.alloc(%k, %n) : memref<?x?xf32>
    %bt = memref.alloc(%n, %k) : memref<?x?xf32>
    %c = memref.alloc(%m, %n) : memref<?x?xf32>
    call @fill(%a, %c1) : (memref<?x?xf32>, index) -> ()
    call @fill(%at, %c2) : (memref<?x?xf32>, index) -> ()
    call @fill(%b, %c4) : (memref<?x?xf32>, index) -> ()
    call @fill(%bt, %c0) : (memref<?x?xf32>, index) -> ()
    %av = memref.cast %a : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %bv = memref.cast %b : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %atv = memref.transpose %at (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
    %btv = memref.transpose %bt (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
    %atw = memref.cast %atv : memref<?x?xf32, strided<[1, ?]>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    %btw = memref.cast %btv : memref<?x?xf32, strided<[1, ?]>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    gpu.launch_func @kernels::@nn blocks in (%c4, %c2, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?x?xf32>, %b : memref<?x?xf32>, %c : memref<?x?xf32>)
    // CHECK: {{^0$}}
    call @compare(%av, %bv, %c) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32>) -> ()
    gpu.launch_func @kernels::@nt blocks in (%c4, %c2, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?x?xf32>, %bt : memref<?x?xf32>, %c : memref<?x?xf32>)
    // CHECK-NEXT: {{^0$}}
    call @compare(%av, %btw, %c) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32>) -> ()
    gpu.launch_func @kernels::@tn blocks in (%c4, %c2, %c1) threads in (%c1, %c1, %c1) args(%at : memref<?x?xf32>, %b : memref<?x?xf32>, %c : memref<?x?xf32>)
    // CHECK-NEXT: {{^0$}}
    call @compare(%atw, %bv, %c) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32>) -> ()
    gpu.launch_func @kernels::@tt blocks in (%c4, %c2, %c1) threads in (%c1, %c1, %c1) args(%at : memref<?x?xf32>, %bt : memref<?x?xf32>, %c : memref<?x?xf32>)
    // CHECK-NEXT: {{^0$}}
    call @compare(%atw, %btw, %c) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32>) -> ()
    return
  }
  // Prints the largest difference between c and a b.
  func.func private @compare(%a: memref<?x?xf32, strided<[?, ?], offset: ?>>, %b: memref<?x?xf32, strided<[?, ?], offset: ?>>, %c: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %m = memref.dim %c, %c0 : memref<?x?xf32>
    %n = memref.dim %c, %c1 : memref<?x?xf32>
    %depth = memref.dim %a, %c1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
    %worst = scf.for %i = %c0 to %m step %c1 iter_args(%w = %zero) -> f32 {
      %ofRow = scf.for %j = %c0 to %n step %c1 iter_args(%v = %w) -> f32 {
        %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%s = %zero) -> f32 {
          %l = memref.load %a[%i, %k] : memref<?x?xf32, strided<[?, ?], offset: ?>>
          %r = memref.load %b[%k, %j] : memref<?x?xf32, strided<[?, ?], offset: ?>>
          %p = arith.mulf %l, %r : f32
          %next = arith.addf %s, %p : f32
          scf.yield %next : f32
        }
        %got = memref.load %c[%i, %j] : memref<?x?xf32>
        %d = arith.subf %got, %sum : f32
        %e = math.absf %d : f32
        %x = arith.maximumf %v, %e : f32
        scf.yield %x : f32
      }
      scf.yield %ofRow : f32
    }
    vector.print %worst : f32
    return
  }
  // m[i, j] = (7 i + 3 j + seed) mod 11 - 5
  func.func private @fill(%m: memref<?x?xf32>, %seed: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c11 = arith.constant 11 : index
    %five = arith.constant 5.0 : f32
    %rows = memref.dim %m, %c0 : memref<?x?xf32>
    %columns = memref.dim %m, %c1 : memref<?x?xf32>
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %columns step %c1 {
        %a = arith.muli %i, %c7 : index
        %b = arith.muli %j, %c3 : index
        %ab = arith.addi %a, %b : index
        %abc = arith.addi %ab, %seed : index
        %r = arith.remui %abc, %c11 : index
        %n = arith.index_cast %r : index to i32
        %f = arith.sitofp %n : i32 to f32
        %v = arith.subf %f, %five : f32
        memref.store %v, %m[%i, %j] : memref<?x?xf32>
      }
    }
    return
  }
}
