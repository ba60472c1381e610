//===- Reductions.h - sums, maxima and scans of tiles -----------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_REDUCTIONS_H
#define LISPIER_LIB_IRGEN_VALUES_REDUCTIONS_H

#include "ValueParts.h"

namespace mlir::vector {
enum class CombiningKind : uint32_t;
}

namespace lispier {
struct KeywordOperands;

/// Generates what combines the elements of a tile along axes.
class Reductions : public ValuePart {
public:
  using ValuePart::ValuePart;
  /// (sum tile :axis n :keep true); also mean, min, max, any, all.
  mlir::FailureOr<Values> emitReduction(const Form *form, SpecialForm kind);
  mlir::FailureOr<Values> emitCumsum(const Form *form);
  /// argmax and argmin.
  mlir::FailureOr<Values> emitArgExtreme(const Form *form, SpecialForm kind);
  /// An axis of a tile of `shape`, counted from the end if negative. Reports one that is outside or not constant.
  std::optional<int64_t> axis(const Form *form, llvm::ArrayRef<int64_t> shape, llvm::StringRef what = "tile");
  /// The number, or the vector whose elements all are the number, that changes nothing.
  mlir::Value neutral(const Form *form, mlir::vector::CombiningKind kind, mlir::Type type);

private:
  mlir::Value tileOperand(const Form *form, const Form *place);
  std::optional<llvm::SmallVector<int64_t>> axes(const Form *form, const KeywordOperands &call, mlir::Value value);
  std::optional<bool> keeps(const KeywordOperands &call);
  /// Reduces along `axes`; the result is a scalar if no dimension is left.
  mlir::Value reduce(const Form *form, mlir::vector::CombiningKind kind, mlir::Value tile, llvm::ArrayRef<int64_t> axes,
                     bool keep);
};
} // namespace lispier
#endif
