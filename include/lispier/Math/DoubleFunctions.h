//===- DoubleFunctions.h - exp, log, tanh ... of f64 in FMAs ----*- C++ -*-===//
//
// Like ElementaryFunctions.h, for f64 and vectors of f64, for kernels of GPUs, which
// have no C library, and of the simulator, whose digits in f64 are a GPU's. Kernels on
// the target cpu call the C library. The methods are those of Muller, "Elementary
// Functions" (2016): argument reduction after Cody and Waite, and after Payne and
// Hanek for large angles, then minimax polynomials, with double-double arithmetic
// where digits would cancel.
//
// Constants.h holds the coefficients, fitted by tools/dev/math-constants, and for
// each polynomial its largest error, relative to the function and without rounding.
// The description of lispier-expand-math lists the measured errors.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_MATH_DOUBLEFUNCTIONS_H
#define LISPIER_MATH_DOUBLEFUNCTIONS_H

namespace mlir {
class ImplicitLocOpBuilder;
class Value;
} // namespace mlir

namespace lispier::f64 {
mlir::Value emitExp(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitExp2(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitExpm1(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog2(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog10(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog1p(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitTanh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitSinh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitCosh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitErf(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitErfc(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitSin(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitCos(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitTan(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAsin(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAcos(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtan(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAsinh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAcosh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtanh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitCbrt(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtan2(mlir::ImplicitLocOpBuilder &b, mlir::Value y, mlir::Value x);
mlir::Value emitPow(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);
} // namespace lispier::f64
#endif
