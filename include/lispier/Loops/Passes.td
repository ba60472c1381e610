//===- Passes.td - the passes of the component Loops ------------*- tablegen -*-===//
#ifndef LISPIER_LOOPS_PASSES
#define LISPIER_LOOPS_PASSES

include "mlir/Pass/PassBase.td"

def ExpandShapes : Pass<"lispier-expand-shapes"> {
  let summary = "Turn memref.expand_shape with several dynamic sizes in a group, or with a 0, into reinterpret_cast";
  let description = [{
    Every size is an operand of the op, so no division is needed. expand-strided-metadata, which runs later, divides by
    the static sizes, and supports only one dynamic size per group.
    Example: test/Loops/expand-shapes.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def DecomposeSoftmax : Pass<"lispier-decompose-softmax"> {
  let summary = "Turn linalg.softmax on memrefs into reductions and elementwise ops";
  let description = [{
    The maximum, the exponentials of differences, their sum and the quotients, each a linalg.generic; numbers narrower
    than F32 are summed in F32. Upstream decomposes the op on tensors only. Kernels, which could not allocate, keep
    theirs.
    Example: test/Loops/decompose-softmax.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect"];
}

def FuseRows : Pass<"lispier-fuse-rows"> {
  let summary = "Run consecutive linalg ops over the same rows row by row";
  let description = [{
    Ops on memrefs that follow each other, of which at least one reduces, such as those of a softmax or a layer
    normalization. Each result has the rows as its leading dimensions, and of what an op of the group writes the others
    read the same row; then one parallel loop over rows has the ops for one row each, and the row stays in the cache.
    Ops between which memory is freed or accessed otherwise are not grouped, nor are products of matrices.

    Parameters may overlap: then the program compares addresses first, and ops whose memory overlaps run as plain loops,
    one after the other.
    Example: test/Loops/fuse-rows.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerContractions : Pass<"lispier-lower-contractions"> {
  let summary = "Lower vector.contract to products and sums of rows";
  let description = [{
    Contractions of any kind, with the dimensions of each operand in any order, several of a role, a batch, and factors
    narrower than the sums, which are widened. Rows are vectors of one dimension, along n, or along m where n is short.
    Up to 1024 registers' worth of multiply-adds are unrolled; more become loops over copies of the operands on the
    stack, a few registers of a row at a time, instead of code that grows with the size. Masked contractions and those
    of scalable vectors stay.
    Example: test/Loops/lower-contractions.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerHostVectors : Pass<"lispier-lower-host-vectors", "::mlir::func::FuncOp"> {
  let summary = "Lower vector reductions, transfers and prints in host code to rank 1";
  let description = [{
    Runs lower-vector-multi-reduction, then convert-vector-to-scf, which unrolls transfers where it can, in functions
    that have such ops. Other functions stay as they are.
    Example: test/Loops/lower-host-vectors.mlir
  }];
  let options = [ListOption<"reductions", "reductions", "::mlir::OpPassManager",
                            "Passes for a function with vector.multi_reduction">,
                 ListOption<"transfers", "transfers", "::mlir::OpPassManager",
                            "Passes for a function with transfers or vector.print">];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::vector::VectorDialect"];
}

def HoistInvariants : Pass<"lispier-hoist-invariants"> {
  let summary = "Move before a loop what it does not change and what cannot fail";
  let description = [{
    As loop-invariant-code-motion, but integer remainders, which that takes for ops that cannot fail, stay in the loop:
    it may have no iteration.
    Example: test/Loops/hoist-invariants.mlir
  }];
}

def OutlineParallel : Pass<"lispier-outline-parallel", "::mlir::ModuleOp"> {
  let summary = "Run every outermost scf.parallel on the runtime's threads";
  let description = [{
    The loop's body becomes a private function of a range of the flattened iteration space, (context, begin, end); the
    loop becomes a call of `lispier_rt_parallel_for` with that function. The context is a struct on the caller's stack
    that holds the captured values as their LLVM types, memrefs as descriptors. Constants are copied instead.

    The least number of iterations per chunk (the grain) is `least-work` divided by the estimated cost of one iteration;
    the integer attribute `lispier.grain` of the loop overrides it. Loops of constant size with too little work for two
    threads stay unchanged, and so do loops that capture a value without an LLVM type (a tensor), or that reduce with an
    operation whose neutral element is not known; they run sequentially, which is always correct.

    A reduction is split into at most 64 chunks, by its size alone; their results are combined in order, so
    that the result does not depend on the number of threads.

    Where the body of a loop contains loops, and all that it reads and writes is contiguous along the last dimension, as
    in sums of the columns of a matrix, several iterations are computed at once, in vectors (`VectorizeColumns.h`).

    Stack memory that the body allocates is released after each iteration. Loops inside the body stay sequential, and
    running the pass again changes nothing. Runs on buffers, before scf-to-cf: reconcile-unrealized-casts removes the
    casts that this pass leaves, with those of the conversions to LLVM.
    Example: test/Loops/outline-parallel.mlir
  }];
  let options = [
    Option<"leastWork", "least-work", "int64_t", "8192",
           "Least work per chunk, in simple machine instructions; the default takes about 2 us">,
    Option<"vectorBytes", "vector-bytes", "unsigned", "0", "Width of the machine's vectors; 0: emit no vectors">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def MergeEqualFunctions : Pass<"lispier-merge-equal-functions", "::mlir::ModuleOp"> {
  let summary = "Keep one of the internal functions that differ in their names alone";
  let description = [{
    Functions with internal linkage, such as the bodies of parallel loops, that have the same attributes and ops become
    the first of them. Locations are not compared: the instances of a generic function, and its calls that were inlined,
    share the loops that they have in common. What functions call may become equal first.
    Example: test/Loops/merge-equal-functions.mlir
  }];
}

def ReadTileSources : Pass<"lispier-read-tile-sources", "::mlir::func::FuncOp"> {
  let summary = "Read a tile that is loaded for one op in its source";
  let description = [{
    A program on tiles loads one by a copy to memory of its thread. Where one linalg op alone reads the tile, each
    element once, and the tile lies within its source, the op reads the source, if nothing but local memory is written
    in between. Example: test/Loops/read-tile-sources.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def PackContractions : Pass<"lispier-pack-contractions"> {
  let summary = "Compute large products of matrices in blocks of which both factors are copied";
  let description = [{
    Products of floats on memrefs with contiguous rows, in any order of the dimensions, with or without a batch. A block
    of the result belongs to a thread, which walks the summed dimension in slices: it copies the left factor's slice
    with rows that are no power of two apart, and panels of the right factor two vectors wide, transposed where
    necessary, and keeps tiles of sums in registers. With `pairs`, BF16 factors are copied in pairs for vdpbf16ps, which
    multiplies two at a time and sums them in F32; else they are widened. Sums are in slices of constant size, the same
    for any number of threads. With `pairs`, a thread computes BF16 products of known sizes in the same way by itself,
    those of programs on tiles, and reads a tile that is loaded for the product alone in its source. With `tiles` as
    well, AMX multiplies the same copies, zero-padded: sums of a tile are carried in four registers, which begin as a
    tile of the result, or at zero where it is cut off, and are then added to it. For more than 64 rows, threads first
    copy the whole right factor, as each block of rows meets all of it.

    A product of at most five rows with a right factor beyond the caches, whose rows are contiguous, is computed without
    copies: a thread reads eight rows of its columns side by side, which is as fast as memory is.

    Where sizes are unknown the program decides: smaller products remain as they are, for lispier-vectorize-linalg.
    Example: test/Loops/pack-contractions.mlir
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", "64", "Width of the machine's vectors">,
                 Option<"pairs", "pairs", "bool", "false", "Whether the machine has AVX512-BF16">,
                 Option<"tiles", "tiles", "bool", "false", "Whether the machine has AMX for BF16">];
  let dependentDialects = ["::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::x86vector::X86VectorDialect"];
}

def UnrollVectorAccesses : Pass<"lispier-unroll-vector-accesses"> {
  let summary = "Load and store vectors of several dimensions row by row";
  let description = [{
    vector.load and vector.store of any rank become accesses of rank 1, the only ones that upstream lowers. The distance
    of rows is the memref's stride. Scalable vectors are unchanged.
    Example: test/Loops/unroll-vector-accesses.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def LowerScans : Pass<"lispier-lower-scans", "::mlir::func::FuncOp"> {
  let summary = "Lower group.scan on memrefs to loops, over vectors where elements lie side by side";
  let description = [{
    A scan along contiguous rows combines the lanes of a vector in log2(lanes) steps, and what was combined before with
    all of them, so that a step waits for one operation; rows are in parallel. Along another dimension lanes are
    neighbouring columns, which are in parallel. Other elements than integers and floats of 32 and 64 bits, and views
    whose elements are not side by side, are scanned one by one.
    Example: test/Loops/lower-scans.mlir
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", "64", "Width of the machine's vectors">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def VectorizeLinalg : Pass<"lispier-vectorize-linalg"> {
  let summary = "Turn linalg on memrefs into loops over vectors";
  let description = [{
    Every linalg op on memrefs whose body exists on vectors, in any spelling: named or generic; elementwise,
    broadcasting, transposing, reducing, a product of matrices, a convolution. Of its dimensions one is the vectors': it
    is contiguous in what is written, and in as much as possible of what is read. Others are tiled, so that what is read
    serves several results at once, and sums are in registers while the reduced dimensions are walked. Where no output
    has the vectors' dimension, lanes hold partial sums, several vectors of them, which are added up at the end; a sum
    of everything is cut into chunks of constant size, so that it does not depend on the number of threads. Inputs that
    are contiguous along another dimension are transposed in registers. What fills no vector is done by a masked one.
    With `pairs`, sums along the vectors of products of BF16 numbers are by vdpbf16ps where they share what they read.

    Tiles run in parallel (scf.parallel), those of an op that is inside a parallel loop in sequence. Ops on other types
    (i1, complex) or with other bodies stay.
    Example: test/Loops/vectorize-linalg.mlir
  }];
  let options = [Option<"vectorBytes", "vector-bytes", "unsigned", "64", "Width of the machine's vectors">,
                 Option<"pairs", "pairs", "bool", "false", "Whether the machine has AVX512-BF16">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect", "::mlir::x86vector::X86VectorDialect"];
}

#endif
