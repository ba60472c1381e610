// Collectives that follow each other become one op.
// RUN: lispier-opt %s -split-input-file -lispier-join-collectives -verify-diagnostics | FileCheck %s

// What only computes sizes, or allocates, is moved before them; the kernel is not, and ends what is joined.
// CHECK-LABEL: func.func private @sums(
// CHECK: memref.dim
// CHECK: scf.if
// CHECK: memref.alloc
// CHECK: comm.together {
// CHECK-NEXT: comm.all_reduce add %[[A:.*]] into %[[A]]
// CHECK-NEXT: comm.all_reduce add %[[B:.*]] into %[[B]]
// CHECK-NEXT: }
// CHECK-NOT: together
// CHECK: comm.all_reduce
// CHECK: memref.copy
// CHECK-NEXT: comm.all_reduce
module attributes {comm.mesh = "dp,tp"} {
  llvm.func @lispier_rt_check_failed(!llvm.ptr, ...)
  func.func private @sums(%message: !llvm.ptr, %size: index, %limit: index) {
    %zero = arith.constant 0 : index
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc(%size) : memref<?xf32>
    comm.all_reduce add %a into %a over ["dp"] : memref<4xf32> into memref<4xf32>
    %n = memref.dim %b, %zero : memref<?xf32>
    %wrong = arith.cmpi ugt, %n, %limit : index
    scf.if %wrong {
      llvm.call @lispier_rt_check_failed(%message) vararg(!llvm.func<void (ptr, ...)>) : (!llvm.ptr) -> ()
    }
    comm.all_reduce add %b into %b over ["dp"] : memref<?xf32> into memref<?xf32>
    %c = memref.alloc(%size) : memref<?xf32>
    comm.all_reduce add %a into %a over ["tp"] : memref<4xf32> into memref<4xf32>
    memref.copy %b, %c : memref<?xf32> to memref<?xf32>
    comm.all_reduce add %c into %c over ["dp"] : memref<?xf32> into memref<?xf32>
    return
  }
}

// -----

// None uses what another one writes: the second reads what the first has summed, the third writes what the second reads.
// CHECK-LABEL: func.func private @apart(
// CHECK-NOT: comm.together
// CHECK: return
module attributes {comm.mesh = "dp"} {
  func.func private @apart() {
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    %c = memref.alloc() : memref<4xf32>
    comm.all_reduce add %c into %a over ["dp"] : memref<4xf32> into memref<4xf32>
    comm.all_reduce add %a into %b over ["dp"] : memref<4xf32> into memref<4xf32>
    comm.all_reduce add %c into %a over ["dp"] : memref<4xf32> into memref<4xf32>
    return
  }
}

// -----

// Arguments that a caller may have made of one memory, and kinds that differ.
// CHECK-LABEL: func.func @kinds(
// CHECK-NOT: comm.together
// CHECK: return
module attributes {comm.mesh = "dp"} {
  func.func @kinds(%a: memref<4xf32>, %b: memref<4xf32>) {
    comm.all_reduce add %a into %a over ["dp"] : memref<4xf32> into memref<4xf32>
    comm.all_reduce add %b into %b over ["dp"] : memref<4xf32> into memref<4xf32>
    %d = memref.alloc() : memref<2xf32>
    comm.reduce_scatter add %a into %d over ["dp"] dimension 0 : memref<4xf32> into memref<2xf32>
    return
  }
}

// -----

module attributes {comm.mesh = "dp"} {
  func.func @others(%a: memref<4xf32>) {
    comm.together {
      // expected-error@+1 {{is not a collective on memrefs as the others of `comm.together`}}
      memref.copy %a, %a : memref<4xf32> to memref<4xf32>
    }
    return
  }
}
