//===- KeywordOperands.h - (sum x :axis 0 :keep true) -----------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_KEYWORDOPERANDS_H
#define LISPIER_LIB_IRGEN_CORE_KEYWORDOPERANDS_H

#include "lispier/Syntax/Form.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace lispier {
class Messages;

/// The operands of a form that takes keywords after them.
struct KeywordOperands {
  llvm::SmallVector<const Form *, 4> operands;
  llvm::SmallVector<std::pair<llvm::StringRef, const Form *>, 2> keywords;

  /// The value of a keyword, or null.
  const Form *get(llvm::StringRef key) const;
};

/// Splits the operands of `form`. Reports a keyword that is not among `known`, one that is repeated or has no value,
/// and a number of operands outside of [least, most]; returns nullopt then.
std::optional<KeywordOperands> splitKeywords(Messages &messages, const Form *form,
                                             llvm::ArrayRef<llvm::StringRef> known, size_t least, size_t most);
} // namespace lispier
#endif
