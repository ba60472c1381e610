// A tile that is larger than the row that it is read from. Loops go over what is there, and memory that the program does
// not write is read in place.
// RUN: lispier-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(lispier-tiles-to-linalg{read-in-place}),canonicalize,cse)' | FileCheck %s

// Beyond the end, the maximum is that of what is there, and there is one exponential, which the sum counts several times.
gpu.module @softmax {
  // CHECK-LABEL: gpu.func @row
  // CHECK-SAME: %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>
  gpu.func @row(%x: memref<?xf32>, %y: memref<?xf32>) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %lows = arith.constant dense<0xFF800000> : vector<1xf32>
    %zeros = arith.constant dense<0.0> : vector<1xf32>
    // CHECK: %[[N:.*]] = arith.minsi %{{.*}}, %c512
    // The parameters may overlap, at run time.
    // CHECK: %[[APART:.*]] = arith.ori
    // CHECK: %[[AT:.*]] = memref.subview %[[X]][0] [%[[N]]] [1]
    // CHECK: %[[V:.*]] = scf.if %[[APART]]
    // CHECK: else
    // CHECK: linalg.copy
    %v = vector.transfer_read %x[%c0], %low : memref<?xf32>, vector<512xf32>
    %v2 = vector.shape_cast %v : vector<512xf32> to vector<1x512xf32>
    // CHECK: linalg.generic {{.*}}["reduction"]} ins(%{{.*}} : memref<?xf32, {{.*}}) outs(%[[M:[a-z_0-9]*]] : memref<f32>)
    // CHECK: arith.maximumf
    // CHECK: %[[IS_LESS:.*]] = arith.cmpi slt, %[[N]], %c512
    // CHECK: scf.if %[[IS_LESS]] {
    // CHECK-NEXT: linalg.generic {{.*}}iterator_types = []} outs(%[[M]] :
    // CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32):
    // CHECK-NEXT: linalg.yield %[[OLD]]
    %m = vector.multi_reduction <maximumf>, %v2, %lows [1] : vector<1x512xf32> to vector<1xf32>
    %m1 = vector.shape_cast %m : vector<1xf32> to vector<1x1xf32>
    %mb = vector.broadcast %m1 : vector<1x1xf32> to vector<1x512xf32>
    %d = arith.subf %v2, %mb : vector<1x512xf32>
    // CHECK: %[[BEYOND:.*]] = math.exp
    // CHECK: %[[E:.*]] = memref.subview %{{.*}}[0] [%[[N]]] [1] : memref<512xf32>
    // CHECK: linalg.generic {{.*}} outs(%[[E]] :
    // CHECK: math.exp
    %e = math.exp %d : vector<1x512xf32>
    // CHECK: linalg.generic {{.*}}["reduction"]} ins(%{{.*}} : {{.*}}) outs(%{{.*}} : memref<f32>)
    // CHECK: scf.if %[[IS_LESS]] {
    // CHECK: arith.mulf %[[BEYOND]], %{{.*}}
    %s = vector.multi_reduction <add>, %e, %zeros [1] : vector<1x512xf32> to vector<1xf32>
    %s1 = vector.shape_cast %s : vector<1xf32> to vector<1x1xf32>
    %sb = vector.broadcast %s1 : vector<1x1xf32> to vector<1x512xf32>
    %q = arith.divf %e, %sb : vector<1x512xf32>
    %q1 = vector.shape_cast %q : vector<1x512xf32> to vector<512xf32>
    vector.transfer_write %q1, %y[%c0] : vector<512xf32>, memref<?xf32>
    gpu.return
  }
}

// -----

// A condition on the index is known on both sides of the end: nothing is selected, and beyond it the sum is of zeros.
gpu.module @where {
  // CHECK-LABEL: gpu.func @squares
  gpu.func @squares(%x: memref<?xf32>, %y: memref<1xf32>, %f: f32) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %zeros = arith.constant dense<0.0> : vector<1xf32>
    %none = arith.constant dense<0.0> : vector<1x512xf32>
    %n = memref.dim %x, %c0 : memref<?xf32>
    %v = vector.transfer_read %x[%c0], %zero : memref<?xf32>, vector<512xf32>
    %v2 = vector.shape_cast %v : vector<512xf32> to vector<1x512xf32>
    %step = vector.step : vector<512xindex>
    %at = vector.broadcast %step : vector<512xindex> to vector<1x512xindex>
    %nb = vector.broadcast %n : index to vector<1x512xindex>
    %inside = arith.cmpi slt, %at, %nb : vector<1x512xindex>
    %fb = vector.broadcast %f : f32 to vector<1x512xf32>
    %sum = arith.addf %v2, %fb : vector<1x512xf32>
    %chosen = arith.select %inside, %sum, %none : vector<1x512xi1>, vector<1x512xf32>
    // CHECK: linalg.generic {{.*}}["reduction"]}
    // CHECK-NEXT: ^bb0
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: arith.addf
    // CHECK-NEXT: linalg.yield
    // CHECK-NOT: scf.if
    // CHECK-NOT: arith.select
    %s = vector.multi_reduction <add>, %chosen, %zeros [1] : vector<1x512xf32> to vector<1xf32>
    vector.transfer_write %s, %y[%c0] {in_bounds = [true]} : vector<1xf32>, memref<1xf32>
    gpu.return
  }
}

// -----

// The same numbers along the other dimension say nothing of where the row ends.
gpu.module @other {
  // CHECK-LABEL: gpu.func @rows
  gpu.func @rows(%x: memref<?x?xf32>, %y: memref<8x512xf32>) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %none = arith.constant dense<0.0> : vector<8x512xf32>
    %at = gpu.block_id x
    %n = memref.dim %x, %c1 : memref<?x?xf32>
    %v = vector.transfer_read %x[%c0, %at], %zero : memref<?x?xf32>, vector<8x512xf32>
    %step = vector.step : vector<8xindex>
    %column = vector.shape_cast %step : vector<8xindex> to vector<8x1xindex>
    %row = vector.broadcast %column : vector<8x1xindex> to vector<8x512xindex>
    %start = vector.broadcast %at : index to vector<8x512xindex>
    %index = arith.addi %row, %start : vector<8x512xindex>
    %nb = vector.broadcast %n : index to vector<8x512xindex>
    %inside = arith.cmpi slt, %index, %nb : vector<8x512xindex>
    %chosen = arith.select %inside, %v, %none : vector<8x512xi1>, vector<8x512xf32>
    // CHECK: arith.select
    // CHECK: gpu.return
    vector.transfer_write %chosen, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x512xf32>, memref<8x512xf32>
    gpu.return
  }
}

// -----

// What the program itself writes is copied.
gpu.module @shifted {
  // CHECK-LABEL: gpu.func @in_place
  // CHECK: linalg.copy
  // CHECK-NOT: scf.if {{.*}} -> (memref
  // CHECK: gpu.return
  gpu.func @in_place(%x: memref<64xf32>) kernel attributes {tile.program = #tile.program<>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<64xf32>, vector<32xf32>
    vector.transfer_write %v, %x[%c1] {in_bounds = [true]} : vector<32xf32>, memref<64xf32>
    gpu.return
  }
}
