// Loops and branches pass on vectors of 16-bit floats as words, if these come from loads; BF16 of words is widened by
// a shift and a mask.
// RUN: lispier-opt %s -pass-pipeline='builtin.module(gpu.module(lispier-pack-narrow-vectors,canonicalize))' | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: gpu.func @sum
  // CHECK: %[[FIRST:.*]] = vector.bitcast %{{.*}} : vector<4xbf16> to vector<2xi32>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[WORDS:.*]] = %[[FIRST]]) -> (vector<4xf32>, vector<2xi32>)
  // CHECK-DAG: %[[LOW:.*]] = arith.shli %[[WORDS]], %{{.*}} : vector<2xi32>
  // CHECK-DAG: %[[HIGH:.*]] = arith.andi %[[WORDS]], %{{.*}} : vector<2xi32>
  // CHECK-DAG: %[[L:.*]] = arith.bitcast %[[LOW]] : vector<2xi32> to vector<2xf32>
  // CHECK-DAG: %[[H:.*]] = arith.bitcast %[[HIGH]] : vector<2xi32> to vector<2xf32>
  // CHECK: vector.from_elements
  // CHECK-NOT: arith.extf
  // CHECK: vector.load
  // CHECK: vector.bitcast %{{.*}} : vector<4xbf16> to vector<2xi32>
  gpu.func @sum(%x: memref<64xbf16>, %y: memref<4xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c60 = arith.constant 60 : index
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %first = vector.load %x[%c0] : memref<64xbf16>, vector<4xbf16>
    %sum:2 = scf.for %i = %c0 to %c60 step %c4 iter_args(%s = %zero, %v = %first) -> (vector<4xf32>, vector<4xbf16>) {
      %wide = arith.extf %v : vector<4xbf16> to vector<4xf32>
      %more = arith.addf %s, %wide : vector<4xf32>
      %n = arith.addi %i, %c4 : index
      %next = vector.load %x[%n] : memref<64xbf16>, vector<4xbf16>
      scf.yield %more, %next : vector<4xf32>, vector<4xbf16>
    }
    vector.store %sum#0, %y[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // What is read where an edge allows it, and constant elsewhere.
  // CHECK-LABEL: gpu.func @masked
  // CHECK: scf.if %{{.*}} -> (vector<2xi32>)
  // CHECK: arith.shli
  gpu.func @masked(%x: memref<64xbf16>, %y: memref<4xf32>, %inside: i1) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<4xbf16>
    %v = scf.if %inside -> (vector<4xbf16>) {
      %read = vector.load %x[%c0] : memref<64xbf16>, vector<4xbf16>
      scf.yield %read : vector<4xbf16>
    } else {
      scf.yield %zero : vector<4xbf16>
    }
    %wide = arith.extf %v : vector<4xbf16> to vector<4xf32>
    vector.store %wide, %y[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }

  // Elements that were read apart are in registers of their own.
  // CHECK-LABEL: gpu.func @apart
  // CHECK: scf.if %{{.*}} -> (vector<2xbf16>)
  // CHECK: arith.extf
  gpu.func @apart(%x: memref<64xbf16>, %y: memref<2xf32>, %inside: i1) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : vector<2xbf16>
    %v = scf.if %inside -> (vector<2xbf16>) {
      %a = memref.load %x[%c0] : memref<64xbf16>
      %b = memref.load %x[%c1] : memref<64xbf16>
      %both = vector.from_elements %a, %b : vector<2xbf16>
      scf.yield %both : vector<2xbf16>
    } else {
      scf.yield %zero : vector<2xbf16>
    }
    %wide = arith.extf %v : vector<2xbf16> to vector<2xf32>
    vector.store %wide, %y[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }
}

// What is rounded is made by pairs on chips that round so.
gpu.module @pairs attributes {device.target = "cuda:sm_90a"} {
  // CHECK-LABEL: gpu.func @rounded
  // CHECK: %[[ROUNDED:.*]] = arith.truncf
  // CHECK: vector.bitcast %[[ROUNDED]] : vector<2xbf16> to vector<1xi32>
  // CHECK: arith.shli
  // CHECK-NOT: arith.extf
  // CHECK: gpu.return
  gpu.func @rounded(%x: vector<2xf32>, %y: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %rounded = arith.truncf %x : vector<2xf32> to vector<2xbf16>
    %wide = arith.extf %rounded : vector<2xbf16> to vector<2xf32>
    vector.store %wide, %y[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }
}
gpu.module @numbers attributes {device.target = "rocm:gfx942"} {
  // CHECK-LABEL: gpu.func @rounded
  // CHECK: arith.extf
  gpu.func @rounded(%x: vector<2xf32>, %y: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %rounded = arith.truncf %x : vector<2xf32> to vector<2xbf16>
    %wide = arith.extf %rounded : vector<2xbf16> to vector<2xf32>
    vector.store %wide, %y[%c0] : memref<2xf32>, vector<2xf32>
    gpu.return
  }
}
