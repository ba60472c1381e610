// Tiles carried by loops and chosen by branches, and reshaped, transposed and scanned ones.
// RUN: lispier run --from=tiles --target=sim %s | FileCheck %s
// RUN: lispier run --from=tiles --target=cpu %s | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Two tiles change places n times; a third is transposed and keeps growing.
    gpu.func @exchange(%y: memref<3x2x2xi32>, %n: index) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %a = arith.constant dense<[[1, 2], [3, 4]]> : vector<2x2xi32>
      %b = arith.constant dense<[[5, 6], [7, 8]]> : vector<2x2xi32>
      %one = arith.constant dense<1> : vector<2x2xi32>
      %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %z = %b, %t = %a) -> (vector<2x2xi32>, vector<2x2xi32>, vector<2x2xi32>) {
        %u = vector.transpose %t, [1, 0] : vector<2x2xi32> to vector<2x2xi32>
        %v = arith.addi %u, %one : vector<2x2xi32>
        scf.yield %z, %x, %v : vector<2x2xi32>, vector<2x2xi32>, vector<2x2xi32>
      }
      vector.transfer_write %r#0, %y[%c0, %c0, %c0] {in_bounds = [true, true]} : vector<2x2xi32>, memref<3x2x2xi32>
      vector.transfer_write %r#1, %y[%c1, %c0, %c0] {in_bounds = [true, true]} : vector<2x2xi32>, memref<3x2x2xi32>
      vector.transfer_write %r#2, %y[%c2, %c0, %c0] {in_bounds = [true, true]} : vector<2x2xi32>, memref<3x2x2xi32>
      gpu.return
    }
    // Collatz: while any element is not 1, halve the even ones, 3 n + 1 of the odd ones; the number of steps comes with it.
    gpu.func @collatz(%y: memref<2x4xi32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zeros = arith.constant dense<0> : vector<4xi32>
      %ones = arith.constant dense<1> : vector<4xi32>
      %threes = arith.constant dense<3> : vector<4xi32>
      %start = arith.constant dense<[1, 6, 7, 9]> : vector<4xi32>
      %no = arith.constant false
      %r:2 = scf.while (%n = %start, %s = %zeros) : (vector<4xi32>, vector<4xi32>) -> (vector<4xi32>, vector<4xi32>) {
        %left = arith.cmpi ne, %n, %ones : vector<4xi32>
        %more = vector.multi_reduction <or>, %left, %no [0] : vector<4xi1> to i1
        scf.condition(%more) %s, %n : vector<4xi32>, vector<4xi32>
      } do {
      ^bb0(%s: vector<4xi32>, %n: vector<4xi32>):
        %bit = arith.andi %n, %ones : vector<4xi32>
        %odd = arith.cmpi eq, %bit, %ones : vector<4xi32>
        %half = arith.shrui %n, %ones : vector<4xi32>
        %three = arith.muli %n, %threes : vector<4xi32>
        %up = arith.addi %three, %ones : vector<4xi32>
        %next = arith.select %odd, %up, %half : vector<4xi1>, vector<4xi32>
        %left = arith.cmpi ne, %n, %ones : vector<4xi32>
        %kept = arith.select %left, %next, %n : vector<4xi1>, vector<4xi32>
        %step = arith.extui %left : vector<4xi1> to vector<4xi32>
        %t = arith.addi %s, %step : vector<4xi32>
        scf.yield %kept, %t : vector<4xi32>, vector<4xi32>
      }
      vector.transfer_write %r#0, %y[%c0, %c0] {in_bounds = [true]} : vector<4xi32>, memref<2x4xi32>
      vector.transfer_write %r#1, %y[%c1, %c0] {in_bounds = [true]} : vector<4xi32>, memref<2x4xi32>
      gpu.return
    }
    // Block b adds b, doubles, or leaves, in a loop over all of them; a branch without results stores.
    gpu.func @branches(%y: memref<3x4xi32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %block = gpu.block_id x
      %i = vector.step : vector<4xindex>
      %v = arith.index_cast %i : vector<4xindex> to vector<4xi32>
      %tens = arith.constant dense<10> : vector<4xi32>
      %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%t = %v) -> vector<4xi32> {
        %w = scf.index_switch %block -> vector<4xi32>
        case 0 {
          %u = arith.addi %t, %tens : vector<4xi32>
          scf.yield %u : vector<4xi32>
        }
        case 1 {
          %u = arith.addi %t, %t : vector<4xi32>
          scf.yield %u : vector<4xi32>
        }
        default {
          scf.yield %t : vector<4xi32>
        }
        %first = arith.cmpi eq, %k, %c0 : index
        %x = scf.if %first -> vector<4xi32> {
          scf.yield %w : vector<4xi32>
        } else {
          %d = arith.subi %w, %t : vector<4xi32>
          scf.yield %d : vector<4xi32>
        }
        scf.yield %x : vector<4xi32>
      }
      %isFirst = arith.cmpi ne, %block, %c1 : index
      scf.if %isFirst {
        vector.transfer_write %r, %y[%block, %c0] {in_bounds = [true]} : vector<4xi32>, memref<3x4xi32>
      }
      gpu.return
    }
    // Running sums along either dimension, with and without the element itself, of a reshaped tile.
    gpu.func @scans(%y: memref<5x2x3xi32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %i = vector.step : vector<6xindex>
      %n = arith.index_cast %i : vector<6xindex> to vector<6xi32>
      %v = vector.shape_cast %n : vector<6xi32> to vector<2x3xi32>
      %tens = arith.constant dense<10> : vector<2xi32>
      %hundreds = arith.constant dense<100> : vector<3xi32>
      %a:2 = vector.scan <add>, %v, %tens {inclusive = true, reduction_dim = 1 : i64} : vector<2x3xi32>, vector<2xi32>
      %b:2 = vector.scan <add>, %v, %tens {inclusive = false, reduction_dim = 1 : i64} : vector<2x3xi32>, vector<2xi32>
      %c:2 = vector.scan <add>, %v, %hundreds {inclusive = false, reduction_dim = 0 : i64} : vector<2x3xi32>, vector<3xi32>
      %l = vector.shape_cast %a#1 : vector<2xi32> to vector<2x1xi32>
      %last = vector.broadcast %l : vector<2x1xi32> to vector<2x3xi32>
      %t = vector.transpose %v, [1, 0] : vector<2x3xi32> to vector<3x2xi32>
      %u = vector.shape_cast %t : vector<3x2xi32> to vector<2x3xi32>
      vector.transfer_write %a#0, %y[%c0, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xi32>, memref<5x2x3xi32>
      vector.transfer_write %b#0, %y[%c1, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xi32>, memref<5x2x3xi32>
      vector.transfer_write %c#0, %y[%c2, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xi32>, memref<5x2x3xi32>
      vector.transfer_write %last, %y[%c3, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xi32>, memref<5x2x3xi32>
      vector.transfer_write %u, %y[%c4, %c0, %c0] {in_bounds = [true, true]} : vector<2x3xi32>, memref<5x2x3xi32>
      gpu.return
    }
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant 0 : i32
    %x = memref.alloc() : memref<3x2x2xi32>
    gpu.launch_func @kernels::@exchange blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<3x2x2xi32>, %c3 : index)
    %v = vector.transfer_read %x[%c0, %c0, %c0], %zero {in_bounds = [true, true, true]} : memref<3x2x2xi32>, vector<3x2x2xi32>
    // CHECK: ( ( ( 5, 6 ), ( 7, 8 ) ), ( ( 1, 2 ), ( 3, 4 ) ), ( ( 4, 6 ), ( 5, 7 ) ) )
    vector.print %v : vector<3x2x2xi32>
    %y = memref.alloc() : memref<2x4xi32>
    gpu.launch_func @kernels::@collatz blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<2x4xi32>)
    %w = vector.transfer_read %y[%c0, %c0], %zero {in_bounds = [true, true]} : memref<2x4xi32>, vector<2x4xi32>
    // CHECK-NEXT: ( ( 0, 8, 16, 19 ), ( 1, 1, 1, 1 ) )
    vector.print %w : vector<2x4xi32>
    %z = memref.alloc() : memref<3x4xi32>
    linalg.fill ins(%zero : i32) outs(%z : memref<3x4xi32>)
    gpu.launch_func @kernels::@branches blocks in (%c3, %c1, %c1) threads in (%c1, %c1, %c1) args(%z : memref<3x4xi32>)
    %u = vector.transfer_read %z[%c0, %c0], %zero {in_bounds = [true, true]} : memref<3x4xi32>, vector<3x4xi32>
    // CHECK-NEXT: ( ( 10, 10, 10, 10 ), ( 0, 0, 0, 0 ), ( 0, 0, 0, 0 ) )
    vector.print %u : vector<3x4xi32>
    %s = memref.alloc() : memref<5x2x3xi32>
    gpu.launch_func @kernels::@scans blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%s : memref<5x2x3xi32>)
    %t = vector.transfer_read %s[%c0, %c0, %c0], %zero {in_bounds = [true, true, true]} : memref<5x2x3xi32>, vector<5x2x3xi32>
    // CHECK-NEXT: ( ( ( 0, 1, 3 ), ( 3, 7, 12 ) ), ( ( 10, 10, 11 ), ( 10, 13, 17 ) ), ( ( 100, 100, 100 ), ( 100, 101, 102 ) ),
    // CHECK-SAME: ( ( 3, 3, 3 ), ( 12, 12, 12 ) ), ( ( 0, 3, 1 ), ( 4, 2, 5 ) ) )
    vector.print %t : vector<5x2x3xi32>
    return
  }
}
