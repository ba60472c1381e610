//===- StructTypes.h - the types that defstruct defines ---------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_STRUCTTYPES_H
#define LISPIER_LIB_IRGEN_CORE_STRUCTTYPES_H

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

/// Reads the fields of structs, which programs access through pointers.
class StructTypes : public Part {
public:
  using Part::Part;
  /// Records a defstruct, without its layout.
  void collect(const Form *form);
  /// Computes the layout. Fields may name other structs in any order, but a struct cannot contain itself.
  void layOut(StructInfo &info);

  llvm::StringMap<StructInfo> known; ///< Structs of the program, by name.
};
} // namespace lispier
#endif
