//===- TensorSignatures.h - (tensor t c f32) in signatures ------*- C++ -*-===//
//
// A dimension of a tensor type is a number, a name, or `_`. Equal names of one
// signature are equal sizes, and name an index value in the body: a call checks
// what is known while compiling, the function's entry the rest.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_TENSORSIGNATURES_H
#define LISPIER_LIB_IRGEN_LANGUAGE_TENSORSIGNATURES_H

#include "Functions.h"
#include "Generator.h"
#include "Values/TensorSizes.h"

namespace lispier {
class TensorSignatures : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// The type of a parameter (: name type) or (: name (inout type)); null after an error.
  mlir::Type parameterType(const Form *parameter);
  /// Whether the results of a `defn` follow from its body: it has no `->`, and tensors among its parameters, or nothing
  /// but numbers. Functions of memory return nothing without `->`: what they compute is there.
  bool infersResults(const Form *parameters, const Form *results);

  /// Returns false, with an error, if sizes with one name are known to differ. `values` and `places`: the arguments of
  /// a call and their forms.
  bool checkCall(const Form *form, llvm::StringRef callee, llvm::ArrayRef<const Form *> parameters,
                 mlir::ValueRange values, llvm::ArrayRef<const Form *> places);
  /// Names the sizes at the entry of a function, and generates comparisons of those with one name. `values`: the
  /// arguments of each parameter. Returns false after an error.
  bool enter(llvm::StringRef function, llvm::ArrayRef<const Form *> parameters,
             llvm::ArrayRef<mlir::ValueRange> values);
  /// Returns a result of a function cast to `type`, after comparing its sizes with those that `declared`, its form
  /// after `->`, names.
  mlir::Value returned(mlir::func::FuncOp function, const Form *place, mlir::Value value, mlir::Type type,
                       const Form *declared);
  /// Records in TensorSizes::ofResults which sizes of a function's results are sizes of its arguments, by the names of
  /// its signature.
  void declareResults(llvm::StringRef symbol, const FunctionGenerator::DefnParts &parts);
  /// Records the same of a function without `->`, as its body says.
  void findResults(mlir::func::FuncOp function);
  /// Casts a tensor, a memref or a record to a tensor or record type, as TensorForms::fitted and Records::fitted do;
  /// returns other values as they are.
  mlir::Value fitted(const Form *form, mlir::Value value, mlir::Type type, const llvm::Twine &what);
  /// Results of a call with the sizes that are known at the call.
  Values calledResults(const Form *form, mlir::ValueRange results);

private:
  void nameSizes(const Form *parameter, mlir::Value argument);
};
} // namespace lispier
#endif
