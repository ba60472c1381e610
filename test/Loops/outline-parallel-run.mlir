// Compiled and linked with the runtime: the output is the same for any number of threads.
// RUN: lispier-opt %s -lispier-outline-parallel=least-work=64 -convert-scf-to-cf -expand-strided-metadata -convert-to-llvm -reconcile-unrealized-casts \
// RUN:   | mlir-translate --mlir-to-llvmir | llc -O2 -relocation-model=pic -filetype=obj -o %t.o
// RUN: clang %t.o %lispier-build/lib/libLispierRuntime.a -lpthread -lm -o %t
// RUN: env LISPIER_THREADS=1 %t | FileCheck %s
// RUN: env LISPIER_THREADS=2 %t | FileCheck %s
// RUN: env LISPIER_THREADS=7 %t | FileCheck %s
// And through the JIT, in the default pipeline.
// RUN: env LISPIER_THREADS=1 lispier run --from=module %s | FileCheck %s
// RUN: env LISPIER_THREADS=2 lispier run --from=module %s | FileCheck %s
// REQUIRES: x86

func.func private @printMemrefI64(memref<*xi64>)
func.func private @printI64(i64)
func.func private @printNewline()

// Three dimensions, lower bounds and steps; every point names its place: 100 i + 10 j + k.
func.func @places() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %c100 = arith.constant 100 : index
  %none = arith.constant -1 : i64
  %m = memref.alloc(%c5) : memref<?x3x5xi64>
  scf.parallel (%i, %j, %k) = (%c0, %c0, %c0) to (%c5, %c3, %c5) step (%c1, %c1, %c1) {
    memref.store %none, %m[%i, %j, %k] : memref<?x3x5xi64>
  }
  scf.parallel (%i, %j, %k) = (%c1, %c0, %c1) to (%c5, %c3, %c5) step (%c3, %c2, %c2) {
    %hundreds = arith.muli %i, %c100 : index
    %tens = arith.muli %j, %c10 : index
    %high = arith.addi %hundreds, %tens : index
    %place = arith.addi %high, %k : index
    %value = arith.index_cast %place : index to i64
    memref.store %value, %m[%i, %j, %k] : memref<?x3x5xi64>
  }
  // CHECK:      sizes = [5, 3, 5]
  // CHECK-NEXT: [-1,    -1,    -1,    -1,    -1]
  // CHECK-NEXT: [-1,    -1,    -1,    -1,    -1]
  // CHECK-NEXT: [-1,    -1,    -1,    -1,    -1]
  // CHECK-NEXT: [-1,    101,    -1,    103,    -1]
  // CHECK-NEXT: [-1,    -1,    -1,    -1,    -1]
  // CHECK-NEXT: [-1,    121,    -1,    123,    -1]
  // CHECK-COUNT-6: [-1,    -1,    -1,    -1,    -1]
  // CHECK-NEXT: [-1,    401,    -1,    403,    -1]
  // CHECK-NEXT: [-1,    -1,    -1,    -1,    -1]
  // CHECK-NEXT: [-1,    421,    -1,    423,    -1]
  %any = memref.cast %m : memref<?x3x5xi64> to memref<*xi64>
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  memref.dealloc %m : memref<?x3x5xi64>
  return
}

// Sums of 100000 terms 1/(i+1) in f32: the bits of the sum depend on the order of additions. With it the largest index
// and a count, and a loop of no iterations, whose result is its start.
func.func @sums(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -7 : i64
  %r:3 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero, %low, %c0) -> (f32, i64, index) {
    %integer = arith.index_cast %i : index to i64
    %f = arith.sitofp %integer : i64 to f32
    %next = arith.addf %f, %one : f32
    %term = arith.divf %one, %next : f32
    scf.reduce(%term, %integer, %c1 : f32, i64, index) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%a: i64, %b: i64):
      %s = arith.maxsi %a, %b : i64
      scf.reduce.return %s : i64
    }, {
    ^bb0(%a: index, %b: index):
      %s = arith.addi %a, %b : index
      scf.reduce.return %s : index
    }
  }
  %bits = arith.bitcast %r#0 : f32 to i32
  %wide = arith.extui %bits : i32 to i64
  %count = arith.index_cast %r#2 : index to i64
  call @printI64(%wide) : (i64) -> ()
  call @printNewline() : () -> ()
  call @printI64(%r#1) : (i64) -> ()
  call @printNewline() : () -> ()
  call @printI64(%count) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

// Half a gigabyte of stack if it were not given back.
func.func @stack() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 500000 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0 : i64
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> i64 {
    %fixed = memref.alloca() : memref<128xi64>
    %sized = memref.alloca(%c128) : memref<?xi64>
    %place = arith.andi %i, %c1 : index
    %integer = arith.index_cast %place : index to i64
    memref.store %integer, %fixed[%place] : memref<128xi64>
    memref.store %integer, %sized[%place] : memref<?xi64>
    %a = memref.load %fixed[%place] : memref<128xi64>
    %b = memref.load %sized[%place] : memref<?xi64>
    %both = arith.addi %a, %b : i64
    scf.reduce(%both : i64) {
    ^bb0(%x: i64, %y: i64):
      %s = arith.addi %x, %y : i64
      scf.reduce.return %s : i64
    }
  }
  call @printI64(%sum) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %n = arith.constant 100000 : index
  call @places() : () -> ()
  // 12.090143 in f32; summed in double it is 12.090146.
  // CHECK: {{^}}1094807866{{$}}
  // CHECK-NEXT: {{^}}99999{{$}}
  // CHECK-NEXT: {{^}}100000{{$}}
  call @sums(%n) : (index) -> ()
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}-7{{$}}
  // CHECK-NEXT: {{^}}0{{$}}
  call @sums(%c0) : (index) -> ()
  // CHECK-NEXT: {{^}}500000{{$}}
  call @stack() : () -> ()
  %zero = arith.constant 0 : i32
  return %zero : i32
}
