//===- Functions.h - definitions and calls ----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_FUNCTIONS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_FUNCTIONS_H

#include "Core/FunctionTable.h"
#include "Generator.h"

namespace lispier {
/// Generates function definitions, declarations and calls.
class FunctionGenerator : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  // The first walk over the program: signatures.
  /// The signature of a top-level form that defines or declares a function; nullopt for other forms and after an error.
  std::optional<FunctionInfo> functionOfForm(const Form *form);

  /// FormEvaluator::emitCall and completeReturn.
  std::optional<mlir::FailureOr<Values>> emitCallOp(OpDraft &draft, mlir::Type hint);
  bool completeReturn(OpDraft &draft);
  mlir::FailureOr<Values> emitCall(const Form *form, FunctionInfo &callee, llvm::ArrayRef<const Form *> arguments);

  bool evaluates = false; ///< Program::evaluates
  // The second walk: each generates the function of a top-level form.
  void defineDefn(const Form *form);
  /// A top-level func.func or llvm.func: merged with its other declarations, private without a body.
  void defineFunc(const Form *form);
  void defineExternFn(const Form *form);
  /// A deftemplate.
  void defineTemplate(const Form *form);
  struct DefnShape {
    const Form *name = nullptr, *parameters = nullptr;
    const Form *results = nullptr; ///< What follows `->`, or null.
    llvm::ArrayRef<const Form *> body;
  };
  struct DefnParts : DefnShape {
    llvm::SmallVector<mlir::Type> inputs, resultTypes; ///< Of parameters and results, which may be records.
    mlir::FunctionType type;                           ///< As in FunctionInfo.
  };
  /// Splits a `defn` or `deftile` into its forms; parameters and results may lack types. Nothing after an error.
  std::optional<DefnShape> shapeOfDefn(const Form *form);
  /// False, after an error, if there is no body.
  bool hasBody(const Form *form, const DefnShape &shape);
  /// shapeOfDefn with all types parsed: those of parameters are required. Nothing after an error.
  std::optional<DefnParts> partsOfDefn(const Form *form);

  /// The body of a defn: a list of statements; without func.return it returns the last value. `parameters` are names or
  /// (: name type), `types` theirs, `results` what follows `->` or null; `constants` are names and types of arguments
  /// appended after the parameters. `infersResults`: what is returned completes the function's type. False after an
  /// error.
  bool functionBody(mlir::func::FuncOp function, llvm::ArrayRef<const Form *> parameters,
                    llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<const Form *> body, const Form *form,
                    const Form *results, bool infersResults = false,
                    llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Type>> constants = {});
  /// The types of what the last function with inferred results returned, which may be records.
  llvm::SmallVector<mlir::Type> inferredResults;

private:
  /// Reports that there is no function `name`.
  void unknownFunction(const Form *form, llvm::StringRef name);
  /// Called with what func.return returns: completes the type of a function whose results are inferred.
  void inferResults(mlir::ValueRange returned);
  bool showLast(Values &last, const Form *place);
  bool returnLast(mlir::func::FuncOp function, Values &last, const Form *place, const Form *results);
  const Form *definitionOf(llvm::StringRef name);

  mlir::func::FuncOp inferring; ///< The function under construction, if its results are inferred.
};
} // namespace lispier
#endif
