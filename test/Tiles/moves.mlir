// Tiles that change their layout, and elements at places that other tiles say. Each result has a closed form.
// RUN: lispier run --from=tiles --target=sim:sm_80 %s | FileCheck %s --implicit-check-not={{.}}
// RUN: lispier run --from=tiles --target=sim:gfx942 %s | FileCheck %s --implicit-check-not={{.}}

// CHECK: mistakes: 0
// CHECK-NEXT: add 0
// CHECK-NEXT: transpose 0
// CHECK-NEXT: reshape 0
// CHECK-NEXT: scattered 0
// CHECK-NEXT: scan 0
// CHECK-NEXT: sums 0
// CHECK-NEXT: steps 0
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Ragged, from BF16, with the tail cut off by the bounds of memory.
    gpu.func @add(%a: memref<?xbf16>, %b: memref<?xf32>, %c: memref<?xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %block = gpu.block_id x
      %c256 = arith.constant 256 : index
      %at = arith.muli %block, %c256 : index
      %zero = arith.constant 0.0 : bf16
      %zerof = arith.constant 0.0 : f32
      %va = vector.transfer_read %a[%at], %zero : memref<?xbf16>, vector<256xbf16>
      %vb = vector.transfer_read %b[%at], %zerof : memref<?xf32>, vector<256xf32>
      %wide = arith.extf %va : vector<256xbf16> to vector<256xf32>
      %sum = arith.addf %wide, %vb : vector<256xf32>
      vector.transfer_write %sum, %c[%at] : vector<256xf32>, memref<?xf32>
      gpu.return
    }
    gpu.func @transpose(%a: memref<?x?xf32>, %b: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<warps = 4>} {
      %i0 = gpu.block_id x
      %j0 = gpu.block_id y
      %c32 = arith.constant 32 : index
      %i = arith.muli %i0, %c32 : index
      %j = arith.muli %j0, %c32 : index
      %zero = arith.constant 0.0 : f32
      %v = vector.transfer_read %a[%i, %j], %zero : memref<?x?xf32>, vector<32x32xf32>
      %t = vector.transpose %v, [1, 0] : vector<32x32xf32> to vector<32x32xf32>
      vector.transfer_write %t, %b[%j, %i] : vector<32x32xf32>, memref<?x?xf32>
      gpu.return
    }
    // 6 x 20 as 15 x 8: sizes that are no powers of two move through memory.
    gpu.func @reshape(%a: memref<6x20xi32>, %b: memref<15x8xi32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %v = vector.transfer_read %a[%c0, %c0], %zero : memref<6x20xi32>, vector<6x20xi32>
      %t = vector.shape_cast %v : vector<6x20xi32> to vector<15x8xi32>
      vector.transfer_write %t, %b[%c0, %c0] : vector<15x8xi32>, memref<15x8xi32>
      gpu.return
    }
    // b[99 - i] = a[i], c[i % 4] += 1; places 100 and later lie outside.
    gpu.func @scattered(%a: memref<100xi32>, %b: memref<100xi32>, %c: memref<4xi32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %i = vector.step : vector<128xindex>
      %last = arith.constant dense<99> : vector<128xindex>
      %four = arith.constant dense<4> : vector<128xindex>
      %ones = arith.constant dense<1> : vector<128xi32>
      %c100 = arith.constant 100 : index
      %nothing = arith.constant -1 : i32
      %v = tile.gather %a[%i], %nothing : memref<100xi32>, vector<128xindex> -> vector<128xi32>
      %j = arith.subi %last, %i : vector<128xindex>
      tile.scatter %v, %b[%j] : vector<128xi32>, memref<100xi32>, vector<128xindex>
      %k = arith.remui %i, %four : vector<128xindex>
      %mask = vector.create_mask %c100 : vector<128xi1>
      tile.atomic_add %ones, %c[%k], %mask : vector<128xi32>, memref<4xi32>, vector<128xindex>, vector<128xi1>
      gpu.return
    }
    gpu.func @scan(%a: memref<4x32xi32>, %b: memref<4x32xi32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0 : i32
      %zeros = arith.constant dense<0> : vector<4xi32>
      %v = vector.transfer_read %a[%c0, %c0], %zero : memref<4x32xi32>, vector<4x32xi32>
      %s, %total = vector.scan <add>, %v, %zeros {inclusive = true, reduction_dim = 1 : i64} : vector<4x32xi32>, vector<4xi32>
      vector.transfer_write %s, %b[%c0, %c0] : vector<4x32xi32>, memref<4x32xi32>
      gpu.return
    }
    // Along the first dimension, and of everything; f16 and i64 go through shuffles too.
    gpu.func @sums(%a: memref<8x64xi32>, %b: memref<64xi64>, %c: memref<2xf32>) kernel attributes {tile.program = #tile.program<warps = 4>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant 0 : i32
      %zeros = arith.constant dense<0> : vector<64xi64>
      %zeroh = arith.constant 0.0 : f16
      %v = vector.transfer_read %a[%c0, %c0], %zero : memref<8x64xi32>, vector<8x64xi32>
      %w = arith.extsi %v : vector<8x64xi32> to vector<8x64xi64>
      %s = vector.multi_reduction <add>, %w, %zeros [0] : vector<8x64xi64> to vector<64xi64>
      vector.transfer_write %s, %b[%c0] : vector<64xi64>, memref<64xi64>
      %f = arith.sitofp %v : vector<8x64xi32> to vector<8x64xf16>
      %most = vector.multi_reduction <maximumf>, %f, %zeroh [0, 1] : vector<8x64xf16> to f16
      %wide = arith.extf %most : f16 to f32
      memref.store %wide, %c[%c0] : memref<2xf32>
      // What one thread has stored all can load.
      %again = memref.load %c[%c0] : memref<2xf32>
      %twice = arith.addf %again, %wide : f32
      memref.store %twice, %c[%c1] : memref<2xf32>
      gpu.return
    }
    // A tile carried by a loop and by a while, changed in a branch.
    gpu.func @steps(%a: memref<4x32xf32>, %n: index) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0.0 : f32
      %one = arith.constant dense<1.0> : vector<4x32xf32>
      %start = arith.constant dense<0.0> : vector<4x32xf32>
      // n steps, of which every second adds 1 and the others 2 and the row's maximum so far.
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %start) -> vector<4x32xf32> {
        %odd = arith.remui %i, %c2 : index
        %isOdd = arith.cmpi ne, %odd, %c0 : index
        %next = scf.if %isOdd -> vector<4x32xf32> {
          %none = arith.constant dense<0.0> : vector<4xf32>
          %m = vector.multi_reduction <maximumf>, %t, %none [1] : vector<4x32xf32> to vector<4xf32>
          %mc = vector.shape_cast %m : vector<4xf32> to vector<4x1xf32>
          %mt = vector.broadcast %mc : vector<4x1xf32> to vector<4x32xf32>
          %u = arith.addf %t, %mt : vector<4x32xf32>
          %v = arith.addf %u, %one : vector<4x32xf32>
          scf.yield %v : vector<4x32xf32>
        } else {
          %u = arith.addf %t, %one : vector<4x32xf32>
          scf.yield %u : vector<4x32xf32>
        }
        scf.yield %next : vector<4x32xf32>
      }
      %w:2 = scf.while (%k = %c0, %t = %r) : (index, vector<4x32xf32>) -> (index, vector<4x32xf32>) {
        %more = arith.cmpi ult, %k, %n : index
        scf.condition(%more) %k, %t : index, vector<4x32xf32>
      } do {
      ^bb0(%k: index, %t: vector<4x32xf32>):
        %next = arith.addi %k, %c1 : index
        %u = arith.addf %t, %one : vector<4x32xf32>
        scf.yield %next, %u : index, vector<4x32xf32>
      }
      vector.transfer_write %w#1, %a[%c0, %c0] : vector<4x32xf32>, memref<4x32xf32>
      gpu.return
    }
  }

  func.func private @printI64(i64)
  func.func private @printNewline()
  func.func private @print(%n: index) {
    %i = arith.index_cast %n : index to i64
    call @printI64(%i) : (i64) -> ()
    call @printNewline() : () -> ()
    return
  }
  func.func private @count(%n: index, %isRight: i1) -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %wrong = arith.select %isRight, %c0, %c1 : index
    %sum = arith.addi %n, %wrong : index
    return %sum : index
  }

  func.func @testAdd() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %n = arith.constant 1003 : index
    %a = gpu.alloc(%n) : memref<?xbf16>
    %b = gpu.alloc(%n) : memref<?xf32>
    %c = gpu.alloc(%n) : memref<?xf32>
    scf.for %i = %c0 to %n step %c1 {
      %small = arith.remui %i, %c128 : index
      %k = arith.index_cast %small : index to i32
      %f = arith.sitofp %k : i32 to f32
      %h = arith.truncf %f : f32 to bf16
      memref.store %h, %a[%i] : memref<?xbf16>
      %l = arith.index_cast %i : index to i32
      %g = arith.sitofp %l : i32 to f32
      memref.store %g, %b[%i] : memref<?xf32>
    }
    gpu.launch_func @kernels::@add blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?xbf16>, %b : memref<?xf32>, %c : memref<?xf32>)
    %wrong = scf.for %i = %c0 to %n step %c1 iter_args(%w = %c0) -> index {
      %small = arith.remui %i, %c128 : index
      %sum = arith.addi %small, %i : index
      %k = arith.index_cast %sum : index to i32
      %f = arith.sitofp %k : i32 to f32
      %g = memref.load %c[%i] : memref<?xf32>
      %ok = arith.cmpf oeq, %f, %g : f32
      %next = func.call @count(%w, %ok) : (index, i1) -> index
      scf.yield %next : index
    }
    call @print(%wrong) : (index) -> ()
    return
  }
  func.func @testTranspose() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %m = arith.constant 50 : index
    %n = arith.constant 68 : index
    %a = gpu.alloc(%m, %n) : memref<?x?xf32>
    %b = gpu.alloc(%n, %m) : memref<?x?xf32>
    scf.for %i = %c0 to %m step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %p = arith.muli %i, %n : index
        %q = arith.addi %p, %j : index
        %k = arith.index_cast %q : index to i32
        %f = arith.sitofp %k : i32 to f32
        memref.store %f, %a[%i, %j] : memref<?x?xf32>
      }
    }
    gpu.launch_func @kernels::@transpose blocks in (%c2, %c3, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?x?xf32>, %b : memref<?x?xf32>)
    %wrong = scf.for %i = %c0 to %m step %c1 iter_args(%w = %c0) -> index {
      %row = scf.for %j = %c0 to %n step %c1 iter_args(%v = %w) -> index {
        %f = memref.load %a[%i, %j] : memref<?x?xf32>
        %g = memref.load %b[%j, %i] : memref<?x?xf32>
        %ok = arith.cmpf oeq, %f, %g : f32
        %next = func.call @count(%v, %ok) : (index, i1) -> index
        scf.yield %next : index
      }
      scf.yield %row : index
    }
    call @print(%wrong) : (index) -> ()
    return
  }
  func.func @testReshape() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c20 = arith.constant 20 : index
    %c120 = arith.constant 120 : index
    %a = gpu.alloc() : memref<6x20xi32>
    %b = gpu.alloc() : memref<15x8xi32>
    scf.for %i = %c0 to %c120 step %c1 {
      %r = arith.divui %i, %c20 : index
      %c = arith.remui %i, %c20 : index
      %k = arith.index_cast %i : index to i32
      memref.store %k, %a[%r, %c] : memref<6x20xi32>
    }
    gpu.launch_func @kernels::@reshape blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<6x20xi32>, %b : memref<15x8xi32>)
    %wrong = scf.for %i = %c0 to %c120 step %c1 iter_args(%w = %c0) -> index {
      %r = arith.divui %i, %c8 : index
      %c = arith.remui %i, %c8 : index
      %k = arith.index_cast %i : index to i32
      %v = memref.load %b[%r, %c] : memref<15x8xi32>
      %ok = arith.cmpi eq, %v, %k : i32
      %next = func.call @count(%w, %ok) : (index, i1) -> index
      scf.yield %next : index
    }
    call @print(%wrong) : (index) -> ()
    return
  }
  func.func @testScattered() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c99 = arith.constant 99 : index
    %c100 = arith.constant 100 : index
    %zero = arith.constant 0 : i32
    %c25 = arith.constant 25 : i32
    %a = gpu.alloc() : memref<100xi32>
    %b = gpu.alloc() : memref<100xi32>
    %c = gpu.alloc() : memref<4xi32>
    scf.for %i = %c0 to %c4 step %c1 {
      memref.store %zero, %c[%i] : memref<4xi32>
    }
    scf.for %i = %c0 to %c100 step %c1 {
      %k = arith.index_cast %i : index to i32
      memref.store %k, %a[%i] : memref<100xi32>
    }
    gpu.launch_func @kernels::@scattered blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<100xi32>, %b : memref<100xi32>, %c : memref<4xi32>)
    %wrong = scf.for %i = %c0 to %c100 step %c1 iter_args(%w = %c0) -> index {
      %j = arith.subi %c99, %i : index
      %k = arith.index_cast %j : index to i32
      %v = memref.load %b[%i] : memref<100xi32>
      %ok = arith.cmpi eq, %v, %k : i32
      %next = func.call @count(%w, %ok) : (index, i1) -> index
      scf.yield %next : index
    }
    %also = scf.for %i = %c0 to %c4 step %c1 iter_args(%w = %wrong) -> index {
      %v = memref.load %c[%i] : memref<4xi32>
      %ok = arith.cmpi eq, %v, %c25 : i32
      %next = func.call @count(%w, %ok) : (index, i1) -> index
      scf.yield %next : index
    }
    call @print(%also) : (index) -> ()
    return
  }
  func.func @testScan() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %a = gpu.alloc() : memref<4x32xi32>
    %b = gpu.alloc() : memref<4x32xi32>
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c32 step %c1 {
        %p = arith.addi %i, %j : index
        %k = arith.index_cast %p : index to i32
        memref.store %k, %a[%i, %j] : memref<4x32xi32>
      }
    }
    gpu.launch_func @kernels::@scan blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4x32xi32>, %b : memref<4x32xi32>)
    %wrong = scf.for %i = %c0 to %c4 step %c1 iter_args(%w = %c0) -> index {
      %row = scf.for %j = %c0 to %c32 step %c1 iter_args(%v = %w) -> index {
        // (j + 1) i + j (j + 1) / 2
        %n = arith.addi %j, %c1 : index
        %p = arith.muli %n, %i : index
        %q = arith.muli %n, %j : index
        %h = arith.divui %q, %c2 : index
        %s = arith.addi %p, %h : index
        %k = arith.index_cast %s : index to i32
        %g = memref.load %b[%i, %j] : memref<4x32xi32>
        %ok = arith.cmpi eq, %g, %k : i32
        %next = func.call @count(%v, %ok) : (index, i1) -> index
        scf.yield %next : index
      }
      scf.yield %row : index
    }
    call @print(%wrong) : (index) -> ()
    return
  }
  func.func @testSums() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c28 = arith.constant 28 : index
    %c64 = arith.constant 64 : index
    %a = gpu.alloc() : memref<8x64xi32>
    %b = gpu.alloc() : memref<64xi64>
    %c = gpu.alloc() : memref<2xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.for %j = %c0 to %c64 step %c1 {
        %p = arith.addi %i, %j : index
        %k = arith.index_cast %p : index to i32
        memref.store %k, %a[%i, %j] : memref<8x64xi32>
      }
    }
    gpu.launch_func @kernels::@sums blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<8x64xi32>, %b : memref<64xi64>, %c : memref<2xf32>)
    %wrong = scf.for %j = %c0 to %c64 step %c1 iter_args(%w = %c0) -> index {
      %p = arith.muli %j, %c8 : index
      %q = arith.addi %p, %c28 : index
      %k = arith.index_cast %q : index to i64
      %g = memref.load %b[%j] : memref<64xi64>
      %ok = arith.cmpi eq, %g, %k : i64
      %next = func.call @count(%w, %ok) : (index, i1) -> index
      scf.yield %next : index
    }
    %seventy = arith.constant 70.0 : f32
    %both = arith.constant 140.0 : f32
    %most = memref.load %c[%c0] : memref<2xf32>
    %twice = memref.load %c[%c1] : memref<2xf32>
    %ok0 = arith.cmpf oeq, %most, %seventy : f32
    %ok1 = arith.cmpf oeq, %twice, %both : f32
    %w0 = call @count(%wrong, %ok0) : (index, i1) -> index
    %w1 = call @count(%w0, %ok1) : (index, i1) -> index
    call @print(%w1) : (index) -> ()
    return
  }
  func.func @testSteps() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c32 = arith.constant 32 : index
    %a = gpu.alloc() : memref<4x32xf32>
    %n = arith.constant 4 : index
    gpu.launch_func @kernels::@steps blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4x32xf32>, %n : index)
    // 0 -> 1 -> 3 -> 4 -> 9, and 4 more.
    %want = arith.constant 13.0 : f32
    %wrong = scf.for %i = %c0 to %c4 step %c1 iter_args(%w = %c0) -> index {
      %row = scf.for %j = %c0 to %c32 step %c1 iter_args(%v = %w) -> index {
        %g = memref.load %a[%i, %j] : memref<4x32xf32>
        %ok = arith.cmpf oeq, %g, %want : f32
        %next = func.call @count(%v, %ok) : (index, i1) -> index
        scf.yield %next : index
      }
      scf.yield %row : index
    }
    call @print(%wrong) : (index) -> ()
    return
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    vector.print str "mistakes: "
    call @print(%c0) : (index) -> ()
    vector.print str "add "
    call @testAdd() : () -> ()
    vector.print str "transpose "
    call @testTranspose() : () -> ()
    vector.print str "reshape "
    call @testReshape() : () -> ()
    vector.print str "scattered "
    call @testScattered() : () -> ()
    vector.print str "scan "
    call @testScan() : () -> ()
    vector.print str "sums "
    call @testSums() : () -> ()
    vector.print str "steps "
    call @testSteps() : () -> ()
    return
  }
}
