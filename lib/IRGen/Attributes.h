//===- Attributes.h - attributes fitted to their op -------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_ATTRIBUTES_H
#define LISPIER_LIB_IRGEN_ATTRIBUTES_H

#include "Part.h"
#include "lispier/IRGen/OdsTables.h"

namespace lispier {
/// Reads attribute values, each as the kind that the op declares.
class AttributeReader : public Part {
public:
  using Part::Part;
  bool attributes(OpDraft &draft);
  /// Reads the value of a key that the op does not declare. Returns absent() for `false` of a unit attribute.
  mlir::Attribute dialectAttribute(llvm::StringRef key, const Form *value);
  mlir::Attribute denseElements(const Form *form, mlir::Type type);
  bool checkShape(const Form *form, mlir::ShapedType type, int64_t level);
  /// A sentinel that tells the caller to leave the key out.
  mlir::Attribute absent();
  bool accepts(mlir::RegisteredOperationName op, llvm::StringRef key, mlir::Attribute value,
               std::string *why = nullptr);
  bool isInherent(mlir::RegisteredOperationName op, llvm::StringRef key);
  mlir::Attribute parseAttributeText(llvm::StringRef text, mlir::Type type = {}, std::string *why = nullptr);

private:
  /// Reads `form` without regard to the op's declaration. Returns null, and reports nothing, if `form` is not an
  /// attribute by itself.
  mlir::Attribute naturalAttribute(const Form *form);
  mlir::Attribute symbolReference(llvm::StringRef text);
  mlir::Attribute coerce(OpDraft &draft, llvm::StringRef key, const Form *value);
  void candidates(mlir::RegisteredOperationName op, llvm::StringRef key, const Form *value,
                  llvm::SmallVectorImpl<mlir::Attribute> &out);
  mlir::Attribute linkageOf(const Form *number);
  mlir::Attribute spelledAttribute(llvm::StringRef mnemonic, llvm::StringRef word);
  mlir::Attribute readAs(const ods::AttributeKindRow &kind, const Form *value);
  mlir::Attribute readNumberAs(const ods::AttributeKindRow &kind, const Form *value);
  mlir::Attribute readWordAs(const ods::AttributeKindRow &kind, llvm::StringRef word);
  mlir::Attribute readArrayAs(const ods::AttributeKindRow &kind, const Form *value);
  void arrayCandidates(mlir::RegisteredOperationName op, llvm::StringRef key, const Form *value,
                       llvm::SmallVectorImpl<mlir::Attribute> &out);
};
} // namespace lispier
#endif
