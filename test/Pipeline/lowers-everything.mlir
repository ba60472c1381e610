// What upstream can lower on a CPU runs: vectors of any rank, affine, complex, index, math, subviews, scf.forall,
// atomics, integer powers, bf16.
// RUN: lispier run --from=module %s | FileCheck %s

// CHECK: {{^}}10 36 5 8 4.5 81 3 24{{$}}
llvm.mlir.global internal constant @format("%ld %g %g %g %g %ld %g %g\0A\00") {addr_space = 0 : i32}
llvm.func @printf(!llvm.ptr, ...) -> i32

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32

  // index and affine: 0 + 1 + 2 + 3 + 4.
  %sum = affine.for %i = 0 to 5 iter_args(%s = %c0) -> (index) {
    %n = index.add %s, %i
    affine.yield %n : index
  }
  %sum64 = index.casts %sum : index to i64

  // A two-dimensional transfer, its sum over both dimensions: 1 + ... + 8.
  %m = memref.alloc() : memref<2x4xf32>
  affine.parallel (%i, %j) = (0, 0) to (2, 4) {
    %k = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1 + 1)>(%i, %j)
    %k32 = index.castu %k : index to i32
    %f = arith.uitofp %k32 : i32 to f32
    affine.store %f, %m[%i, %j] : memref<2x4xf32>
  }
  %v = vector.transfer_read %m[%c0, %c0], %zero {in_bounds = [true, true]} : memref<2x4xf32>, vector<2x4xf32>
  %all = vector.multi_reduction <add>, %v, %zero [0, 1] : vector<2x4xf32> to f32

  // complex: |3 + 4i|.
  %three = arith.constant 3.0 : f32
  %four = arith.constant 4.0 : f32
  %z = complex.create %three, %four : complex<f32>
  %abs = complex.abs %z : complex<f32>

  // A strided subview, filled by linalg, summed in parallel: 4 times 2.
  %two = arith.constant 2.0 : f32
  %big = memref.alloc() : memref<8x8xf32>
  %view = memref.subview %big[1, 1] [4, 1] [2, 1] : memref<8x8xf32> to memref<4x1xf32, strided<[16, 1], offset: 9>>
  linalg.fill ins(%two : f32) outs(%view : memref<4x1xf32, strided<[16, 1], offset: 9>>)
  %c4 = arith.constant 4 : index
  %total = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init (%zero) -> f32 {
    %e = memref.load %view[%i, %c0] : memref<4x1xf32, strided<[16, 1], offset: 9>>
    scf.reduce(%e : f32) {
    ^bb0(%a: f32, %b: f32):
      %r = arith.addf %a, %b : f32
      scf.reduce.return %r : f32
    }
  }

  // bf16 arithmetic.
  %h = arith.constant 1.5 : bf16
  %h3 = arith.constant 3.0 : bf16
  %hp = arith.mulf %h, %h3 : bf16
  %hf = arith.extf %hp : bf16 to f32

  // Integer powers, atomics, scf.forall.
  %base = arith.constant 3 : i64
  %exponent = arith.constant 4 : i64
  %power = math.ipowi %base, %exponent : i64
  %cell = memref.alloc() : memref<1xf32>
  memref.store %zero, %cell[%c0] : memref<1xf32>
  %one = arith.constant 1.0 : f32
  scf.forall (%i) in (3) {
    %old = memref.atomic_rmw addf %one, %cell[%c0] : (f32, memref<1xf32>) -> f32
  }
  %count = memref.load %cell[%c0] : memref<1xf32>

  // A contraction of matrices: 2 x 3 times 3 x 2 of twos, all of it summed with the rest of the vector ops.
  %a = arith.constant dense<2.0> : vector<2x3xf32>
  %b = arith.constant dense<1.0> : vector<3x2xf32>
  %acc = arith.constant dense<0.0> : vector<2x2xf32>
  %product = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %acc : vector<2x3xf32>, vector<3x2xf32> into vector<2x2xf32>
  %flat = vector.shape_cast %product : vector<2x2xf32> to vector<4xf32>
  %contracted = vector.reduction <add>, %flat : vector<4xf32> into f32

  %format = llvm.mlir.addressof @format : !llvm.ptr
  %d0 = arith.extf %all : f32 to f64
  %d1 = arith.extf %abs : f32 to f64
  %d2 = arith.extf %total : f32 to f64
  %d3 = arith.extf %hf : f32 to f64
  %d4 = arith.extf %count : f32 to f64
  %d5 = arith.extf %contracted : f32 to f64
  llvm.call @printf(%format, %sum64, %d0, %d1, %d2, %d3, %power, %d4, %d5) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64, f64, f64, f64, f64, i64, f64, f64) -> i32
  memref.dealloc %m : memref<2x4xf32>
  memref.dealloc %big : memref<8x8xf32>
  memref.dealloc %cell : memref<1xf32>
  return
}
