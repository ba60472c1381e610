//===- TileExpressions.h - tiles made, reshaped, read, written --*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_TILEEXPRESSIONS_H
#define LISPIER_LIB_IRGEN_VALUES_TILEEXPRESSIONS_H

#include "ValueParts.h"
#include "lispier/Tile/Tile.h"

namespace lispier {
struct KeywordOperands;

/// A tile has at most so many elements.
inline constexpr int64_t kMostTileElements = 1 << 20;

/// Generates the forms on tiles other than arithmetic. A tile is a vector of static shape and rank 1 or more.
class TileExpressions : public ValuePart {
public:
  using ValuePart::ValuePart;
  // TileShapes.cpp
  mlir::FailureOr<Values> emitFull(const Form *form, SpecialForm kind);
  mlir::FailureOr<Values> emitIota(const Form *form);
  mlir::FailureOr<Values> emitReshape(const Form *form);
  mlir::FailureOr<Values> emitBroadcast(const Form *form);
  mlir::FailureOr<Values> emitTranspose(const Form *form);
  /// The tile whose element at position p is p[axis].
  mlir::Value numbersAlong(const Form *form, mlir::Type element, llvm::ArrayRef<int64_t> shape, int64_t axis);
  // TileProducts.cpp
  mlir::FailureOr<Values> emitDot(const Form *form);
  // TileMemory.cpp
  mlir::FailureOr<Values> emitLoad(const Form *form);
  mlir::FailureOr<Values> emitStore(const Form *form);
  mlir::FailureOr<Values> emitGather(const Form *form);
  mlir::FailureOr<Values> emitScatter(const Form *form, SpecialForm kind);

  /// Reads the operand of `:precision`, to which a product may round or split its factors of f32; F32, the exact one,
  /// if `given` is null. Returns nullopt after an error: an unknown precision, or one for factors of f64 or integers.
  std::optional<tile::Precision> precision(const Form *given, mlir::Type element);

private:
  std::optional<llvm::SmallVector<int64_t>> sizes(const Form *form, const Form *vector);
  mlir::Type elementType(const Form *form);
  mlir::Value tile(const Form *form, const Form *place, bool takesTensors = false);

  /// `base`: the value of `place`, if it has been generated.
  mlir::Value memref(const Form *form, const Form *place, mlir::Value base = {});
  bool hasRank(const Form *form, const Form *indices, mlir::Value base, const Form *place);
  mlir::Value scalarIndex(const Form *form, const Form *place);
  std::optional<Values> scalarIndices(const Form *form, const Form *indices, mlir::Value base, const Form *place);
  std::optional<Values> indexTiles(const Form *form, const Form *indices, mlir::Value base, const Form *place,
                                   llvm::ArrayRef<int64_t> shape);
  std::optional<mlir::Value> mask(const Form *form, const Form *place, llvm::ArrayRef<int64_t> shape);
  mlir::Value otherwise(const Form *form, const Form *place, mlir::Type element);
  mlir::Value storedValue(const Form *form, const Form *place, mlir::Value base, const Form *basePlace);

  struct Factor {
    const Form *place;
    mlir::Value value;
    bool transposed;
  };
  std::optional<Factor> factor(const Form *form, const Form *place, const Form *transposed);
  bool checkFactors(const Form *form, const Factor &a, const Factor &b);
  mlir::Type widenMixed(const Form *form, Factor &a, Factor &b);
  std::pair<mlir::ArrayAttr, mlir::ArrayAttr> productMaps(unsigned batch, const Factor &a, const Factor &b);
  mlir::Value accumulator(const Form *form, const Form *given, llvm::ArrayRef<int64_t> shape, mlir::Type element);
};
} // namespace lispier
#endif
