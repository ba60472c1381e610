//===- ElementaryFunctions.h - exp, log, tanh ... in FMAs -------*- C++ -*-===//
//
// Each function takes x, an f32 or a vector of f32 of any rank, and returns the
// value of the same type. Except for those by instruction (below), they emit only
// arith ops, math.fma, math.sqrt, math.absf, math.copysign and math.trunc (sin, cos
// and tan also scf.if, and vector.reduction or, of rank above one, multi_reduction),
// without fast-math flags, since accuracy depends on the order of operations.
// Results for NaN, infinities, signed zeros and subnormals are libm's, except that
// the sign and payload of a NaN are not kept, and as said below.
//
// The description of lispier-expand-math lists errors in units of the last place of
// the correctly rounded f32, and how each was measured: over all 2^32 arguments, or
// over as many as it says; for atan2 there is none.
// test/Math/expand-math-accuracy.test samples them.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_MATH_ELEMENTARYFUNCTIONS_H
#define LISPIER_MATH_ELEMENTARYFUNCTIONS_H

namespace mlir {
class ImplicitLocOpBuilder;
class Value;
} // namespace mlir

namespace lispier {
mlir::Value emitExp(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitExp2(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitExpm1(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog2(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog1p(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitPow(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
mlir::Value emitTanh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitErf(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitRsqrt(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitSin(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitCos(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitTan(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog10(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitSinh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitCosh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitErfc(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAsin(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAcos(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtan(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtan2(mlir::ImplicitLocOpBuilder &b, mlir::Value y, mlir::Value x);
mlir::Value emitAsinh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAcosh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtanh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitCbrt(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// The same numbers as emitExp and emitExp2, of a vector of 16 f32 on a CPU with AVX-512: 2^n by vscalefps.
mlir::Value emitExpByScaling(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitExp2ByScaling(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

// By instructions that GPUs have: 2^x within two units of the last place (llvm.exp2; of emitExp2ByInstruction, results
// below 2^-126 may be 0), and quotients within two (a division that allows approximate functions), in tanh only these.
// A vector has rank one.
mlir::Value emitExpByInstruction(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitExp2ByInstruction(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitTanhByInstruction(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// 1 + tanh x, as 2 / (1 + e^-2x): five instructions, and no cancellation for negative x. Beside the instructions' own
/// errors, the relative error is below 1.25 2^-23 for positive x, and below 1.25 (1 - x) 2^-23 for negative ones.
mlir::Value emitOnePlusTanhByInstruction(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
} // namespace lispier
#endif
