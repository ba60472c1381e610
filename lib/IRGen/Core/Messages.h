//===- Messages.h - source locations and messages ---------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_MESSAGES_H
#define LISPIER_LIB_IRGEN_CORE_MESSAGES_H

#include "Part.h"
#include "llvm/ADT/DenseMap.h"

namespace lispier {
/// Converts source ranges to MLIR locations, and MLIR's errors to messages in this project's style.
class Messages : public Part {
public:
  using Part::Part;
  Diag &error(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  /// An error at `range`, a part of `form`.
  Diag &error(llvm::StringRef code, llvm::SMRange range, const Form *form, const llvm::Twine &message);
  Diag &warning(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  mlir::Location location(const Form *form);
  mlir::Location location(llvm::SMRange range);
  /// The location of the start of the file that contains `form` or, if a macro generated it, the macro's call.
  mlir::Location fileLocation(const Form *form);
  /// The location of the start of a file; unknown if `buffer` is 0.
  mlir::Location fileLocation(unsigned buffer);
  /// Runs `body` and returns the first error that MLIR reported during it; the errors do not reach the user.
  Captured capture(llvm::function_ref<void()> body);

private:
  mlir::Location calledFrom(mlir::Location place, const Expansion *by);

  llvm::DenseMap<const Expansion *, mlir::LocationAttr> callers; ///< The chain of macro calls of each expansion.
  llvm::DenseMap<const Form *, mlir::LocationAttr> locations;
};
} // namespace lispier
#endif
