//===- Types.h - reading types and signatures -------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_TYPES_H
#define LISPIER_LIB_IRGEN_CORE_TYPES_H

#include "Part.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Reads types: MLIR's textual types, function types, and names of structs.
class TypeReader : public Part {
public:
  using Part::Part;
  /// A word, a string, (tensor d ... T) or (-> [type ...] [type ...]).
  mlir::Type parseType(const Form *form);
  /// Parses `text` as a type; returns null, and reports nothing, if it is not one.
  mlir::Type readType(llvm::StringRef text);
  /// A type, or a vector of types.
  mlir::FailureOr<llvm::SmallVector<mlir::Type>> parseTypes(const Form *form);
  /// The type that (tensor d ... T) means; null after an error.
  mlir::Type readTensorType(const Form *form);
  /// The dimensions of the tensor type of a parameter (: name (tensor d ... T)); empty for other parameters and types.
  static llvm::ArrayRef<const Form *> dimensions(const Form *parameter);
  static llvm::ArrayRef<const Form *> dimensionsOfType(const Form *type);
  static bool isSizeName(const Form *dimension) { return dimension->isSymbol() && !dimension->isSymbol("_"); }
  /// (: name (inout type)), or (: name inout) of any type; and the type without `inout`.
  static bool isInout(const Form *parameter);
  static const Form *withoutInout(const Form *type);
  struct Signature {
    llvm::SmallVector<mlir::Type> inputs, results;
    bool isVariadic = false; ///< `...` ends the inputs.
  };
  /// (-> [type ...] [type ...])
  mlir::FailureOr<Signature> parseSignature(const Form *arrow);
  /// The LLVM dialect's type of a C function.
  mlir::Type llvmFunctionType(const Signature &signature, const Form *form);

private:
  mlir::Type parseTypeText(llvm::StringRef text, const Form *form, unsigned columnOffset);

  llvm::StringMap<mlir::Type> cache;
};
} // namespace lispier
#endif
