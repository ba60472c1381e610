//===- Types.h - type texts and signatures ----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_TYPES_H
#define LISPIER_LIB_IRGEN_TYPES_H

#include "Part.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Type texts, function types, names of structs.
class TypeReader : public Part {
public:
  using Part::Part;
  mlir::Type parseType(const Form *form);
  /// The type that `text` spells; null, without a message, when it is none.
  mlir::Type readType(llvm::StringRef text);
  mlir::FailureOr<llvm::SmallVector<mlir::Type>> parseTypes(const Form *form);
  struct Signature {
    llvm::SmallVector<mlir::Type> inputs, results;
    bool isVariadic = false;
  };
  mlir::FailureOr<Signature> parseSignature(const Form *arrow);
  mlir::Type llvmFunctionType(const Signature &signature, const Form *form);

private:
  mlir::Type parseTypeText(llvm::StringRef text, const Form *form, unsigned columnOffset);

  llvm::StringMap<mlir::Type> cache;
};
} // namespace lispier
#endif
