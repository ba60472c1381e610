//===- OpDraft.h - an op under construction --------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_OPDRAFT_H
#define LISPIER_LIB_IRGEN_CORE_OPDRAFT_H

#include "Part.h"

namespace lispier {
/// The parts of an op whose Operation has not been created yet. IRGen fills them in step by step: first the forms, as
/// the program gives them, then values, attributes and types.
struct OpDraft {
  const Form *form = nullptr; ///< The whole `(dialect.op ...)`.
  std::string name;
  std::optional<mlir::RegisteredOperationName> op; ///< Always set, except before the name has been looked up.
  const Form *map = nullptr;                       ///< The attribute map; null if there is none.
  llvm::SmallVector<const Form *> operandForms;    ///< As written: vectors are not flattened yet.
  llvm::SmallVector<const Form *> regionForms;
  struct Successor {
    const Form *label;
    llvm::SmallVector<const Form *> operandForms;
  };
  llvm::SmallVector<Successor> successors;

  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<const Form *> places; ///< The form of each operand, for those that were written.
  /// Operand count of each item of operandForms, then of each successor. Determines the segment sizes.
  llvm::SmallVector<int32_t> groups;
  bool hasVectorGroups = false; ///< Whether the program writes a vector of operands, hence groups, itself.
  /// Inherent and discardable attributes; a later value of a key replaces an earlier one.
  mlir::NamedAttrList attributes;
  std::optional<llvm::SmallVector<mlir::Type>> resultTypes;
  mlir::Type hint;           ///< Type that the context expects of the first result, if known.
  bool resultsGiven = false; ///< Whether the program gives the result types, as `:result`.

  template <typename Op> bool is() const { return op && op->getTypeID() == mlir::TypeID::get<Op>(); }
  template <typename Dialect> bool isOf() const {
    return op && op->getDialect().getTypeID() == mlir::TypeID::get<Dialect>();
  }
};
} // namespace lispier
#endif
