// Rows of a matrix, a block each or several: what each target computes is compared with plain loops.
// RUN: lispier run --from=tiles --target=sim:sm_80 %s | FileCheck %s --implicit-check-not={{.}}
// RUN: lispier run --from=tiles --target=sim:gfx942 %s | FileCheck %s --implicit-check-not={{.}}

// Whole rows in vectors; then rows of 37, which are never aligned.
// CHECK: softmax 6 x 700: 1
// CHECK-NEXT: softmax 5 x 37: 1
// CHECK-NEXT: layer norm 6 x 96: 1
// CHECK-NEXT: layer norm 5 x 37: 1
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // One row in a block: all warps have parts of it.
    gpu.func @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<warps = 4>} {
      %row = gpu.block_id x
      %c0 = arith.constant 0 : index
      %least = arith.constant 0xFF800000 : f32
      %none = arith.constant dense<0xFF800000> : vector<1xf32>
      %zero = arith.constant dense<0.0> : vector<1xf32>
      %v = vector.transfer_read %x[%row, %c0], %least : memref<?x?xf32>, vector<1x1024xf32>
      %max = vector.multi_reduction <maximumf>, %v, %none [1] : vector<1x1024xf32> to vector<1xf32>
      %maxColumn = vector.shape_cast %max : vector<1xf32> to vector<1x1xf32>
      %maxRow = vector.broadcast %maxColumn : vector<1x1xf32> to vector<1x1024xf32>
      %d = arith.subf %v, %maxRow : vector<1x1024xf32>
      %e = math.exp %d : vector<1x1024xf32>
      %sum = vector.multi_reduction <add>, %e, %zero [1] : vector<1x1024xf32> to vector<1xf32>
      %sumColumn = vector.shape_cast %sum : vector<1xf32> to vector<1x1xf32>
      %sumRow = vector.broadcast %sumColumn : vector<1x1xf32> to vector<1x1024xf32>
      %q = arith.divf %e, %sumRow : vector<1x1024xf32>
      vector.transfer_write %q, %y[%row, %c0] : vector<1x1024xf32>, memref<?x?xf32>
      gpu.return
    }

    // Four rows in a block, of at most 96 columns: 3 units of 32. The mask says where a row ends.
    gpu.func @norm(%x: memref<?x?xf32>, %y: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<warps = 2>} {
      %block = gpu.block_id x
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %row = arith.muli %block, %c4 : index
      %rows = memref.dim %x, %c0 : memref<?x?xf32>
      %columns = memref.dim %x, %c1 : memref<?x?xf32>
      %left = arith.subi %rows, %row : index
      %zero = arith.constant 0.0 : f32
      %zeros = arith.constant dense<0.0> : vector<4xf32>
      %zeroTile = arith.constant dense<0.0> : vector<4x96xf32>
      %mask = vector.create_mask %left, %columns : vector<4x96xi1>
      %v = vector.transfer_read %x[%row, %c0], %zero, %mask {in_bounds = [true, true]} : memref<?x?xf32>, vector<4x96xf32>
      %n0 = arith.index_cast %columns : index to i32
      %n = arith.sitofp %n0 : i32 to f32
      %ns = vector.broadcast %n : f32 to vector<4xf32>
      %sum = vector.multi_reduction <add>, %v, %zeros [1] : vector<4x96xf32> to vector<4xf32>
      %mean = arith.divf %sum, %ns : vector<4xf32>
      %mean96 = vector.broadcast %mean : vector<4xf32> to vector<96x4xf32>
      %meanTile = vector.transpose %mean96, [1, 0] : vector<96x4xf32> to vector<4x96xf32>
      %d0 = arith.subf %v, %meanTile : vector<4x96xf32>
      %d = arith.select %mask, %d0, %zeroTile : vector<4x96xi1>, vector<4x96xf32>
      %dd = arith.mulf %d, %d : vector<4x96xf32>
      %squares = vector.multi_reduction <add>, %dd, %zeros [1] : vector<4x96xf32> to vector<4xf32>
      %variance = arith.divf %squares, %ns : vector<4xf32>
      %r = math.rsqrt %variance : vector<4xf32>
      %rc = vector.shape_cast %r : vector<4xf32> to vector<4x1xf32>
      %rt = vector.broadcast %rc : vector<4x1xf32> to vector<4x96xf32>
      %q = arith.mulf %d, %rt : vector<4x96xf32>
      vector.transfer_write %q, %y[%row, %c0], %mask {in_bounds = [true, true]} : vector<4x96xf32>, memref<?x?xf32>
      gpu.return
    }
  }

  func.func @softmax(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : memref<?x?xf32>
    gpu.launch_func @kernels::@softmax blocks in (%rows, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?x?xf32>, %y : memref<?x?xf32>)
    return
  }
  func.func @norm(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %rows = memref.dim %x, %c0 : memref<?x?xf32>
    %blocks = arith.ceildivui %rows, %c4 : index
    gpu.launch_func @kernels::@norm blocks in (%blocks, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?x?xf32>, %y : memref<?x?xf32>)
    return
  }

  func.func private @fill(%x: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : memref<?x?xf32>
    %columns = memref.dim %x, %c1 : memref<?x?xf32>
    %c37 = arith.constant 37 : index
    %c101 = arith.constant 101 : index
    %scale = arith.constant 0.03125 : f32
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %j = %c0 to %columns step %c1 {
        %a = arith.addi %i, %j : index
        %b = arith.muli %a, %c37 : index
        %c = arith.remui %b, %c101 : index
        %d = arith.index_cast %c : index to i32
        %e = arith.sitofp %d : i32 to f32
        %f = arith.mulf %e, %scale : f32
        memref.store %f, %x[%i, %j] : memref<?x?xf32>
      }
    }
    return
  }
  // Whether all elements differ by at most 1e-5.
  func.func private @same(%x: memref<?x?xf32>, %y: memref<?x?xf32>) -> i1 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : memref<?x?xf32>
    %columns = memref.dim %x, %c1 : memref<?x?xf32>
    %most = arith.constant 1.0e-5 : f32
    %true = arith.constant true
    %all = scf.for %i = %c0 to %rows step %c1 iter_args(%before = %true) -> i1 {
      %row = scf.for %j = %c0 to %columns step %c1 iter_args(%each = %before) -> i1 {
        %a = memref.load %x[%i, %j] : memref<?x?xf32>
        %b = memref.load %y[%i, %j] : memref<?x?xf32>
        %d = arith.subf %a, %b : f32
        %abs = math.absf %d : f32
        %ok = arith.cmpf ole, %abs, %most : f32
        %both = arith.andi %each, %ok : i1
        scf.yield %both : i1
      }
      scf.yield %row : i1
    }
    return %all : i1
  }
  func.func private @print(%ok: i1) {
    %n = arith.extui %ok : i1 to i64
    call @printI64(%n) : (i64) -> ()
    call @printNewline() : () -> ()
    return
  }
  func.func private @printI64(i64)
  func.func private @printNewline()

  func.func private @softmaxLoops(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : memref<?x?xf32>
    %columns = memref.dim %x, %c1 : memref<?x?xf32>
    %least = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %rows step %c1 {
      %max = scf.for %j = %c0 to %columns step %c1 iter_args(%m = %least) -> f32 {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        %next = arith.maximumf %m, %v : f32
        scf.yield %next : f32
      }
      %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %zero) -> f32 {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        %d = arith.subf %v, %max : f32
        %e = math.exp %d : f32
        memref.store %e, %y[%i, %j] : memref<?x?xf32>
        %next = arith.addf %s, %e : f32
        scf.yield %next : f32
      }
      scf.for %j = %c0 to %columns step %c1 {
        %e = memref.load %y[%i, %j] : memref<?x?xf32>
        %q = arith.divf %e, %sum : f32
        memref.store %q, %y[%i, %j] : memref<?x?xf32>
      }
    }
    return
  }
  func.func private @normLoops(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : memref<?x?xf32>
    %columns = memref.dim %x, %c1 : memref<?x?xf32>
    %n0 = arith.index_cast %columns : index to i32
    %n = arith.sitofp %n0 : i32 to f32
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %rows step %c1 {
      %sum = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %zero) -> f32 {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        %next = arith.addf %s, %v : f32
        scf.yield %next : f32
      }
      %mean = arith.divf %sum, %n : f32
      %squares = scf.for %j = %c0 to %columns step %c1 iter_args(%s = %zero) -> f32 {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        %d = arith.subf %v, %mean : f32
        %dd = arith.mulf %d, %d : f32
        %next = arith.addf %s, %dd : f32
        scf.yield %next : f32
      }
      %variance = arith.divf %squares, %n : f32
      %r = math.rsqrt %variance : f32
      scf.for %j = %c0 to %columns step %c1 {
        %v = memref.load %x[%i, %j] : memref<?x?xf32>
        %d = arith.subf %v, %mean : f32
        %q = arith.mulf %d, %r : f32
        memref.store %q, %y[%i, %j] : memref<?x?xf32>
      }
    }
    return
  }

  func.func private @softmaxCase(%rows: index, %columns: index) {
    %x = gpu.alloc(%rows, %columns) : memref<?x?xf32>
    %y = gpu.alloc(%rows, %columns) : memref<?x?xf32>
    %z = memref.alloc(%rows, %columns) : memref<?x?xf32>
    call @fill(%x) : (memref<?x?xf32>) -> ()
    call @fill(%y) : (memref<?x?xf32>) -> ()
    call @softmax(%x, %y) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
    call @softmaxLoops(%x, %z) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
    %ok = call @same(%y, %z) : (memref<?x?xf32>, memref<?x?xf32>) -> i1
    call @print(%ok) : (i1) -> ()
    return
  }
  func.func private @normCase(%rows: index, %columns: index) {
    %x = gpu.alloc(%rows, %columns) : memref<?x?xf32>
    %y = gpu.alloc(%rows, %columns) : memref<?x?xf32>
    %z = memref.alloc(%rows, %columns) : memref<?x?xf32>
    call @fill(%x) : (memref<?x?xf32>) -> ()
    call @fill(%y) : (memref<?x?xf32>) -> ()
    call @norm(%x, %y) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
    call @normLoops(%x, %z) : (memref<?x?xf32>, memref<?x?xf32>) -> ()
    %ok = call @same(%y, %z) : (memref<?x?xf32>, memref<?x?xf32>) -> i1
    call @print(%ok) : (i1) -> ()
    return
  }
  func.func @main() {
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c37 = arith.constant 37 : index
    %c96 = arith.constant 96 : index
    %c700 = arith.constant 700 : index
    vector.print str "softmax 6 x 700: "
    call @softmaxCase(%c6, %c700) : (index, index) -> ()
    vector.print str "softmax 5 x 37: "
    call @softmaxCase(%c5, %c37) : (index, index) -> ()
    vector.print str "layer norm 6 x 96: "
    call @normCase(%c6, %c96) : (index, index) -> ()
    vector.print str "layer norm 5 x 37: "
    call @normCase(%c5, %c37) : (index, index) -> ()
    return
  }
}
