// What in_bounds says must hold: the simulator finds a tile that goes past the end, with its line.
// RUN: rm -rf %t && split-file %s %t
// RUN: not lispier run --from=tiles --target=sim %t/read.mlir 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not lispier run --from=tiles --target=sim %t/write.mlir 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: not lispier run --from=tiles --target=sim %t/row.mlir 2>&1 | FileCheck %s --check-prefix=ROW
// RUN: not lispier run --from=tiles --target=sim %t/op.mlir 2>&1 | FileCheck %s --check-prefix=OP

//--- read.mlir
// READ: read.mlir:11:12: error[sim-bounds]: elements 64 to 127 of dimension 0 are outside its size 100
// READ-NEXT: %v = vector.transfer_read
// READ: note: in kernel `add`, block (2, 0, 0), thread (0, 0, 0)
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @add(%x: memref<?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %b = gpu.block_id x
      %c32 = arith.constant 32 : index
      %i = arith.muli %b, %c32 : index
      %zero = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<?xf32>, vector<64xf32>
      %w = arith.addf %v, %v : vector<64xf32>
      vector.transfer_write %w, %x[%i] : vector<64xf32>, memref<?xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %n = arith.constant 100 : index
    %x = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@add blocks in (%c3, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xf32>)
    return
  }
}
//--- write.mlir
// WRITE: write.mlir:8:7: error[sim-bounds]
// WRITE-NEXT: vector.transfer_write
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @fill(%x: memref<?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c60 = arith.constant 60 : index
      %v = arith.constant dense<1.0> : vector<64xf32>
      vector.transfer_write %v, %x[%c60] {in_bounds = [true]} : vector<64xf32>, memref<?xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %n = arith.constant 100 : index
    %x = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?xf32>)
    return
  }
}
//--- row.mlir
// The index of a dimension that the tile does not have is not cut.
// ROW: row.mlir:9:12: error[sim-bounds]: index 3 of dimension 0 is outside its size 3
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @row(%x: memref<?x?xf32>) kernel attributes {tile.program = #tile.program<>} {
      %b = gpu.block_id x
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%b, %c0], %zero : memref<?x?xf32>, vector<16xf32>
      vector.transfer_write %v, %x[%b, %c0] : vector<16xf32>, memref<?x?xf32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %x = memref.alloc(%c3, %c3) : memref<?x?xf32>
    gpu.launch_func @kernels::@row blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<?x?xf32>)
    return
  }
}
//--- op.mlir
// OP: op.mlir:8:12: error{{.*}}is no op of a tile program
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @f(%x: memref<8xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
      %w = vector.shuffle %v, %v [7, 6, 5, 4, 3, 2, 1, 0] : vector<8xf32>, vector<8xf32>
      vector.transfer_write %w, %x[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
      gpu.return
    }
  }
  func.func @main() { return }
}
