//===- Control.h - if, for, fold, parallel, loop ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_CONTROL_H
#define LISPIER_LIB_IRGEN_LANGUAGE_CONTROL_H

#include "Generator.h"
#include "InPlace.h"

namespace lispier {
/// Generates control flow (scf) and infers the types that it carries.
class ControlFlow : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  mlir::FailureOr<Values> emitIf(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitFor(const Form *form);
  mlir::FailureOr<Values> emitFold(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitParallel(const Form *form);
  /// (replayable body ...), in Replayable.cpp.
  mlir::FailureOr<Values> emitReplayable(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitLoop(const Form *form, mlir::Type hint);

private:
  bool takeResultTypes(llvm::ArrayRef<const Form *> &items, std::optional<llvm::SmallVector<mlir::Type>> &types);
  mlir::FailureOr<Values> emitKnownBranch(const Form *branch, std::optional<llvm::ArrayRef<mlir::Type>> wanted,
                                          mlir::Type hint);
  /// What a loop walks over: numbers, or the elements of lists of records and of tensors.
  struct Range {
    const Form *name = nullptr; ///< Of the number; null if the loop walks over elements.
    mlir::Value low, high, step;
    struct Element {
      const Form *name, *list;
      mlir::Value value; ///< Of the list.
      /// The memory of lists that are written in place, and of their elements in the body.
      llvm::SmallVector<std::pair<Storage *, Storage *>> written;
    };
    llvm::SmallVector<Element> elements;
    llvm::SmallVector<std::pair<llvm::StringRef, const Form *>> aliases; ///< Each element as part of its list.
  };
  /// Reads [name low high step], or for for-each (`isElements`), and where the second item is a list or a tensor,
  /// [element list ...]. False after an error.
  bool loopRange(const Form *form, bool isElements, Range &range);
  bool elements(const Form *form, mlir::Value first, Range &range);
  bool begin(const Form *form, Range &range, mlir::Value index);
  bool end(const Form *form, Range &range, mlir::Value index);
  bool carriedValues(const Form *carried, llvm::ArrayRef<mlir::Type> wanted, mlir::Type hint,
                     llvm::SmallVectorImpl<const Form *> &names, Values &inits);
  mlir::Value truth(const Form *form, mlir::Value value, llvm::StringRef what);
  bool isPlain(const Form *form, mlir::Value value, llvm::StringRef what);
  bool carriesOn(const Form *form, Values &next, mlir::ValueRange carried, llvm::StringRef what);
};
} // namespace lispier
#endif
