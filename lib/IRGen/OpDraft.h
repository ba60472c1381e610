//===- OpDraft.h - an op under construction --------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_OPDRAFT_H
#define LISPIER_LIB_IRGEN_OPDRAFT_H

#include "Part.h"

namespace lispier {
/// An op under construction.
struct OpDraft {
  const Form *form = nullptr; ///< The whole `(dialect.op ...)`.
  std::string name;
  const Form *map = nullptr;
  llvm::SmallVector<const Form *> operandForms; ///< Vectors not yet flattened.
  llvm::SmallVector<const Form *> regionForms;
  struct Successor {
    const Form *label;
    llvm::SmallVector<const Form *> operandForms;
  };
  llvm::SmallVector<Successor> successors;

  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<const Form *> places; ///< The form of each operand, as far as the form gave them.
  /// Operand count of each item of operandForms, then of each successor: what delimits segments.
  llvm::SmallVector<int32_t> groups;
  bool hasVectorGroups = false;
  /// Inherent and discardable attributes; later words win.
  mlir::NamedAttrList attributes;
  std::optional<llvm::SmallVector<mlir::Type>> resultTypes;
  mlir::Type hint; ///< Wanted of the first result, if known.
  bool resultsGiven = false;
};
} // namespace lispier
#endif
