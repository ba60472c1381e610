//===- Placement.h - what a value is on the ranks of an axis ----*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_PLACEMENTS_PLACEMENT_H
#define LISPIER_LIB_TENSOR_PLACEMENTS_PLACEMENT_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include <string>

namespace lispier {
/// What a value is on the ranks along one axis of the mesh.
struct Placement {
  enum Kind {
    Zero,    ///< Zeros, or elements that are not defined: fits all others.
    Uniform, ///< One number everywhere, the same on all ranks: a constant, `full`. Fits all others but a partial sum.
    Same,    ///< Equal on all ranks.
    Split,   ///< Rank r has part r along `dimension`.
    Partial, ///< The value is the sum over the ranks.
    Own      ///< Differs, without such a meaning.
  };
  Kind kind = Zero;
  int64_t dimension = 0;
  /// Of Same: a bit for each dimension along which all elements are equal, as in a broadcast number; that fits parts of
  /// the dimension, too.
  uint64_t equalAlong = 0;
  /// Of Split: the parts are, or are made of, those of several tensors one behind the other, as the rows of queries,
  /// keys and values. They may be taken apart and joined along the dimension, but the parts of all ranks do not follow
  /// each other.
  bool joins = false;
  /// Where a part or a partial sum comes from, for messages.
  mlir::Location origin = mlir::UnknownLoc();

  Placement(Kind kind, mlir::Location origin, int64_t dimension = 0)
      : kind(kind), dimension(dimension), origin(origin) {}
  Placement withEqual(uint64_t dimensions) const {
    Placement result = *this;
    result.equalAlong = kind == Same ? dimensions : 0;
    return result;
  }
  Placement joining(bool is) const {
    Placement result = *this;
    result.joins = kind == Split && is;
    return result;
  }
  bool isEqualAlong(int64_t d) const { return kind <= Uniform || (kind == Same && d < 64 && equalAlong >> d & 1); }
  bool isSame() const { return kind <= Same; }
  bool isSplit() const { return kind == Split; }
  bool isSplitAs(const Placement &other) const { return isSplit() && other.isSplit() && dimension == other.dimension; }
  bool isPartial() const { return kind == Partial; }
  bool operator==(const Placement &other) const {
    return kind == other.kind && (kind != Split || (dimension == other.dimension && joins == other.joins)) &&
           (kind != Same || equalAlong == other.equalAlong);
  }
  /// "same", "split 0", "partial", "own".
  std::string text() const;
};

/// What holds of a value that may be either.
Placement joined(const Placement &a, const Placement &b);
} // namespace lispier
#endif
