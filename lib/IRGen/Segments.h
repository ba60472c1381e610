//===- Segments.h - groups of operands --------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_SEGMENTS_H
#define LISPIER_LIB_IRGEN_SEGMENTS_H

#include "Part.h"
#include "lispier/IRGen/OdsTables.h"

namespace lispier {
/// Determines operandSegmentSizes: how many operands belong to each group of an op.
class OperandGrouper : public Part {
public:
  using Part::Part;
  bool segments(OpDraft &draft, mlir::RegisteredOperationName op);
  unsigned parallelBounds(const OpDraft &draft);
  void segmentsDoNotFit(OpDraft &draft, const Form *given, size_t groups);
  std::optional<llvm::SmallVector<int32_t>> groupSizes(const OpDraft &draft, llvm::ArrayRef<mlir::Value> values);
  void resultSegments(OpDraft &draft, mlir::RegisteredOperationName op);
  /// The groups of an op's operands by name, in order; empty when its definition is not known.
  static std::string segmentNames(llvm::StringRef op, llvm::StringRef separator = ", ");

private:
  std::optional<llvm::SmallVector<int32_t>> sugarGroups(const OpDraft &draft, llvm::ArrayRef<mlir::Value> values);
  std::optional<llvm::SmallVector<int32_t>> definedGroups(const OpDraft &draft, ods::Op op, size_t total);
  bool hasUnsizedGroups(const OpDraft &draft, ods::Op op);
  void sizeNestedGroups(OpDraft &draft, ods::Op op);
  bool accepts(const OpDraft &draft, mlir::RegisteredOperationName op, llvm::ArrayRef<int32_t> sizes);
  bool searchSegments(OpDraft &draft, mlir::RegisteredOperationName op, ods::Op row);
};
} // namespace lispier
#endif
