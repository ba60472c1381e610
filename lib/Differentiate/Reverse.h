//===- Reverse.h - the walk from results to cotangents ----------*- C++ -*-===//
//
// The cotangents of the values of one region while its ops are visited from the last
// to the first, each once. What ops add to a value's cotangent is kept as a list,
// until the op that made the value is visited.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_DIFFERENTIATE_REVERSE_H
#define LISPIER_LIB_DIFFERENTIATE_REVERSE_H

#include "ActiveValues.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace lispier {
/// The cotangent of a slice of a tensor, as tensor.extract_slice has it.
struct Piece {
  mlir::Value value;
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;
};

/// A value of the forward pass that the adjoint reads: a tensor, or the stack of a loop's values.
struct KeptValue {
  mlir::Location place;
  mlir::RankedTensorType type;
  bool isStack;
};

class Reverse {
public:
  /// `b` inserts behind the ops that will be visited, where their values are visible.
  Reverse(mlir::OpBuilder &b, ActiveValues &active) : b(b), active(active) {}
  Reverse(const Reverse &) = delete;

  /// Visits ops of one block, given in the order in which they stand there. Fails with an error if an op that the
  /// gradient depends on has no rule.
  mlir::LogicalResult visit(llvm::ArrayRef<mlir::Operation *> ops);

  bool isActive(mlir::Value value) const { return active.contains(value); }
  /// Adds to a value's cotangent; of a value that is not active nothing. A null cotangent is 0.
  void add(mlir::Value value, mlir::Value cotangent);
  void addPiece(mlir::Value tensor, Piece piece);
  /// Whether the cotangent may be other than 0.
  bool has(mlir::Value value) const { return parts.contains(value); }
  /// The cotangent, of the value's type; null if it is 0. The value has none afterwards.
  mlir::Value take(mlir::Value value);
  /// Reports that the op has no gradient, and how the value depends on it.
  mlir::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &message, llvm::StringRef hint);

  /// Takes the cotangent of what is outside of the region, as `before`, the one that was there, with this one added.
  /// `isOnce(piece)`: nothing else is added to the part of `before`, which is 0 there.
  mlir::Value addTo(mlir::Value before, mlir::Value value, llvm::function_ref<bool(const Piece &)> isOnce);

  /// Zeros of the value's type and sizes.
  mlir::Value zerosLike(mlir::Location loc, mlir::Value value);
  /// The sum of values of one type; of 16-bit floats in f32, rounded once.
  mlir::Value sum(mlir::Location loc, llvm::ArrayRef<mlir::Value> values);
  /// A float, or a tensor with its elements, in another float type.
  mlir::Value withElements(mlir::Location loc, mlir::Value value, mlir::Type element);
  /// The value with elements of the type that was rounded to make this one; null if there is none.
  mlir::Value beforeRounding(mlir::Value value, mlir::Type element);
  /// The value as one of the type, which differs by the sizes that it knows.
  mlir::Value asType(mlir::Location loc, mlir::Value value, mlir::Type type);

  mlir::OpBuilder &b;
  ActiveValues &active;
  mlir::Operation *lastForward = nullptr; ///< Of the function that is differentiated, in its block.
  unsigned visited = 0;                   ///< Ops with a cotangent, in nested regions too.
  /// Results of a loop that also keeps what its adjoint needs, by the results of the loop that it replaces, and those
  /// loops, which have no body any more.
  llvm::DenseMap<mlir::Value, mlir::Value> replacedResult;
  llvm::SmallVector<mlir::Operation *> replaced;
  llvm::SmallVector<KeptValue> kept;  ///< By loops...
  llvm::DenseSet<mlir::Value> stacks; ///< ...as these results.

private:
  struct Parts {
    llvm::SmallVector<mlir::Value, 2> whole;
    llvm::SmallVector<Piece, 0> pieces;
  };
  mlir::Value place(mlir::Location loc, mlir::Value all, const Piece &piece, bool isZero);
  mlir::Value join(mlir::Location loc, mlir::Value tensor, mlir::Value base, llvm::MutableArrayRef<Piece> pieces);

  llvm::DenseMap<mlir::Value, Parts> parts;
  llvm::DenseMap<mlir::Value, mlir::Value> wideOf; ///< Of what withElements has rounded.
  llvm::DenseSet<mlir::Value> seen; ///< Values whose cotangent was taken: how messages find the way to the loss.
};
} // namespace lispier
#endif
