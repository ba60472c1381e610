// RUN: lispier-opt %s -split-input-file -lispier-outline-parallel -canonicalize | FileCheck %s
// What runs twice changes nothing the second time.
// RUN: lispier-opt %s -split-input-file -lispier-outline-parallel -canonicalize -o %t.once
// RUN: lispier-opt %s -split-input-file -lispier-outline-parallel -lispier-outline-parallel -canonicalize | diff %t.once -
// With a smaller least-work, the small loop is worth two threads.
// RUN: lispier-opt %s -split-input-file -lispier-outline-parallel=least-work=16 | FileCheck %s --check-prefix=SMALL

// The body becomes a function of a range; captured values go through a struct, the constant is copied.
// CHECK: func.func private @lispier_rt_parallel_for(!llvm.ptr, !llvm.ptr, i64, i64)
// CHECK-LABEL: func.func @fill(
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[V:.*]]: f32)
// CHECK: %[[SLOT:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(f32, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)>
// CHECK: %[[FIELD:.*]] = llvm.getelementptr %[[SLOT]][0, 0]
// CHECK: llvm.store %[[V]], %[[FIELD]]
// CHECK: builtin.unrealized_conversion_cast %[[M]] : memref<?xf32> to !llvm.struct
// CHECK: %[[F:.*]] = builtin.unrealized_conversion_cast %{{.*}} : (!llvm.ptr, i64, i64) -> () to !llvm.ptr
// CHECK: call @lispier_rt_parallel_for(%[[F]], %[[SLOT]], %{{.*}}, %{{.*}})
// CHECK-NOT: scf.parallel
// CHECK-LABEL: func.func private @fill_parallel(
// CHECK-SAME: %[[CONTEXT:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64) attributes {device.parallel_body, llvm.linkage = #llvm.linkage<internal>}
// CHECK: %[[VALUE:.*]] = llvm.load %{{.*}} -> f32
// CHECK: %[[MEMREF:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<?xf32>
// CHECK-DAG: %[[FROM:.*]] = arith.index_cast %[[BEGIN]]
// CHECK-DAG: %[[TO:.*]] = arith.index_cast %[[END]]
// CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]]
// CHECK: memref.store %[[VALUE]], %[[MEMREF]][%[[I]]]
func.func @fill(%m: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %v, %m[%i] : memref<?xf32>
  }
  return
}

// -----

// The innermost dimension stays a loop; bounds and steps that are not 0 and 1 are applied to the indices.
// CHECK-LABEL: func.func private @rows_parallel(
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %{{.*}} step
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step
// CHECK: %[[SCALED:.*]] = arith.muli %[[ROW]], %{{.*}}
// CHECK: %[[I:.*]] = arith.addi %[[SCALED]], %{{.*}}
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @rows(%m: memref<?x?xf32>, %lower: index, %step: index, %n: index, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 2.0 : f32
  scf.parallel (%i, %j) = (%lower, %c0) to (%n, %k) step (%step, %c1) {
    memref.store %f, %m[%i, %j] : memref<?x?xf32>
  }
  return
}

// -----

