// RUN: lispier-opt %s -lispier-check-translatable -split-input-file -verify-diagnostics

llvm.func @good(%a: i32) -> i32 {
  llvm.return %a : i32
}
llvm.func @bad(%a: f32) -> f32 {
  // expected-error @+1 {{`spirv.GL.Exp` has no lowering to the CPU}}
  %r = spirv.GL.Exp %a : f32
  // Only the first op of a function is named: the others follow from it.
  %s = spirv.GL.Exp %r : f32
  llvm.return %s : f32
}

// -----

// A cast that remains is the trace of an op that no conversion knew: that op is named.
llvm.func @through_a_cast(%a: i64) -> i64 {
  %i = builtin.unrealized_conversion_cast %a : i64 to index
  // expected-error @+1 {{`index.add` has no lowering to the CPU}}
  %j = index.add %i, %i
  %r = builtin.unrealized_conversion_cast %j : index to i64
  llvm.return %r : i64
}

// -----

// The gpu dialect has a translation, and this op of it none.
llvm.func @outside_a_launch() -> i64 {
  // expected-error @+1 {{`gpu.thread_id` has no lowering to the CPU}}
  %x = gpu.thread_id x
  %r = builtin.unrealized_conversion_cast %x : index to i64
  llvm.return %r : i64
}

// -----

// Types that MLIR has and LLVM has not. Each is named once, where it comes first.
llvm.func @scalable(%m: !llvm.ptr) {
  // expected-error @+1 {{a value of type 'vector<[4]xf32>' cannot be made: the processor has no scalable vectors}}
  %v = llvm.load %m : !llvm.ptr -> vector<[4]xf32>
  llvm.return
}
llvm.func @no_bits(%m: !llvm.ptr, %i: i64) {
  // expected-error @+1 {{a value of type 'i0' cannot be made: LLVM's integers have 1 to 8388608 bits}}
  %p = llvm.getelementptr %m[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i0
  llvm.return
}
llvm.func @the_same_again(%m: !llvm.ptr) {
  %v = llvm.load %m : !llvm.ptr -> i0
  llvm.return
}
// expected-error @+1 {{a value of type 'tuple<i32, f32>' has no form in memory or registers; pass the elements of a tuple one by one}}
func.func private @tuples(tuple<i32, f32>)

// -----

// LLVM would allocate memory for either, and abort.
// expected-error @+1 {{this global has more than 2 GiB, the most that static memory has; allocate it instead}}
llvm.mlir.global private @ones(dense<1> : tensor<100000000000xi32>) : !llvm.array<100000000000 x i32>

// -----

// expected-error @+1 {{this global has more than 2 GiB, the most that static memory has; allocate it instead}}
llvm.mlir.global private @zeros(dense<0> : tensor<8000000000x8000000000xi32>) : !llvm.array<8000000000 x array<8000000000 x i32>>

// -----

llvm.mlir.global private @two_gigabytes(dense<0> : tensor<1x2147483647xi8>) : !llvm.array<1 x array<2147483647 x i8>>
