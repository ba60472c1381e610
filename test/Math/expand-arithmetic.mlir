// RUN: lispier-opt %s -lispier-expand-arithmetic | FileCheck %s
// RUN: lispier-opt %s --pass-pipeline='builtin.module(lispier-expand-arithmetic,convert-scf-to-cf,convert-vector-to-llvm,convert-math-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)' \
// RUN:   | mlir-runner -e main -entry-point-result=void -O2 -shared-libs=%llvm-libraries/libmlir_c_runner_utils.so | FileCheck %s --check-prefix=ALL

// Remainders of 2^18 pairs of bit patterns, special values, denormals and quotients of up to 2^277 among them, are libm's.
// ALL: not libm's: 0
// CHECK-LABEL: func.func private @different(
// CHECK: scf.while
// CHECK: math.fma
// CHECK-NOT: arith.remf
func.func private @fmodf(f32, f32) -> f32
func.func private @different(%a: i32, %b: i32) -> i64 {
  %x = arith.bitcast %a : i32 to f32
  %y = arith.bitcast %b : i32 to f32
  %ours = arith.remf %x, %y : f32
  %exact = func.call @fmodf(%x, %y) : (f32, f32) -> f32
  %c = arith.bitcast %ours : f32 to i32
  %d = arith.bitcast %exact : f32 to i32
  %other = arith.cmpi ne, %c, %d : i32
  %number = arith.cmpf ord, %exact, %exact : f32
  %finite = arith.cmpf ord, %ours, %ours : f32
  %some = arith.ori %number, %finite : i1
  %wrong = arith.andi %other, %some : i1
  %result = arith.extui %wrong : i1 to i64
  return %result : i64
}

// f64 is left to a library; vectors go lane by lane.
// CHECK-LABEL: func.func @left(
// CHECK-COUNT-2: scf.while
// CHECK: arith.remf %{{.*}} : f64
func.func @left(%x: f64, %v: vector<2xbf16>) -> (f64, vector<2xbf16>) {
  %w = arith.remf %v, %v : vector<2xbf16>
  %y = arith.remf %x, %x : f64
  return %y, %w : f64, vector<2xbf16>
}

// ALL: 1 -32 81 0 1 -1
func.func private @powers(%base: i32, %exponent: i32) {
  %y = math.ipowi %base, %exponent : i32
  vector.print %y : i32 punctuation <no_punctuation>
  vector.print str " "
  return
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %count = arith.constant 512 : index
  %none = arith.constant 0 : i64
  %stride = arith.constant 8388577 : i32
  %wrong = scf.for %i = %c0 to %count step %c1 iter_args(%n = %none) -> i64 {
    %inner = scf.for %j = %c0 to %count step %c1 iter_args(%m = %n) -> i64 {
      %i32 = arith.index_cast %i : index to i32
      %j32 = arith.index_cast %j : index to i32
      %a = arith.muli %i32, %stride : i32
      %b = arith.muli %j32, %stride : i32
      %one = func.call @different(%a, %b) : (i32, i32) -> i64
      %more = arith.addi %m, %one : i64
      scf.yield %more : i64
    }
    scf.yield %inner : i64
  }
  vector.print str "not libm's: "
  vector.print %wrong : i64
  %p0 = arith.constant 0 : i32
  %p1 = arith.constant 1 : i32
  %p3 = arith.constant 3 : i32
  %p4 = arith.constant 4 : i32
  %p5 = arith.constant 5 : i32
  %m1 = arith.constant -1 : i32
  %m2 = arith.constant -2 : i32
  %m3 = arith.constant -3 : i32
  call @powers(%p5, %p0) : (i32, i32) -> ()
  call @powers(%m2, %p5) : (i32, i32) -> ()
  call @powers(%m3, %p4) : (i32, i32) -> ()
  call @powers(%p3, %m1) : (i32, i32) -> ()
  call @powers(%p1, %m3) : (i32, i32) -> ()
  call @powers(%m1, %m3) : (i32, i32) -> ()
  return
}
