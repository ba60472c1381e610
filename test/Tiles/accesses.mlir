// Reads and writes at edges and by masks, gathers, scatters, atomic additions: one small tile each.
// RUN: lispier run --from=tiles --target=sim %s | FileCheck %s
// RUN: lispier run --from=tiles --target=cpu %s | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Elements 3 to 10 of memory that ends at 7; then -3 to 4.
    gpu.func @edges(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>) kernel attributes {tile.program = #tile.program<>} {
      %pad = arith.constant 99 : i32
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %m3 = arith.constant -3 : index
      %end = vector.transfer_read %x[%c3], %pad : memref<?xi32>, vector<8xi32>
      vector.transfer_write %end, %y[%c0] : vector<8xi32>, memref<?xi32>
      %start = vector.transfer_read %x[%m3], %pad : memref<?xi32>, vector<8xi32>
      vector.transfer_write %start, %z[%c0] : vector<8xi32>, memref<?xi32>
      gpu.return
    }
    // What lies outside is not written, before as well as after; nor is anything wholly outside.
    gpu.func @writes(%x: memref<?xi32>, %y: memref<?xi32>) kernel attributes {tile.program = #tile.program<>} {
      %m2 = arith.constant -2 : index
      %c5 = arith.constant 5 : index
      %far = arith.constant 100 : index
      %i = vector.step : vector<4xindex>
      %v = arith.index_cast %i : vector<4xindex> to vector<4xi32>
      vector.transfer_write %v, %x[%m2] : vector<4xi32>, memref<?xi32>
      vector.transfer_write %v, %x[%c5] : vector<4xi32>, memref<?xi32>
      vector.transfer_write %v, %x[%far] : vector<4xi32>, memref<?xi32>
      gpu.return
    }
    // A mask, and an edge: even elements below 7.
    gpu.func @masks(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>, %s: memref<?xi32>) kernel attributes {tile.program = #tile.program<>} {
      %pad = arith.constant -1 : i32
      %c0 = arith.constant 0 : index
      %i = vector.step : vector<8xindex>
      %one = arith.constant dense<1> : vector<8xindex>
      %zero = arith.constant dense<0> : vector<8xindex>
      %bit = arith.andi %i, %one : vector<8xindex>
      %even = arith.cmpi eq, %bit, %zero : vector<8xindex>
      %v = vector.transfer_read %x[%c0], %pad, %even : memref<?xi32>, vector<8xi32>
      vector.transfer_write %v, %y[%c0] : vector<8xi32>, memref<?xi32>
      %c1 = arith.constant 1 : index
      %w = vector.transfer_read %x[%c1], %pad, %even : memref<?xi32>, vector<8xi32>
      vector.transfer_write %w, %z[%c0], %even : vector<8xi32>, memref<?xi32>
      // Elements -2 to 5, of which the mask leaves 0, 2 and 4.
      %m2 = arith.constant -2 : index
      %u = vector.transfer_read %x[%m2], %pad, %even : memref<?xi32>, vector<8xi32>
      vector.transfer_write %u, %s[%c0] : vector<8xi32>, memref<?xi32>
      gpu.return
    }
    // y[i] = x[7 - 2 i], outside -1; z[2 i] = i, z[1] = 0 + ... + 7 by additions to one place.
    gpu.func @places(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>) kernel attributes {tile.program = #tile.program<>} {
      %else = arith.constant -1 : i32
      %c0 = arith.constant 0 : index
      %i = vector.step : vector<8xindex>
      %two = arith.constant dense<2> : vector<8xindex>
      %seven = arith.constant dense<7> : vector<8xindex>
      %one = arith.constant dense<1> : vector<8xindex>
      %twice = arith.muli %i, %two : vector<8xindex>
      %from = arith.subi %seven, %twice : vector<8xindex>
      %g = tile.gather %x[%from], %else : memref<?xi32>, vector<8xindex> -> vector<8xi32>
      vector.transfer_write %g, %y[%c0] : vector<8xi32>, memref<?xi32>
      %v = arith.index_cast %i : vector<8xindex> to vector<8xi32>
      tile.scatter %v, %z[%twice] : vector<8xi32>, memref<?xi32>, vector<8xindex>
      tile.atomic_add %v, %z[%one] : vector<8xi32>, memref<?xi32>, vector<8xindex>
      gpu.return
    }
    // Two blocks; rows of the transpose are a view. Block 1 adds to floats where 0 < i.
    gpu.func @sums(%x: memref<?x?xf32, strided<[1, ?]>>, %y: memref<?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<4xf32>
      %c0 = arith.constant 0 : index
      %b = gpu.block_id x
      %v = vector.transfer_read %x[%c0, %b], %zero : memref<?x?xf32, strided<[1, ?]>>, vector<4x1xf32>
      %i = vector.step : vector<4xindex>
      %f = vector.shape_cast %v : vector<4x1xf32> to vector<4xf32>
      %least = arith.constant dense<0> : vector<4xindex>
      %some = arith.cmpi ugt, %i, %least : vector<4xindex>
      tile.atomic_add %f, %y[%i], %some : vector<4xf32>, memref<?xf32>, vector<4xindex>, vector<4xi1>
      gpu.return
    }
  }
  func.func private @count(%x: memref<?xi32>, %times: i32) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c0 : memref<?xi32>
    scf.for %i = %c0 to %n step %c1 {
      %v = arith.index_cast %i : index to i32
      %w = arith.muli %v, %times : i32
      memref.store %w, %x[%i] : memref<?xi32>
    }
    return
  }
  func.func private @print(%x: memref<?xi32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<?xi32>, vector<7xi32>
    vector.print %v : vector<7xi32>
    return
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c7 = arith.constant 7 : index
    %none = arith.constant 0 : i32
    %ten = arith.constant 10 : i32
    %x = memref.alloc(%c7) : memref<?xi32>
    %y = memref.alloc(%c7) : memref<?xi32>
    %z = memref.alloc(%c7) : memref<?xi32>
    call @count(%x, %ten) : (memref<?xi32>, i32) -> ()
    gpu.launch_func @kernels::@edges blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xi32>, %y : memref<?xi32>, %z : memref<?xi32>)
    // CHECK: ( 30, 40, 50, 60, 99, 99, 99 )
    call @print(%y) : (memref<?xi32>) -> ()
    // CHECK-NEXT: ( 99, 99, 99, 0, 10, 20, 30 )
    call @print(%z) : (memref<?xi32>) -> ()
    %p = memref.alloc(%c7) : memref<?xi32>
    gpu.launch_func @kernels::@masks blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xi32>, %y : memref<?xi32>, %z : memref<?xi32>, %p : memref<?xi32>)
    // CHECK-NEXT: ( -1, -1, 0, -1, 20, -1, 40 )
    call @print(%p) : (memref<?xi32>) -> ()
    // CHECK-NEXT: ( 0, -1, 20, -1, 40, -1, 60 )
    call @print(%y) : (memref<?xi32>) -> ()
    // CHECK-NEXT: ( 10, 99, 30, 0, 50, 20, -1 )
    call @print(%z) : (memref<?xi32>) -> ()
    gpu.launch_func @kernels::@writes blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%z : memref<?xi32>, %y : memref<?xi32>)
    // CHECK-NEXT: ( 2, 3, 30, 0, 50, 0, 1 )
    call @print(%z) : (memref<?xi32>) -> ()
    call @count(%z, %none) : (memref<?xi32>, i32) -> ()
    gpu.launch_func @kernels::@places blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xi32>, %y : memref<?xi32>, %z : memref<?xi32>)
    // CHECK-NEXT: ( -1, 50, 30, 10, -1, -1, -1 )
    call @print(%y) : (memref<?xi32>) -> ()
    // CHECK-NEXT: ( 0, 28, 1, 0, 2, 0, 3 )
    call @print(%z) : (memref<?xi32>) -> ()

    %m = memref.alloc() : memref<2x4xf32>
    %s = memref.alloc(%c7) : memref<?xf32>
    %half = arith.constant 0.5 : f32
    %two = arith.constant 2.0 : f32
    linalg.fill ins(%half : f32) outs(%m : memref<2x4xf32>)
    linalg.fill ins(%two : f32) outs(%s : memref<?xf32>)
    %any = memref.cast %m : memref<2x4xf32> to memref<?x?xf32>
    %t = memref.transpose %any (i, j) -> (j, i) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
    gpu.launch_func @kernels::@sums blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%t : memref<?x?xf32, strided<[1, ?]>>, %s : memref<?xf32>)
    %v = vector.transfer_read %s[%c0], %half {in_bounds = [true]} : memref<?xf32>, vector<7xf32>
    // CHECK-NEXT: ( 2, 3, 3, 3, 2, 2, 2 )
    vector.print %v : vector<7xf32>

    // A grid without blocks does nothing.
    gpu.launch_func @kernels::@writes blocks in (%c0, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xi32>, %y : memref<?xi32>)
    // CHECK-NEXT: ( 0, 10, 20, 30, 40, 50, 60 )
    call @print(%x) : (memref<?xi32>) -> ()
    return
  }
}
