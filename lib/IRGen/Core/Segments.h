//===- Segments.h - groups of operands --------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_SEGMENTS_H
#define LISPIER_LIB_IRGEN_CORE_SEGMENTS_H

#include "Part.h"
#include "lispier/IRGen/OdsTables.h"

namespace lispier {
/// Determines operandSegmentSizes and resultSegmentSizes: how many operands or results belong to each group of an op.
class OperandGrouper : public Part {
public:
  using Part::Part;
  /// Sets the attribute operandSegmentSizes of an op that has it, or checks the one that the program gives. Returns
  /// false, with an error, if the operands cannot be divided.
  bool segments(OpDraft &draft, mlir::RegisteredOperationName op);
  /// How many operands of an scf.parallel are bounds and steps: given by vectors, or by its block's arguments.
  unsigned parallelBounds(const OpDraft &draft);
  /// Reports segment sizes, `given` for `groups` groups, whose number does not fit the op.
  void segmentsDoNotFit(OpDraft &draft, const Form *given, size_t groups);
  /// The number of operands of each group, as far as the form and the op's definition determine it; nullopt, without an
  /// error, if they do not. `values` has one entry per operand, null if it has not been generated yet.
  std::optional<llvm::SmallVector<int32_t>> groupSizes(const OpDraft &draft, llvm::ArrayRef<mlir::Value> values);
  /// Sets the attribute resultSegmentSizes of an op that has it, from its result types.
  void resultSegments(OpDraft &draft, mlir::RegisteredOperationName op);
  /// The names of an op's operand groups, in order; empty if the ODS tables have no row for it.
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
