//===- Structs.h - defstruct, new and field accessors -----------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_STRUCTS_H
#define LISPIER_LIB_IRGEN_STRUCTS_H

#include "Part.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
struct StructInfo {
  struct Field {
    std::string name;
    mlir::Type type;
  };
  std::string name;
  llvm::SmallVector<Field> fields;
  const Form *form = nullptr;
  mlir::Type type;      ///< !llvm.struct<(...)>, null after an error.
  bool laidOut = false; ///< Layout has begun; reaching the struct again before it ends means that it contains itself.
};

/// Generates defstruct: records in heap memory, accessed through a pointer.
class StructGenerator : public Part {
public:
  using Part::Part;
  void collectStruct(const Form *form);
  void layOutStruct(StructInfo &info);
  mlir::FailureOr<Values> emitNew(const Form *form);
  std::optional<mlir::FailureOr<Values>> structAccess(const Form *form);

  llvm::StringMap<StructInfo> known; ///< Structs of the program, by name.

private:
  mlir::Value fieldAddress(StructInfo &info, unsigned index, mlir::Value pointer, const Form *form);
  mlir::Value structSize(StructInfo &info, const Form *form);
};
} // namespace lispier
#endif
