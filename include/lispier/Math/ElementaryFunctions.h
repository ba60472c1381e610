//===- ElementaryFunctions.h - exp, log, tanh ... in FMAs -------*- C++ -*-===//
//
// Each function takes x, an f32 or a vector of f32 of any rank, and returns the
// value of the same type. Only arith ops, math.fma, math.sqrt, math.absf and
// math.copysign come out (sin, cos and tan add scf.if and a vector.reduction), with
// no fast-math flags: the order of operations is what makes them accurate.
// Not-a-number, infinities, signed zeros and denormals are libm's, except that
// the sign and payload of a not-a-number are not kept.
//
// Errors are in units of the last place of the correctly rounded f32, measured
// over all 2^32 arguments; test/Math/expand-math-accuracy.test samples them.
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
} // namespace lispier
#endif
