//===- TimingProgram.h - a program around one kernel ------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_EXPLAIN_TIMINGPROGRAM_H
#define LISPIER_LIB_TENSOR_EXPLAIN_TIMINGPROGRAM_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace lispier {
/// A kernel as a function `name` of memrefs and numbers, which writes the last operands, and a function `reference`
/// that computes the same on the host.
struct TimedKernel {
  struct Operand {
    mlir::Type type;                  ///< A memref, maybe with unknown sizes, or a number.
    llvm::SmallVector<int64_t> shape; ///< Of a memref: the sizes to run with.
    int64_t number = 0;               ///< Of an integer or index.
    bool isWritten = false;
  };
  std::string name, reference;
  llvm::SmallVector<Operand> operands;
  int64_t bytes = 0, work = 0; ///< Of one run.
};

/// MLIR text of a `main` that fills the operands with fixed random numbers, compares what the kernel writes with what
/// the reference does, runs the kernel again and again, and prints the difference and the speed. Declares both
/// functions.
std::string timingProgram(const TimedKernel &kernel);
} // namespace lispier
#endif
