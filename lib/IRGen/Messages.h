//===- Messages.h - places in the source, messages --------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_MESSAGES_H
#define LISPIER_LIB_IRGEN_MESSAGES_H

#include "Part.h"
#include "llvm/ADT/DenseMap.h"

namespace lispier {
/// Places in the source, and what MLIR reports, as messages of ours.
class Messages : public Part {
public:
  using Part::Part;
  Diag &error(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  Diag &warning(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  mlir::Location location(const Form *form);
  mlir::Location location(llvm::SMRange range);
  /// The start of the file that the form stands in, or of the file that had it made.
  mlir::Location fileLocation(const Form *form);
  /// The start of a file. `buffer` is 0 for none.
  mlir::Location fileLocation(unsigned buffer);
  /// Runs `body` and returns the first error that MLIR reported meanwhile.
  Captured capture(llvm::function_ref<void()> body);

private:
  mlir::Location calledFrom(mlir::Location place, const Expansion *by);

  llvm::DenseMap<const Expansion *, mlir::LocationAttr> callers; ///< Where each was called, and what called that.
};
} // namespace lispier
#endif
