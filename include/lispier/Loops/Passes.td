//===- Passes.td - the passes of the component Loops ------------*- tablegen -*-===//
#ifndef LISPIER_LOOPS_PASSES
#define LISPIER_LOOPS_PASSES

include "mlir/Pass/PassBase.td"

def ExpandShapes : Pass<"lispier-expand-shapes"> {
  let summary = "Turn memref.expand_shape with several unknown sizes in a group into memref.reinterpret_cast";
  let description = [{
    Every size is an operand of the op, so nothing is divided. For expand-strided-metadata, which assumes one unknown size
    a group.
    Example: test/Loops/expand-shapes.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def OutlineParallel : Pass<"lispier-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Run every outermost scf.parallel on the runtime's threads";
  let description = [{
    The loop's body becomes a private function of a range of the flattened iteration space, (context, begin, end); the
    loop becomes a call of `lispier_rt_parallel_for` with that function. The context is a struct on the caller's stack
    that holds the captured values as their LLVM types, memrefs as descriptors. Constants are copied instead.

    How finely the space may be cut (the grain) is `least-work` over an estimate of the work of one iteration; an
    integer attribute `lispier.grain` on the loop says it instead. Loops of constant size with too little work for two
    threads stay as they are, and so do loops that capture what has no LLVM type (a tensor), or that reduce with an
    operation whose neutral element is not known; they run in sequence, which is always right.

    A reduction is cut into at most 64 pieces by its size alone; the pieces' results are combined in their order, so
    that the result does not depend on the number of threads.

    What the body allocates on the stack is released after each iteration. Loops inside the body stay sequential, and
    running the pass again changes nothing. Runs on buffers, before scf becomes control flow: the casts it leaves
    vanish with those of the conversions to LLVM (reconcile-unrealized-casts).
    Example: test/Loops/outline-parallel.mlir
  }];
  let options = [
    Option<"leastWork", "least-work", "int64_t", "8192",
           "Least work that is worth a thread, in simple machine instructions (about 2 us)">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

def UnrollVectorAccesses : Pass<"lispier-unroll-vector-accesses"> {
  let summary = "Load and store vectors of several dimensions row by row";
  let description = [{
    vector.load and vector.store of any rank become accesses of one dimension; upstream lowers no others. Rows are as far
    apart in memory as those of the memref. Scalable vectors stay.
    Example: test/Loops/unroll-vector-accesses.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def VectorizeContractions : Pass<"lispier-vectorize-contractions", "::mlir::func::FuncOp"> {
  let summary = "Turn products of matrices into register tiles of vectors";
  let description = [{
    Linalg ops on memrefs that multiply along one dimension and sum along it, such as matmul, matvec, vecmat, their batches
    and their generic forms. Either the right-hand side and the result are contiguous along the result's columns, and sums
    are in the order of the summed dimension, as written; or, as where the right-hand side is transposed, both factors are
    contiguous along the summed dimension, and a number is the sum of as many partial sums as a vector has lanes. The tiles
    run in parallel; a tile keeps its sums in vectors while it walks the summed dimension. What does not fill a tile is
    computed a row, and then a number, at a time.
    Example: test/Loops/vectorize-contractions.mlir
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", "64", "Width of the machine's vectors">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif
