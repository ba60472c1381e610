//===- Structs.h - defstruct, new and field accessors -----------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_STRUCTS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_STRUCTS_H

#include "Core/StructTypes.h"
#include "Generator.h"

namespace lispier {
/// Generates structs in heap memory, accessed through a pointer.
class StructGenerator : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// (new S)
  mlir::FailureOr<Values> emitNew(const Form *form);
  /// (S/field p), (S/field! p v), (S/size). nullopt: the head names no struct.
  std::optional<mlir::FailureOr<Values>> structAccess(const Form *form);

private:
  mlir::Value fieldAddress(StructInfo &info, unsigned index, mlir::Value pointer, const Form *form);
  mlir::Value structSize(StructInfo &info, const Form *form);
};
} // namespace lispier
#endif
