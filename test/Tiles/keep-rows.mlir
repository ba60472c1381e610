// RUN: lispier-opt %s -lispier-keep-rows -canonicalize -cse | FileCheck %s

module attributes {device.target = "cuda:sm_90a"} {
gpu.module @kernels {
  // Two loops read a row, at their own positions: all of it is copied before the first of them, and waited for there.
  // CHECK-LABEL: gpu.func @twice(
  // CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8x10000xbf16>
  // CHECK-SAME: workgroup(%[[ROW:.*]] : memref<12288xbf16, #gpu.address_space<workgroup>>)
  // CHECK-SAME: tile.program
  // CHECK-NOT: tile.keeps_rows
  // CHECK: %[[ID:.*]] = gpu.block_id
  // CHECK-NEXT: scf.for %[[I:.*]] = %c0 to %c12288 step %c4096 {
  // CHECK-NEXT: %[[T:.*]] = vector.transfer_read %[[X]][%[[ID]], %[[I]]], %{{.*}} {tile.vector = 8 : i64}
  // CHECK-NEXT: vector.transfer_write %[[T]], %[[ROW]][%[[I]]] {in_bounds = [true]}
  // CHECK: memref.load
  // CHECK-NEXT: tile.commit_copies
  // CHECK-NEXT: tile.wait_copies 0
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %c10000 step %c4096
  // CHECK-NEXT: vector.transfer_read %[[ROW]][%[[J]]], %{{.*}} {in_bounds = [true], tile.vector = 8 : i64}
  // CHECK: scf.for %[[K:.*]] = %c0 to %c10000 step %c4096
  // CHECK-NEXT: vector.transfer_read %[[ROW]][%[[K]]]
  // CHECK: vector.transfer_write {{.*}} %arg1
  gpu.func @twice(%x: memref<8x10000xbf16>, %y: memref<8x10000xf32>, %z: memref<8xf32>) kernel
      attributes {tile.keeps_rows, tile.program = #tile.program<warps = 16>} {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %c10000 = arith.constant 10000 : index
    %zero = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<4096xf32>
    %row = gpu.block_id x
    %off = memref.load %z[%row] : memref<8xf32>
    %sums = scf.for %i = %c0 to %c10000 step %c4096 iter_args(%s = %zeros) -> (vector<4096xf32>) {
      %t = vector.transfer_read %x[%row, %i], %zero {tile.vector = 8 : i64} : memref<8x10000xbf16>, vector<4096xbf16>
      %w = arith.extf %t : vector<4096xbf16> to vector<4096xf32>
      %a = arith.addf %w, %s : vector<4096xf32>
      scf.yield %a : vector<4096xf32>
    }
    %sum = vector.multi_reduction <add>, %sums, %off [0] : vector<4096xf32> to f32
    scf.for %i = %c0 to %c10000 step %c4096 {
      %t = vector.transfer_read %x[%row, %i], %zero {tile.vector = 8 : i64} : memref<8x10000xbf16>, vector<4096xbf16>
      %w = arith.extf %t : vector<4096xbf16> to vector<4096xf32>
      %b = vector.broadcast %sum : f32 to vector<4096xf32>
      %d = arith.divf %w, %b : vector<4096xf32>
      vector.transfer_write %d, %y[%row, %i] : vector<4096xf32>, memref<8x10000xf32>
    }
    gpu.return
  }

  // Rows that begin anywhere: accesses of 16 bytes begin at the last place before the row that is aligned, and the loops
  // read as many elements behind that. Where memory itself is not aligned, each element is copied.
  // CHECK-LABEL: gpu.func @shifted(
  // CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8x10001xbf16>
  // CHECK-SAME: workgroup(%[[ROW:.*]] : memref<12296xbf16, #gpu.address_space<workgroup>>)
  // CHECK: %[[BEGIN:.*]] = arith.muli %block_id_x, %c10001
  // CHECK: %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
  // CHECK: %[[LOW:.*]] = arith.andi %[[ADDRESS]], %c15
  // CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[LOW]], %c0
  // CHECK: %[[AHEAD:.*]] = arith.andi %[[BEGIN]], %c7
  // CHECK: scf.if %[[ALIGNED]] {
  // CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[X]]
  // CHECK: %[[FROM:.*]] = arith.subi %[[BEGIN]], %[[AHEAD]]
  // CHECK: vector.transfer_read %[[FLAT]]{{.*}} {tile.vector = 8 : i64} : memref<80008xbf16>, vector<8xbf16>
  // CHECK: scf.for %[[I:.*]] = %c0 to %c12288 step %c4096
  // CHECK: %[[AT:.*]] = arith.addi %[[FROM]], %[[I]]
  // CHECK: vector.transfer_read %[[FLAT]][%[[AT]]], %{{.*}} {tile.vector = 8 : i64} : memref<80008xbf16>, vector<4096xbf16>
  // CHECK: } else {
  // CHECK: vector.transfer_read %[[X]][%block_id_x, %{{.*}}], %{{.*}} : memref<8x10001xbf16>, vector<4096xbf16>
  // CHECK: }
  // CHECK: %[[SHIFT:.*]] = arith.select %[[ALIGNED]], %[[AHEAD]], %c0
  // CHECK: scf.for %[[J:.*]] = %c0 to %c10001 step %c4096
  // CHECK: %[[PLACE:.*]] = arith.addi %[[J]], %[[SHIFT]]
  // CHECK: vector.transfer_read %[[ROW]][%[[PLACE]]], %{{.*}} {in_bounds = [true], tile.vector = 1 : i64}
  gpu.func @shifted(%x: memref<8x10001xbf16>, %y: memref<8x10001xbf16>) kernel
      attributes {tile.keeps_rows, tile.program = #tile.program<warps = 16>} {
    %c0 = arith.constant 0 : index
    %c4096 = arith.constant 4096 : index
    %c10001 = arith.constant 10001 : index
    %zero = arith.constant 0.0 : bf16
    %zeros = arith.constant dense<0.0> : vector<4096xbf16>
    %row = gpu.block_id x
    %sums = scf.for %i = %c0 to %c10001 step %c4096 iter_args(%s = %zeros) -> (vector<4096xbf16>) {
      %t = vector.transfer_read %x[%row, %i], %zero : memref<8x10001xbf16>, vector<4096xbf16>
      %a = arith.addf %t, %s : vector<4096xbf16>
      scf.yield %a : vector<4096xbf16>
    }
    scf.for %i = %c0 to %c10001 step %c4096 {
      %t = vector.transfer_read %x[%row, %i], %zero : memref<8x10001xbf16>, vector<4096xbf16>
      %d = arith.addf %t, %sums : vector<4096xbf16>
      vector.transfer_write %d, %y[%row, %i] : vector<4096xbf16>, memref<8x10001xbf16>
    }
    gpu.return
  }

  // Nothing is kept of what one loop reads alone, what the program writes, a row longer than a block's memory, and tiles
  // that differ.
  // CHECK-LABEL: gpu.func @stay(
  // CHECK-NOT: workgroup
  // CHECK-NOT: gpu.barrier
  // CHECK: gpu.return
  gpu.func @stay(%x: memref<8x10000xbf16>, %y: memref<8x10000xf32>, %z: memref<8x200000xbf16>) kernel
      attributes {tile.keeps_rows, tile.program = #tile.program<warps = 16>} {
    %c0 = arith.constant 0 : index
    %c2048 = arith.constant 2048 : index
    %c4096 = arith.constant 4096 : index
    %c10000 = arith.constant 10000 : index
    %c200000 = arith.constant 200000 : index
    %zero = arith.constant 0.0 : bf16
    %none = arith.constant 0.0 : f32
    %row = gpu.block_id x
    scf.for %i = %c0 to %c10000 step %c4096 {
      %t = vector.transfer_read %x[%row, %i], %zero : memref<8x10000xbf16>, vector<4096xbf16>
      %o = vector.transfer_read %y[%row, %i], %none : memref<8x10000xf32>, vector<4096xf32>
      %w = arith.extf %t : vector<4096xbf16> to vector<4096xf32>
      %a = arith.addf %w, %o : vector<4096xf32>
      vector.transfer_write %a, %y[%row, %i] : vector<4096xf32>, memref<8x10000xf32>
    }
    scf.for %i = %c0 to %c10000 step %c4096 {
      %o = vector.transfer_read %y[%row, %i], %none : memref<8x10000xf32>, vector<4096xf32>
      %a = arith.addf %o, %o : vector<4096xf32>
      vector.transfer_write %a, %y[%row, %i] : vector<4096xf32>, memref<8x10000xf32>
    }
    scf.for %i = %c0 to %c10000 step %c2048 {
      %t = vector.transfer_read %x[%row, %i], %zero : memref<8x10000xbf16>, vector<2048xbf16>
      %w = arith.extf %t : vector<2048xbf16> to vector<2048xf32>
      vector.transfer_write %w, %y[%row, %i] : vector<2048xf32>, memref<8x10000xf32>
    }
    scf.for %i = %c0 to %c200000 step %c4096 {
      %t = vector.transfer_read %z[%row, %i], %zero : memref<8x200000xbf16>, vector<4096xbf16>
      %w = arith.extf %t : vector<4096xbf16> to vector<4096xf32>
      vector.transfer_write %w, %y[%row, %c0] : vector<4096xf32>, memref<8x10000xf32>
    }
    scf.for %i = %c0 to %c200000 step %c4096 {
      %t = vector.transfer_read %z[%row, %i], %zero : memref<8x200000xbf16>, vector<4096xbf16>
      %w = arith.extf %t : vector<4096xbf16> to vector<4096xf32>
      vector.transfer_write %w, %y[%row, %c4096] : vector<4096xf32>, memref<8x10000xf32>
    }
    gpu.return
  }
}
}
