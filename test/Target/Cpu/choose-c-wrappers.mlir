// RUN: lispier-opt %s -lispier-choose-c-wrappers | FileCheck %s

// Descriptors are passed by pointer to C functions that take memrefs...
// CHECK: func.func private @sum(memref<?xf32>) -> f32 attributes {llvm.emit_c_interface}
func.func private @sum(memref<?xf32>) -> f32
// CHECK: func.func private @print(memref<*xf32>) attributes {llvm.emit_c_interface}
func.func private @print(memref<*xf32>)

// ...and every other C function is called directly, even if the source requests a wrapper.
// CHECK: func.func private @clock_ms() -> i64{{$}}
func.func private @clock_ms() -> i64 attributes {llvm.emit_c_interface}

// Nothing calls the program's own functions from outside.
// CHECK: func.func @mine(%{{.*}}: memref<?xf32>) {
func.func @mine(%m: memref<?xf32>) attributes {llvm.emit_c_interface} {
  return
}
