//===- OpenTypes.h - numbers whose type comes later -------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_OPENTYPES_H
#define LISPIER_LIB_IRGEN_CORE_OPENTYPES_H

#include "Part.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace lispier {
/// A type variable: the type of a bare number that initializes a loop, until the body determines it.
struct OpenType {
  llvm::SmallVector<mlir::Value, 4> values; ///< All values of this type.
  mlir::Type otherwise;                     ///< The type if no use determines it.
  bool isFraction = false;
};

class OpenTypeTable;
/// RAII scope within which types may be open. Its destructor settles those that were opened within it.
class OpenTypes {
public:
  explicit OpenTypes(OpenTypeTable &table);
  OpenTypes(const OpenTypes &) = delete;
  ~OpenTypes();

private:
  OpenTypeTable &table;
  size_t first;
};

/// Maps values to their open types, and placeholder values to the number literals that they represent.
class OpenTypeTable : public Part {
  friend class OpenTypes;

public:
  using Part::Part;
  bool isOpen(mlir::Value value) const;
  /// Creates a placeholder of open type for a bare number, or for `literal`, a value that is made of such
  /// (LiteralValues.h). `hint`: its type if no use settles it.
  mlir::Value openValue(const Form *number, mlir::Value literal, mlir::Type hint);
  /// The type of an expression if it is evident without generating it; null, without an error, for most expressions.
  mlir::Type evidentType(const Form *form);
  /// Requires the two values to have one type; either may be open.
  void unify(mlir::Value a, mlir::Value b);
  /// Settles an open type as `type` if the numbers fit it, else as its default.
  void settle(mlir::Value value, mlir::Type type = {});
  /// Replaces the placeholders that initialize `loop` by constants; call it after the body, when their types are known.
  /// Returns false, with an error, if a number does not fit its type.
  bool settleStarts(mlir::Operation *loop);
  /// Drops the values of `op` and its regions from the table; call it before erasing the op.
  void forgetOpen(mlir::Operation *op);

  llvm::SmallVector<mlir::Value> values; ///< The keys of `types`, in order of insertion.

private:
  llvm::DenseMap<mlir::Value, std::shared_ptr<OpenType>> types;
  /// What a placeholder is for.
  struct Number {
    const Form *form = nullptr;
    mlir::Value literal;
  };
  llvm::DenseMap<mlir::Value, Number> numbers;
};
} // namespace lispier
#endif
