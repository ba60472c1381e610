// Exclusive scans begin with the initial value; the accumulated value is their last element. Rows of 256 in two warps, and
// columns of 6, each in one thread.
// RUN: lispier run --from=tiles --target=sim %s | FileCheck %s
// RUN: lispier run --from=tiles --target=sim:sm_80 %s | FileCheck %s
// RUN: lispier run --from=tiles --target=sim:gfx942 %s | FileCheck %s
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @rows(%y: memref<3x256xi32>, %last: memref<3xi32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0 : i32
      %ten = arith.constant dense<10> : vector<3xi32>
      %v = vector.transfer_read %y[%c0, %c0], %p {in_bounds = [true, true]} : memref<3x256xi32>, vector<3x256xi32>
      %s, %total = vector.scan <add>, %v, %ten {inclusive = false, reduction_dim = 1 : i64} : vector<3x256xi32>, vector<3xi32>
      vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<3x256xi32>, memref<3x256xi32>
      vector.transfer_write %total, %last[%c0] {in_bounds = [true]} : vector<3xi32>, memref<3xi32>
      gpu.return
    }
    gpu.func @columns(%y: memref<6x4xi32>, %last: memref<4xi32>) kernel attributes {tile.program = #tile.program<warps = 1>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0 : i32
      %ten = arith.constant dense<100> : vector<4xi32>
      %v = vector.transfer_read %y[%c0, %c0], %p {in_bounds = [true, true]} : memref<6x4xi32>, vector<6x4xi32>
      %s, %total = vector.scan <maxsi>, %v, %ten {inclusive = false, reduction_dim = 0 : i64} : vector<6x4xi32>, vector<4xi32>
      vector.transfer_write %s, %y[%c0, %c0] {in_bounds = [true, true]} : vector<6x4xi32>, memref<6x4xi32>
      vector.transfer_write %total, %last[%c0] {in_bounds = [true]} : vector<4xi32>, memref<4xi32>
      gpu.return
    }
  }
  func.func private @printI64(i64)
  func.func private @printNewline()
  func.func @print(%v: i32) {
    %w = arith.extsi %v : i32 to i64
    call @printI64(%w) : (i64) -> ()
    call @printNewline() : () -> ()
    return
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c255 = arith.constant 255 : index
    %c256 = arith.constant 256 : index
    %fifty = arith.constant 50 : i32
    %y = gpu.alloc() : memref<3x256xi32>
    %last = gpu.alloc() : memref<3xi32>
    scf.for %i = %c0 to %c3 step %c1 {
      scf.for %j = %c0 to %c256 step %c1 {
        %a = arith.addi %i, %j : index
        %v = arith.index_cast %a : index to i32
        memref.store %v, %y[%i, %j] : memref<3x256xi32>
      }
    }
    gpu.launch_func @kernels::@rows blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%y : memref<3x256xi32>, %last : memref<3xi32>)
    // CHECK: 10
    %first = memref.load %y[%c2, %c0] : memref<3x256xi32>
    call @print(%first) : (i32) -> ()
    // 10 and 2 + ... + 6
    // CHECK-NEXT: 30
    %fifth = memref.load %y[%c2, %c5] : memref<3x256xi32>
    call @print(%fifth) : (i32) -> ()
    // 10 and 2 + ... + 256
    // CHECK-NEXT: 32905
    %end = memref.load %y[%c2, %c255] : memref<3x256xi32>
    call @print(%end) : (i32) -> ()
    // CHECK-NEXT: 32905
    %total = memref.load %last[%c2] : memref<3xi32>
    call @print(%total) : (i32) -> ()
    %z = gpu.alloc() : memref<6x4xi32>
    %most = gpu.alloc() : memref<4xi32>
    scf.for %i = %c0 to %c6 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %a = arith.muli %i, %j : index
        %v = arith.index_cast %a : index to i32
        %w = arith.muli %v, %fifty : i32
        memref.store %w, %z[%i, %j] : memref<6x4xi32>
      }
    }
    gpu.launch_func @kernels::@columns blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%z : memref<6x4xi32>, %most : memref<4xi32>)
    // CHECK-NEXT: 100
    %zero = memref.load %z[%c1, %c3] : memref<6x4xi32>
    call @print(%zero) : (i32) -> ()
    // CHECK-NEXT: 600
    %five = memref.load %z[%c5, %c3] : memref<6x4xi32>
    call @print(%five) : (i32) -> ()
    // CHECK-NEXT: 600
    %greatest = memref.load %most[%c3] : memref<4xi32>
    call @print(%greatest) : (i32) -> ()
    return
  }
}
