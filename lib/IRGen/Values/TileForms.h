//===- TileForms.h - the forms on tiles -------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_VALUES_TILEFORMS_H
#define LISPIER_LIB_IRGEN_VALUES_TILEFORMS_H

#include "ValueKind.h"
#include "lispier/Tile/Tile.h"

namespace lispier {
/// A tile has at most so many elements.
inline constexpr int64_t kMostTileElements = 1 << 20;

/// Generates the forms on tiles. A tile is a vector of static shape and rank 1 or more.
class TileForms : public ValueKind {
public:
  using ValueKind::ValueKind;
  // ValueKind: TileShapes.cpp, TileSums.cpp, TileMemory.cpp.
  mlir::Value elementwise(const Form *form, Places places, llvm::ArrayRef<mlir::Value> values, Width width,
                          Body body) override;
  mlir::FailureOr<Values> reduce(const Form *form, const Form *place, mlir::vector::CombiningKind kind, bool isMean,
                                 mlir::Value value, llvm::ArrayRef<int64_t> axes, bool keep) override;
  mlir::FailureOr<Values> scan(const Form *form, mlir::vector::CombiningKind kind, mlir::Value tile, int64_t axis,
                               ScanOrder order) override;
  mlir::FailureOr<Values> argExtreme(const Form *form, mlir::vector::CombiningKind kind, mlir::Value value,
                                     std::optional<int64_t> axis, const Form *keep) override;
  mlir::FailureOr<Values> full(const Form *form, SpecialForm kind) override;
  mlir::FailureOr<Values> iota(const Form *form) override;
  mlir::FailureOr<Values> reshape(const Form *form, mlir::Value value) override;
  mlir::FailureOr<Values> broadcast(const Form *form, mlir::Value value) override;
  mlir::FailureOr<Values> transpose(const Form *form, mlir::Value value, llvm::ArrayRef<int64_t> axes) override;
  mlir::FailureOr<Values> load(const Form *form, const KeywordOperands &call, mlir::Value memory) override;
  mlir::FailureOr<Values> store(const Form *form, const KeywordOperands &call, mlir::Value memref) override;
  mlir::FailureOr<Values> gather(const Form *form, mlir::Value table) override;

  mlir::FailureOr<Values> emitDot(const Form *form);
  mlir::FailureOr<Values> emitScatter(const Form *form, SpecialForm kind);
  /// Reads the operand of `:precision`, to which a product may round or split its factors of f32; F32, the exact one,
  /// if `given` is null. Returns nullopt after an error: an unknown precision, or one for factors of f64 or integers.
  std::optional<tile::Precision> precision(const Form *given, mlir::Type element);

private:
  mlir::FailureOr<Values> atomicAdd(const Form *form, const KeywordOperands &call, mlir::Value value, mlir::Value base,
                                    mlir::ValueRange at);
  std::optional<llvm::SmallVector<int64_t>> sizes(const Form *form, const Form *vector);
  mlir::Type elementType(const Form *form);
  mlir::Value tile(const Form *form, const Form *place);
  /// The tile whose element at position p is p[axis].
  mlir::Value numbersAlong(const Form *form, mlir::Type element, llvm::ArrayRef<int64_t> shape, int64_t axis);
  mlir::Value combined(const Form *form, mlir::vector::CombiningKind kind, mlir::Value tile,
                       llvm::ArrayRef<int64_t> axes, bool keep);

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
