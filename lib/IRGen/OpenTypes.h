//===- OpenTypes.h - numbers whose type comes later -------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_OPENTYPES_H
#define LISPIER_LIB_IRGEN_OPENTYPES_H

#include "Part.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace lispier {
/// The type of a bare number that a loop starts from, before the loop's body has said what it is.
struct OpenType {
  llvm::SmallVector<mlir::Value, 4> values; ///< All that have it.
  mlir::Type otherwise;                     ///< When nobody says.
  bool isFraction = false;
};

class OpenTypeTable;
/// While it lives, types may be open; what was opened meanwhile is settled at its end.
class OpenTypes {
public:
  explicit OpenTypes(OpenTypeTable &table);
  OpenTypes(const OpenTypes &) = delete;
  ~OpenTypes();

private:
  OpenTypeTable &table;
  size_t first;
};

/// The values whose type is open, and the numbers that some of them stand for.
class OpenTypeTable : public Part {
  friend class OpenTypes;

public:
  using Part::Part;
  bool isOpen(mlir::Value value) const;
  mlir::Value openValue(const Form *number, mlir::Type hint);
  mlir::Type evidentType(const Form *form);
  void unify(mlir::Value a, mlir::Value b);
  void settle(mlir::Value value, mlir::Type type = {});
  bool settleStarts(mlir::Operation *loop);
  void forgetOpen(mlir::Operation *op);

  llvm::SmallVector<mlir::Value> values; ///< Its keys, in the order that they came.

private:
  bool fits(const OpenType &open, mlir::Type type) const;

  llvm::DenseMap<mlir::Value, std::shared_ptr<OpenType>> types;
  llvm::DenseMap<mlir::Value, const Form *> numbers;
};
} // namespace lispier
#endif
