//===- Attributes.h - attributes fitted to their op -------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_ATTRIBUTES_H
#define LISPIER_LIB_IRGEN_CORE_ATTRIBUTES_H

#include "Part.h"
#include "lispier/IRGen/OdsTables.h"

namespace lispier {
/// Reads attribute values, each as the kind that the op declares.
class AttributeReader : public Part {
public:
  using Part::Part;
  /// Reads the draft's map into its attributes and result types. Returns false after an error.
  bool attributes(OpDraft &draft);
  /// Reads the value of a key that the op does not declare. Returns absent() for `false` of a unit attribute.
  mlir::Attribute dialectAttribute(llvm::StringRef key, const Form *value);
  /// Reads `[[1 2] [3 4]]` as dense elements of a shaped type; null, and nothing reported, if it does not fit.
  mlir::Attribute denseElements(const Form *form, mlir::Type type);
  /// Whether the nested vectors have the shape of `type` from dimension `level` on; reports where they do not.
  bool checkShape(const Form *form, mlir::ShapedType type, int64_t level);
  /// A sentinel that tells the caller to leave the key out.
  mlir::Attribute absent();
  /// Whether `value` fits the attribute `key` of `op`, whatever its other attributes are; else `why` is MLIR's message.
  bool accepts(mlir::RegisteredOperationName op, llvm::StringRef key, mlir::Attribute value,
               std::string *why = nullptr);
  /// Whether `op` declares the attribute or property `key`; all others are discardable.
  bool isInherent(mlir::RegisteredOperationName op, llvm::StringRef key);
  /// Parses MLIR's text of an attribute. Returns null, and reports nothing, if it is none; `why` is the parser's
  /// message.
  mlir::Attribute parseAttributeText(llvm::StringRef text, mlir::Type type = {}, std::string *why = nullptr);

private:
  /// Reads `form` without regard to the op's declaration. Returns null, and reports nothing, if `form` is not an
  /// attribute by itself.
  mlir::Attribute naturalAttribute(const Form *form);
  mlir::Attribute symbolReference(llvm::StringRef text);
  /// Reads the value of an attribute that the op declares. Returns null after an error, absent() to leave the key out.
  mlir::Attribute coerce(OpDraft &draft, llvm::StringRef key, const Form *value);
  /// Appends the attributes that `value` may mean, the most likely one first.
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
