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
