//===- TensorSignatures.h - (tensor t c f32) in signatures ------*- C++ -*-===//
//
// A dimension of a tensor type is a number, a name, or `_`. Equal names of one
// signature are equal sizes, and name an index value in the body: a call checks
// what is known while compiling, the function's entry the rest.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_TENSORSIGNATURES_H
#define LISPIER_LIB_IRGEN_TENSORSIGNATURES_H

#include "Functions.h"
#include "TensorSizes.h"

namespace lispier {
class TensorSignatures : public Part {
public:
  using Part::Part;
  /// The type that (tensor d ... T) means; null after an error.
  mlir::Type readType(const Form *form);
  /// The dimensions of the tensor type of a parameter (: name (tensor d ... T)); empty for other parameters and types.
  static llvm::ArrayRef<const Form *> dimensions(const Form *parameter);
  static llvm::ArrayRef<const Form *> dimensionsOfType(const Form *type);
  /// The type of a parameter (: name type) or (: name (inout type)); null after an error.
  mlir::Type parameterType(const Form *parameter);
  static bool isSizeName(const Form *dimension) { return dimension->isSymbol() && !dimension->isSymbol("_"); }
  /// The signature of a `defn` whose results follow from its body: tensors among its parameters, and no `->`.
  bool infersResults(const Form *parameters, const Form *results);

  /// Checks that sizes with one name are not known to differ. `values` and `places`: the arguments of a call.
  bool checkCall(const Form *form, llvm::StringRef callee, llvm::ArrayRef<const Form *> parameters,
                 mlir::ValueRange values, llvm::ArrayRef<const Form *> places);
  /// Names the sizes at the entry of a function, and compares those with one name.
  bool enter(mlir::func::FuncOp function, llvm::ArrayRef<const Form *> parameters,
             llvm::ArrayRef<mlir::ValueRange> values);
  /// The result of a function as its type and the names in `declared`, what follows `->`, say.
  mlir::Value returned(mlir::func::FuncOp function, const Form *place, mlir::Value value, mlir::Type type,
                       const Form *declared);
  /// The sizes of results that are sizes of arguments, by the names of the signature.
  void declareResults(llvm::StringRef symbol, const FunctionGenerator::DefnParts &parts);
  /// The same, as the body says.
  void findResults(mlir::func::FuncOp function);
  /// A tensor or a memref as a tensor of another type, with a comparison of what only the run knows; the value itself
  /// if that cannot be.
  mlir::Value fitted(const Form *form, mlir::Value value, mlir::Type type, const llvm::Twine &what);
  /// Results of a call with the sizes that are known at the call.
  Values calledResults(const Form *form, mlir::ValueRange results);
};
} // namespace lispier
#endif
