//===- ConstantIntegers.h - integers known while compiling ------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_CONSTANTINTEGERS_H
#define LISPIER_LIB_IRGEN_CORE_CONSTANTINTEGERS_H

#include "Part.h"

namespace lispier {
/// Evaluates expressions that must be known while compiling: sizes of tiles, axes, constants of tile programs.
class ConstantIntegers : public Part {
public:
  using Part::Part;
  /// The value of an integer expression, such as (* 2 bk) with a constant bk. nullopt if only the run knows it, without
  /// a message, or after an error, with `failed` set. Ops that only computed it are erased.
  std::optional<int64_t> evaluate(const Form *form, bool &failed);
  /// The integer that `value` always has, found by folding the ops that compute it.
  static std::optional<int64_t> known(mlir::Value value);
};
} // namespace lispier
#endif
