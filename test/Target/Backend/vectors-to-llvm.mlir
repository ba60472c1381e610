// RUN: lispier-opt %s -pass-pipeline="builtin.module(gpu.module(lispier-vectors-to-llvm))" -split-input-file | FileCheck %s

// The conversion of the gpu dialect converts these; slices become shuffles.
gpu.module @short {
  // CHECK-LABEL: gpu.func @short(
  gpu.func @short(%x: memref<8xf32>, %i: index) kernel {
    // CHECK: vector.load
    %v = vector.load %x[%i] : memref<8xf32>, vector<4xf32>
    // CHECK: %[[LOW:.*]] = vector.shuffle %{{.*}} [0, 1]
    // CHECK-NOT: extract_strided_slice
    %low = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
    // CHECK: vector.store %[[LOW]]
    vector.store %low, %x[%i] : memref<8xf32>, vector<2xf32>
    gpu.return
  }
}

// -----

// A vector of two dimensions needs convert-vector-to-llvm, which converts the others, too, also in shared memory.
gpu.module @long {
  // CHECK-LABEL: gpu.func @long(
  gpu.func @long(%x: memref<8xf32>, %y: memref<8xf32, #gpu.address_space<workgroup>>, %i: index) kernel {
    // CHECK-NOT: vector.
    %v = vector.load %x[%i] : memref<8xf32>, vector<4xf32>
    %rows = vector.broadcast %v : vector<4xf32> to vector<2x4xf32>
    %row = vector.extract %rows[1] : vector<4xf32> from vector<2x4xf32>
    vector.store %row, %y[%i] : memref<8xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    gpu.return
  }
}
