//===- Control.h - if, for, fold, parallel, loop ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CONTROL_H
#define LISPIER_LIB_IRGEN_CONTROL_H

#include "Part.h"

namespace lispier {
/// Generates control flow (scf) and infers the types that it carries.
class ControlFlow : public Part {
public:
  using Part::Part;
  mlir::FailureOr<Values> emitIf(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitFor(const Form *form);
  mlir::FailureOr<Values> emitFold(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitParallel(const Form *form);
  mlir::FailureOr<Values> emitLoop(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitInside(mlir::Block *block, llvm::ArrayRef<const Form *> body, mlir::Type hint = {});
  mlir::Value loopBound(const Form *form);

private:
  mlir::FailureOr<Values> emitKnownBranch(const Form *branch, std::optional<llvm::ArrayRef<mlir::Type>> wanted,
                                          mlir::Type hint);
  bool loopRange(const Form *range, const Form *&name, mlir::Value &low, mlir::Value &high, mlir::Value &step);
  bool carriedValues(const Form *carried, llvm::ArrayRef<mlir::Type> wanted, mlir::Type hint,
                     llvm::SmallVectorImpl<const Form *> &names, Values &inits);
  bool carriesOn(const Form *form, mlir::ValueRange next, mlir::ValueRange carried, llvm::StringRef what);
};
} // namespace lispier
#endif
