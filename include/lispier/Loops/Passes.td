//===- Passes.td - the passes of the room Loops ------------*- tablegen -*-===//
#ifndef LISPIER_LOOPS_PASSES
#define LISPIER_LOOPS_PASSES

include "mlir/Pass/PassBase.td"
include "lispier/Loops/GpuPasses.td"

def ExpandAtomics : Pass<"lispier-expand-atomics"> {
  let summary = "Turn atomic products and updates of floats by a region into a compare-and-exchange";
  let description = [{
    memref.atomic_rmw by mulf and muli, which upstream does not lower, and
    memref.generic_atomic_rmw of floats, whose exchange it does not take for bits.
    The value is that from before the update, as of the other atomic ops.
    Example: test/Loops/expand-atomics.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandMath : Pass<"lispier-expand-math"> {
  let summary = "Turn exp, log, tanh and their like into FMA and integer ops";
  let description = [{
    math.exp, exp2, expm1, log, log2, log10, log1p, the trigonometric and hyperbolic functions and their inverses, atan2,
    erf, erfc, rsqrt and cbrt on f32, and on bf16 and f16 computed in f32, scalars and vectors alike; isnan, isinf,
    isfinite, isnormal, clampf and rsqrt of any float. With `standalone` these on f64, too, and powf and fpowi, but for
    constant exponents that products and roots do for; a CPU has its C library for them. Other ops and types stay. So no target needs a math library for these, and vectors
    stay vectors. Largest errors in units of the last place, over all 2^32
    arguments: exp 1.1, exp2 1.1, expm1 1.6, log 0.9, log2 1.1, log1p 1.5, tanh 2.6, erf 1.0, rsqrt 1.5, sin and cos 2.8.
    Over 2^24 of them: log10 1.0, tan 4.7, sinh and cosh 2.3, erfc 4.1, asin 2.3, acos 1.1, atan 1.3, asinh 1.7, acosh 1.8,
    atanh 2.0, cbrt 0.8.
    On f64, over 12 million arguments each, against a C library's functions of 64 bits of mantissa: the logarithms and atanh
    0.51, the inverse trigonometric functions and atan2 0.8, exp, exp2, cbrt, tanh, sinh, sin and cos 0.8, pow 0.81, expm1
    and cosh 0.9, asinh 1.0, tan 1.0, erf 1.1, acosh 1.6, erfc 2.2. A power of f32 2.5,
    over 10 million pairs whose powers spread over all of f32. Angles may be of any size. DoubleFunctions.h names the
    methods.
    Special values are libm's. The machine has to have fused multiply-add: elsewhere math.fma is a library call.
    Example: test/Loops/expand-math.mlir
  }];
  let options = [ListOption<"functions", "functions", "std::string",
      "Expand only these ops, named without their dialect (exp, tanh); all when empty">,
    Option<"standalone", "standalone", "bool", "false", "Expand f64 and powers, too: for processors that have no C library">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandArithmetic : Pass<"lispier-expand-arithmetic"> {
  let summary = "Turn remainders of floats and powers of integers into loops";
  let description = [{
    arith.remf of floats of up to 32 bits, exactly and with libm's special values, and math.ipowi of scalars. For kernels,
    which have no library. Example: test/Loops/expand-arithmetic.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

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

def SelectTemplates : Pass<"lispier-select-templates", "::mlir::ModuleOp"> {
  let summary = "Call kernel templates in the place of ops";
  let description = [{
    A function with the attribute `lispier.template = "nn.linear"` is a template of nn.linear for the targets in
    `lispier.template_targets`; a target may name features that it needs, as in `cpu+avx512bf16`. Its parameters are the op's operands in order, then the attributes that
    `lispier.template_attributes` names: floats as f32, integers and choices as i64, an absent one as -1. An absent
    operand is a memref without elements. Attributes that `lispier.template_values` names too are arguments of the call, the
    others constants in what is called.

    The first template in the order of the file that accepts every operand is taken: the types are equal, or the
    parameter's sizes, strides and offset are the operand's or dynamic. The op becomes a call of a copy of it in which
    attributes, absent operands and known sizes are constants; ops that need the same share one copy. Ops that no template accepts
    stay. Templates are erased.
    Example: test/Loops/select-templates.mlir
  }];
  let options = [Option<"target", "target", "std::string", "\"cpu\"", "Consider the templates for this target">,
                 ListOption<"features", "features", "std::string",
                     "What the target can do, by LLVM's names: a template for cpu+avx512bf16 needs avx512bf16">,
                 Option<"share", "share", "bool", "true",
                     "One copy for all ops that need the same; without, a copy an op, whose launches have the op's place">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::lispier::nn::NNDialect"];
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
