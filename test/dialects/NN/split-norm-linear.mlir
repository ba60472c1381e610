// RUN: lispier-opt %s -lispier-split-norm-linear | FileCheck %s --check-prefixes=CHECK,TWO
// RUN: lispier-opt %s -lispier-split-norm-linear=one-row | FileCheck %s --check-prefixes=CHECK,ONE

// CHECK-LABEL: func @any
func.func @any(%x: memref<?x8xf32>, %g: memref<8xbf16>, %e: f32, %n: memref<?x8xf32>, %w: memref<4x8xbf16>,
               %o: memref<?x4xf32>) {
  // ONE: %[[ISONE:.*]] = arith.cmpi eq
  // ONE: scf.if %[[ISONE]] {
  // ONE-NEXT: nn.norm_linear
  // ONE-NEXT: } else {
  // CHECK-NEXT: nn.layer_norm %arg0, %arg1, %arg1 epsilon %arg2 into %arg3
  // ONE-NEXT: nn.linear %arg3, %arg4 into %arg5 {activation = #nn<activation relu>, several_rows}
  // TWO-NEXT: nn.linear %arg3, %arg4 into %arg5 {activation = #nn<activation relu>}
  nn.norm_linear %x, %g, %g epsilon %e through %n, %w into %o {activation = #nn<activation relu>}
    : memref<?x8xf32>, memref<8xbf16>, memref<8xbf16>, f32, memref<?x8xf32>, memref<4x8xbf16>, memref<?x4xf32>
  return
}

// CHECK-LABEL: func @one
func.func @one(%x: memref<1x8xf32>, %g: memref<8xbf16>, %e: f32, %n: memref<1x8xf32>, %w: memref<4x8xbf16>,
               %o: memref<1x4xf32>) {
  // ONE: nn.norm_linear
  // TWO: nn.layer_norm
  // TWO: nn.linear
  nn.norm_linear %x, %g, %g epsilon %e through %n, %w into %o
    : memref<1x8xf32>, memref<8xbf16>, memref<8xbf16>, f32, memref<1x8xf32>, memref<4x8xbf16>, memref<1x4xf32>
  return
}

// Without a bias of the norm it is an RMS norm, as loops.
// CHECK-LABEL: func @rms
func.func @rms(%x: memref<?x8xf32>, %g: memref<8xbf16>, %e: f32, %n: memref<?x8xbf16>, %w: memref<4x8xbf16>,
               %o: memref<?x4xf32>) {
  // ONE: nn.norm_linear %arg0, %arg1 epsilon %arg2 through
  // ONE: else
  // CHECK: scf.parallel
  // CHECK: arith.mulf %[[X:.*]], %[[X]]
  // CHECK: math.sqrt
  // CHECK: memref.store %{{.*}}, %arg3
  // ONE: nn.linear %arg3, %arg4 into %arg5 {several_rows}
  // TWO: nn.linear %arg3, %arg4 into %arg5 :
  nn.norm_linear %x, %g epsilon %e through %n, %w into %o
    : memref<?x8xf32>, memref<8xbf16>, f32, memref<?x8xbf16>, memref<4x8xbf16>, memref<?x4xf32>
  return
}
