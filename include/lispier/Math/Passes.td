//===- Passes.td - elementary functions, powers, atomics --*- tablegen -*-===//
#ifndef LISPIER_MATH_PASSES
#define LISPIER_MATH_PASSES

include "mlir/Pass/PassBase.td"

def NarrowIndices : Pass<"lispier-narrow-indices"> {
  let summary = "Turn casts of an index to fewer bits into truncations";
  let description = [{
    arith.index_cast to an integer that may lose bits becomes a cast to i64 and arith.trunci. Canonicalization takes a
    cast to an integer and back for the identity.
    Example: test/Math/narrow-indices.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandAtomics : Pass<"lispier-expand-atomics"> {
  let summary = "Turn atomic products and updates of floats by a region into a compare-and-exchange";
  let description = [{
    memref.atomic_rmw by mulf and muli, which upstream does not lower, and
    memref.generic_atomic_rmw of floats, whose bits upstream does not cast to integers.
    As with other atomic ops, the result is the value before the update.
    Example: test/Math/expand-atomics.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ExpandMath : Pass<"lispier-expand-math"> {
  let summary = "Turn exp, log, tanh and their like into FMA and integer ops";
  let description = [{
    math.exp, exp2, expm1, log, log2, log10, log1p, the trigonometric and hyperbolic functions and their inverses,
    atan2, erf, erfc, rsqrt and cbrt on f32, and on bf16 and f16 computed in f32, scalars and vectors alike; isnan,
    isinf, isfinite, isnormal, clampf and rsqrt of any float. With `standalone` also these functions on f64, and powf
    and fpowi, except for constant exponents that products and square roots compute; on a CPU the C library computes
    them. Other ops and types are unchanged. Thus no target needs a math library for these ops, and vectors are not
    scalarized.

    Largest errors on f32 in units of the last place, over all 2^32
    arguments: exp 1.1, exp2 1.1, expm1 1.6, log 0.9, log2 1.1, log1p 1.5, tanh 2.6, erf 1.0, rsqrt 1.5, sin and cos
    2.8.
    Over 2^24 arguments, with more samples where the polynomial's error dominates: log10 1.0, tan 4.7, sinh and cosh
    2.3,
    erfc 4.3, asin 2.3, acos 1.1, atan 1.4, asinh 1.8, acosh 2.1, atanh 2.1, cbrt 0.9.
    powf 2.5, over 10 million pairs whose results cover the range of f32.
    On f64, over 12 million arguments each, against a C library's functions with a 64-bit mantissa: the logarithms and
    atanh 0.51, the inverse trigonometric functions and atan2 0.8, exp, exp2, cbrt, tanh, sinh, sin and cos 0.8, pow
    0.81,
    expm1 and cosh 0.9, asinh 1.0, tan 1.0, erf 1.1, acosh 1.6, erfc 2.2. Angles may be arbitrarily large.
    DoubleFunctions.h names the methods.

    With `instructions`, exp and exp2 are within 3 and 2 units of the last place, by the GPU's 2^x, and tanh within 5,
    by its approximate division; results of exp2 below 2^-126 may be 0. 1 + tanh x, where nothing else needs the tanh,
    becomes p = 2 / (1 + e^-2x), which has fewer instructions and, for negative x, a smaller error than that sum;
    1 - tanh^2 x beside it becomes p (2 - p), within 4e-7.

    Special values are as in libm. The target must have fused multiply-add; elsewhere math.fma is a library call.
    Example: test/Math/expand-math.mlir
  }];
  let options = [ListOption<"functions", "functions", "std::string",
      "Expand only these ops, named without their dialect (exp, tanh); all when empty">,
    Option<"standalone", "standalone", "bool", "false", "Also expand f64 and powers, for targets without a C library">,
    Option<"instructions", "instructions", "bool", "false", 
           "Use GPUs' 2^x for exp and exp2 of f32, and their approximate division for tanh">,
    Option<"scaling", "scaling", "bool", "false",
           "Use the vscalefps of AVX-512 for exp and exp2 of vectors of 16 f32">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandPowers : Pass<"lispier-expand-powers"> {
  let summary = "Turn powers by some constant exponents into products and square roots";
  let description = [{
    Applies upstream's patterns for math.powf and math.fpowi, those of math-expand-ops, to such ops only: its pass
    visits all of a kernel's.
    Example: test/Math/expand-powers.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandArithmetic : Pass<"lispier-expand-arithmetic"> {
  let summary = "Turn floating-point remainders and integer powers into loops";
  let description = [{
    arith.remf of floats of up to 32 bits, exactly and with libm's special values, and math.ipowi of scalars. For
    kernels, which have no math library.
    Example: test/Math/expand-arithmetic.mlir
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def MathToIntrinsics : Pass<"lispier-math-to-intrinsics", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn math ops that every GPU has an instruction for into LLVM intrinsics";
  let description = [{
    sqrt, fma, abs, floor, ceil, trunc, round, roundeven, copysign, maxnum and
    minnum of floats. The vendors' conversions would call their device
    libraries for these, which a machine without their software does not have.
    lispier-expand-math expands the functions that need a polynomial.
    Example: test/Math/math-to-intrinsics.mlir
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
