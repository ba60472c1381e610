// Elements of i16 vectors are added one by one: ptxas of CUDA 12.9 and 13.0 takes the constant of an add.s16x2 of which
// a program uses one half for 0.
// RUN: lispier-opt %s -lispier-flatten-kernel-arguments -lispier-emit-gpu='target=cuda:sm_90a format=ptx output=%t' -o /dev/null
// RUN: FileCheck %s --input-file=%t --implicit-check-not=16x2

gpu.module @kernels {
  // CHECK-LABEL: .entry three_less(
  // CHECK-COUNT-2: add.s16 {{.*}}, -3;
  // CHECK-LABEL: .entry one_half(
  // CHECK: add.s16 {{.*}}, -3;
  gpu.func @three_less(%numbers: memref<2xi16>) kernel {
    %c0 = arith.constant 0 : index
    %three = arith.constant dense<3> : vector<2xi16>
    %x = vector.load %numbers[%c0] : memref<2xi16>, vector<2xi16>
    %y = arith.subi %x, %three : vector<2xi16>
    vector.store %y, %numbers[%c0] : memref<2xi16>, vector<2xi16>
    gpu.return
  }
  gpu.func @one_half(%number: i32, %numbers: memref<2xi16>) kernel {
    %c0 = arith.constant 0 : index
    %less = arith.constant dense<[-3, 0]> : vector<2xi16>
    %one = vector.broadcast %number : i32 to vector<1xi32>
    %x = vector.bitcast %one : vector<1xi32> to vector<2xi16>
    %y = arith.addi %x, %less : vector<2xi16>
    %low = vector.extract %y[0] : i16 from vector<2xi16>
    memref.store %low, %numbers[%c0] : memref<2xi16>
    gpu.return
  }
}
