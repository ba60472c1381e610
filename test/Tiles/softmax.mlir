// Softmax of rows of 700 in tiles of 1024: the elements past the end are -inf when read, and not written.
// RUN: lispier run --from=tiles --target=sim %s | FileCheck %s
// RUN: lispier run --from=tiles --target=cpu %s | FileCheck %s
// CHECK-COUNT-5: {{^(0|[0-9.]+e-09)$}}

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %row = gpu.block_id x
      %c0 = arith.constant 0 : index
      %low = arith.constant 0xFF800000 : f32
      %lows = arith.constant dense<0xFF800000> : vector<1xf32>
      %zeros = arith.constant dense<0.0> : vector<1xf32>
      %v = vector.transfer_read %x[%row, %c0], %low {in_bounds = [false, false]} : memref<?x?xf32>, vector<1x1024xf32>
      %m = vector.multi_reduction <maximumf>, %v, %lows [1] : vector<1x1024xf32> to vector<1xf32>
      %m1 = vector.shape_cast %m : vector<1xf32> to vector<1x1xf32>
      %mb = vector.broadcast %m1 : vector<1x1xf32> to vector<1x1024xf32>
      %d = arith.subf %v, %mb : vector<1x1024xf32>
      %e = math.exp %d : vector<1x1024xf32>
      %s = vector.multi_reduction <add>, %e, %zeros [1] : vector<1x1024xf32> to vector<1xf32>
      %s1 = vector.shape_cast %s : vector<1xf32> to vector<1x1xf32>
      %sb = vector.broadcast %s1 : vector<1x1xf32> to vector<1x1024xf32>
      %r = arith.divf %e, %sb : vector<1x1024xf32>
      vector.transfer_write %r, %y[%row, %c0] {in_bounds = [false, false]} : vector<1x1024xf32>, memref<?x?xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %rows = arith.constant 5 : index
    %cols = arith.constant 700 : index
    %x = memref.alloc(%rows, %cols) : memref<?x?xf32>
    %y = memref.alloc(%rows, %cols) : memref<?x?xf32>
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %cols step %c1 {
        %k = arith.muli %i, %j : index
        %c7 = arith.constant 97 : index
        %r = arith.remui %k, %c7 : index
        %q = arith.index_cast %r : index to i32
        %f = arith.sitofp %q : i32 to f32
        %c32 = arith.constant 16.0 : f32
        %v = arith.divf %f, %c32 : f32
        memref.store %v, %x[%i, %j] : memref<?x?xf32>
      }
    }
    gpu.launch_func @kernels::@softmax blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?x?xf32>, %y : memref<?x?xf32>)
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %rows step %c1 {
      %z:2 = scf.for %j = %c0 to %cols step %c1 iter_args(%s = %zero, %w = %zero) -> (f32, f32) {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        %e = math.exp %v : f32
        %n = arith.addf %s, %e : f32
        scf.yield %n, %n : f32, f32
      }
      %worst = scf.for %j = %c0 to %cols step %c1 iter_args(%w = %zero) -> f32 {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        %e = math.exp %v : f32
        %p = arith.divf %e, %z#0 : f32
        %g = memref.load %y[%i, %j] : memref<?x?xf32>
        %d = arith.subf %g, %p : f32
        %a = math.absf %d : f32
        %n = arith.maximumf %w, %a : f32
        scf.yield %n : f32
      }
      vector.print %worst : f32
    }
    return
  }
}
