//===- Functions.h - definitions and calls ----------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_FUNCTIONS_H
#define LISPIER_LIB_IRGEN_FUNCTIONS_H

#include "Part.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace lispier {
/// A function of the program, collected before any body is generated.
struct FunctionInfo {
  std::string name;
  mlir::FunctionType type; ///< For a variadic function, without the `...`.
  const Form *form = nullptr;
  /// Of a `defn`: the types of its parameters and results, which may be records; `type` has their parts, and after the
  /// results those of the last values of `inout` parameters (InPlace.h). Empty for others.
  llvm::SmallVector<mlir::Type> inputs, results;
  bool isVariadic = false; ///< Takes further arguments, as C's `...`; implies isLlvm.
  bool isLlvm = false;     ///< Declared by llvm.func and called by llvm.call, else by func.func.
  bool hasBody = false;
  mlir::Operation *op = nullptr; ///< Null until the second walk over the program has generated it.
};

/// Generates function definitions, declarations and calls.
class FunctionGenerator : public Part {
public:
  using Part::Part;
  // The first walk over the program: signatures.
  /// Records a signature. Equal declarations are merged; a definition replaces its declarations.
  void declareFunction(FunctionInfo info);
  /// The signature of a top-level form that defines or declares a function; nullopt for other forms and after an error.
  std::optional<FunctionInfo> functionOfForm(const Form *form);

  /// The function of the program or of the runtime with that name; null, and nothing reported, if there is none.
  FunctionInfo *findFunction(llvm::StringRef name);
  /// Reports that there is no function `name`.
  void unknownFunction(const Form *form, llvm::StringRef name);
  mlir::FailureOr<Values> emitCall(const Form *form, FunctionInfo &callee, llvm::ArrayRef<const Form *> arguments);
  /// Checks number and types of a call's arguments, of which records are whole. `places`: their forms, if there is one
  /// for each. False after an error.
  bool checkCall(const Form *form, const FunctionInfo &callee, mlir::ValueRange arguments,
                 llvm::ArrayRef<const Form *> places = {});

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
  /// Calls with values, the parts of records one by one; promotes those beyond a variadic function's parameters.
  /// Returns the results of the function's `type`.
  mlir::FailureOr<Values> callValues(const Form *form, FunctionInfo &callee,
                                     llvm::SmallVectorImpl<mlir::Value> &values);
  /// Returns the function `name`, and declares it if the program does not. Null while the program's
  /// own declaration is not generated yet: call it by name (findFunction).
  mlir::Operation *runtimeFunction(llvm::StringRef name, mlir::FunctionType type, bool isVariadic, const Form *form);
  /// Applies C's default argument promotions for variadic functions: f32 to f64, i1, i8 and i16 to i32, index to i64.
  mlir::Value promote(mlir::Value value, const Form *form);

  /// The body of a defn: a list of statements; without func.return it returns the last value. `parameters` are names or
  /// (: name type), `types` theirs, `results` what follows `->` or null; `constants` are names and types of arguments
  /// appended after the parameters. `infersResults`: what is returned completes the function's type. False after an
  /// error.
  bool functionBody(mlir::func::FuncOp function, llvm::ArrayRef<const Form *> parameters,
                    llvm::ArrayRef<mlir::Type> types, llvm::ArrayRef<const Form *> body, const Form *form,
                    const Form *results, bool infersResults = false,
                    llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Type>> constants = {});
  /// Called with what func.return returns: completes the type of a function whose results are inferred.
  void inferResults(mlir::ValueRange returned);
  /// The types of what the last function with inferred results returned, which may be records.
  llvm::SmallVector<mlir::Type> inferredResults;

  llvm::StringMap<FunctionInfo> known; ///< Functions of the program and runtime functions, by name.
  llvm::StringSet<> nested; ///< Functions of nested modules: only code in the same nested module can call them.

private:
  bool returnLast(mlir::func::FuncOp function, Values &last, const Form *place, const Form *results);
  const Form *definitionOf(llvm::StringRef name);
  mlir::Operation *declareOp(FunctionInfo &info, const Form *form);
  FunctionInfo &declareRuntime(llvm::StringRef name, mlir::FunctionType type, bool isVariadic, const Form *form);

  unsigned runtimeCount = 0;    ///< Implicit declarations, which come after the string globals.
  mlir::func::FuncOp inferring; ///< The function under construction, if its results are inferred.
};
} // namespace lispier
#endif