// Pieces of at least the grain, at most 64 of them; one thread's partial result for each, combined in order from init.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %[[INIT:.*]]: f32) -> f32
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK-DAG: %[[GRAIN:.*]] = arith.constant 4096 : index
// CHECK: %[[PARTIALS:.*]] = llvm.alloca %{{.*}} x f32
// CHECK: %[[EVEN:.*]] = arith.ceildivsi %[[N:.*]], %[[C64]]
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[EVEN]], %[[GRAIN]]
// CHECK: %[[PIECES:.*]] = arith.ceildivsi %[[N]], %[[SIZE]]
// CHECK: call @lispier_rt_parallel_for
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %{{.*}} to %[[PIECES]] {{.*}} iter_args(%[[ACC:.*]] = %[[INIT]])
// CHECK: %[[PARTIAL:.*]] = llvm.load
// CHECK: arith.addf %[[ACC]], %[[PARTIAL]]
// CHECK: return %[[SUM]]
// CHECK-LABEL: func.func private @sum_parallel(
// CHECK: %[[NEUTRAL:.*]] = arith.constant {{-?}}0.000000e+00 : f32
// CHECK: scf.for
// CHECK: %[[PART:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[NEUTRAL]])
// CHECK: llvm.store %[[PART]]
func.func @sum(%m: memref<?xf32>, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%init) -> f32 {
    %v = memref.load %m[%i] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

// Too little work for two threads: left alone, inside a function with a loop that is not. In a loop around it the
// struct is still allocated once, at the start of the function.
// CHECK-LABEL: func.func @mixed(
// CHECK: llvm.alloca
// CHECK: scf.parallel
// CHECK: scf.for
// CHECK-NOT: llvm.alloca
// CHECK: call @lispier_rt_parallel_for
// SMALL-LABEL: func.func @mixed(
// SMALL-NOT: scf.parallel
// SMALL: return
func.func @mixed(%m: memref<64xf32>, %n: index, %large: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    memref.store %f, %m[%i] : memref<64xf32>
  }
  scf.for %layer = %c0 to %n step %c1 {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      memref.store %f, %large[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// A loop of one iteration gives way to the loop inside; inner loops of an outlined one stay.
// CHECK-LABEL: func.func @nested(
// CHECK: call @before
// CHECK: call @lispier_rt_parallel_for
// CHECK-LABEL: func.func private @nested_parallel(
// CHECK: scf.for
// CHECK: scf.parallel
// CHECK-NOT: @nested_parallel
func.func @nested(%m: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 2.0 : f32
  scf.parallel (%batch) = (%c0) to (%c1) step (%c1) {
    func.call @before() : () -> ()
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      scf.parallel (%j) = (%c0) to (%n) step (%c1) {
        memref.store %f, %m[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
func.func private @before()

// -----

// Stack of the body: of constant size it is taken once for the whole range, else given back after each iteration.
// CHECK-LABEL: func.func private @scratch_parallel(
// CHECK-NOT: scf.for
// CHECK: memref.alloca() : memref<16xf32>
// CHECK: scf.for
// CHECK: %[[STACK:.*]] = llvm.intr.stacksave
// CHECK: memref.alloca(%{{.*}}) : memref<?xf32>
// CHECK: func.call @use
// CHECK: llvm.intr.stackrestore %[[STACK]]
func.func @scratch(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %fixed = memref.alloca() : memref<16xf32>
    %sized = memref.alloca(%i) : memref<?xf32>
    func.call @use(%fixed, %sized) : (memref<16xf32>, memref<?xf32>) -> ()
  }
  return
}
func.func private @use(memref<16xf32>, memref<?xf32>)

// -----

// The program's own word on the grain.
// CHECK-LABEL: func.func @grain(
// CHECK: %[[GRAIN:.*]] = arith.constant 12 : i64
// CHECK: call @lispier_rt_parallel_for(%{{.*}}, %{{.*}}, %{{.*}}, %[[GRAIN]])
func.func @grain(%m: memref<?xf32>, %n: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %f, %m[%i] : memref<?xf32>
  } {lispier.grain = 12 : i64}
  return
}

// -----

// Stays in sequence: a tensor has no LLVM type, a subtraction no neutral element.
// CHECK-LABEL: func.func @tensor(
// CHECK: scf.parallel
// CHECK-LABEL: func.func @difference(
// CHECK: scf.parallel
func.func @tensor(%t: tensor<?xf32>, %m: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %v = tensor.extract %t[%i] : tensor<?xf32>
    memref.store %v, %m[%i] : memref<?xf32>
  }
  return
}
func.func @difference(%m: memref<?xf32>, %n: index, %init: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%init) -> f32 {
    %v = memref.load %m[%i] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.subf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}

// -----

// Twelve iterations are worth it when each calls a function with much to do.
// CHECK-LABEL: func.func @heads(
// CHECK: call @lispier_rt_parallel_for
// CHECK-LABEL: func.func private @heads_parallel(
// CHECK: func.call @head
func.func @heads(%m: memref<12x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c12 = arith.constant 12 : index
  scf.parallel (%i) = (%c0) to (%c12) step (%c1) {
    func.call @head(%m, %i) : (memref<12x?x?xf32>, index) -> ()
  }
  return
}
func.func private @head(%m: memref<12x?x?xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c1 : memref<12x?x?xf32>
  %f = arith.constant 2.0 : f32
  scf.for %j = %c0 to %n step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      memref.store %f, %m[%i, %j, %k] : memref<12x?x?xf32>
    }
  }
  return
}

// -----

// Iterations of a loop that stays sequential share what they have on the stack, as those on a thread do.
// CHECK-LABEL: func.func @sequential(
// CHECK: memref.alloca() : memref<16xf32>
// CHECK: scf.parallel
// CHECK-NOT: memref.alloca
func.func @sequential(%m: memref<3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%i) = (%c0) to (%c3) step (%c1) {
    %own = memref.alloca() : memref<16xf32>
    %x = memref.load %m[%i] : memref<3xf32>
    memref.store %x, %own[%c3] : memref<16xf32>
    %y = memref.load %own[%i] : memref<16xf32>
    memref.store %y, %m[%i] : memref<3xf32>
  }
  return
}

// -----

// The body of a tuned function is tuned as well.
// CHECK-LABEL: func.func @tuned(
// CHECK: func.func private @tuned_parallel({{.*}}) attributes {device.parallel_body, device.tuned,
func.func @tuned(%m: memref<?xf32>, %v: f32) attributes {device.tuned} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1048576 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %v, %m[%i] : memref<?xf32>
  }
  return
}
