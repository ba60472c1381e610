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
  /// Records a defstruct, without its layout.
  void collectStruct(const Form *form);
  /// Computes the layout. Fields may name other structs in any order, but a struct cannot contain itself.
  void layOutStruct(StructInfo &info);
  /// (new S)
  mlir::FailureOr<Values> emitNew(const Form *form);
  /// (S/field p), (S/field! p v), (S/size). nullopt: the head names no struct.
  std::optional<mlir::FailureOr<Values>> structAccess(const Form *form);

  llvm::StringMap<StructInfo> known; ///< Structs of the program, by name.

private:
  mlir::Value fieldAddress(StructInfo &info, unsigned index, mlir::Value pointer, const Form *form);
  mlir::Value structSize(StructInfo &info, const Form *form);
};
} // namespace lispier
#endif
