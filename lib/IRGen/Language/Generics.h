//===- Generics.h - functions generated for each call's types ---*- C++ -*-===//
//
// A `defn` with a parameter without a type, or with keywords, is generic. A call
// generates it for the types of its arguments and for its constants, once for each
// set of them, as a private func.func before the function that calls it.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_GENERICS_H
#define LISPIER_LIB_IRGEN_LANGUAGE_GENERICS_H

#include "ConstantForms.h"
#include "Generator.h"
#include "InPlace.h"
#include "Records.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace lispier {
struct GenericFunction {
  struct Parameter {
    const Form *name;
    mlir::Type type;  ///< Null: each call's own.
    const Form *form; ///< `name` or (: name type).
  };
  struct Keyword {
    const Form *name;      ///< The keyword as it stands in the definition.
    const Form *otherwise; ///< Its value where a call does not give it.
  };
  enum class Names { Unchecked, Good, Bad };

  std::string name;
  const Form *form = nullptr;
  llvm::SmallVector<Parameter> parameters;
  llvm::SmallVector<Keyword> keywords;
  const Form *results = nullptr; ///< What follows `->`; null: the body determines the results.
  llvm::ArrayRef<const Form *> body;
  llvm::StringSet<> locals; ///< Names that the body gives to values, parameters only if they are given again.
  Names names = Names::Unchecked;

  /// All parameters have types, and only the results are inferred: one function, which host code may call.
  bool isTyped() const {
    return keywords.empty() && llvm::all_of(parameters, [](const Parameter &p) { return bool(p.type); });
  }
  bool isOfNumbers() const {
    return keywords.empty() && llvm::all_of(parameters, [](const Parameter &parameter) {
             return parameter.type && parameter.type.isIntOrIndexOrFloat();
           });
  }
  /// Whether calls decide the type of a parameter, or which sizes of its tensor are known.
  bool isOpen(const Parameter &parameter) const {
    return !parameter.type || (!isTyped() && llvm::isa<mlir::RankedTensorType, RecordType>(parameter.type));
  }
};

/// The name in the program of a function whose symbol is `symbol`: gelu for gelu$f32.
inline llvm::StringRef nameOfSymbol(llvm::StringRef symbol) { return symbol.split('$').first; }

/// Declares generic functions, and generates them for calls.
class GenericFunctions : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// Declares the function of a `defn`, if it is generic; returns whether it is.
  bool declare(const Form *form);
  /// The generic function of that name, of the program or else of the library of tensors; null if there is none.
  GenericFunction *find(llvm::StringRef name);
  /// Sets the library of tensors: the `defn` forms of lib/Prelude/tensor.
  void setLibrary(llvm::ArrayRef<const Form *> functions);
  /// Generates a function of which only the results are inferred.
  void define(GenericFunction &generic);
  /// (f argument ... :keyword constant ...). `hint`: the type that the context expects.
  mlir::FailureOr<Values> emitCall(const Form *form, GenericFunction &callee, llvm::ArrayRef<const Form *> items,
                                   mlir::Type hint);
  /// Attaches the rule of a function's gradient, if the program has one (defgrad): a function that takes the arguments
  /// and the cotangent of the result. `results`: the function's. False after an error.
  bool attachRule(llvm::StringRef name, mlir::func::FuncOp function, llvm::ArrayRef<mlir::Type> types,
                  llvm::ArrayRef<mlir::Type> results);
  /// Reports rules of gradients of what is no function of the program.
  void checkRules();
  /// Checks the names in functions that no call has generated.
  void checkUncalled();
  /// Adds to an error in a generic function the calls that led to it, innermost first; omits the middle of many.
  void noteCalls(Diag &diag);
  /// Whether the body of a generic function has reported this error before, for other types or constants.
  bool isRepeated(llvm::StringRef code, llvm::SMRange range, const llvm::Twine &message);

  /// The types of the arguments of the last call that was generated; null where a function is passed.
  llvm::SmallVector<mlir::Type> lastTypes;

  llvm::MapVector<llvm::StringRef, std::unique_ptr<GenericFunction>> known; ///< In the order of the program.
  llvm::StringMap<const Form *> library; ///< Functions of the library, by their names without the prefix.

private:
  /// A function that has been generated, or is being generated.
  struct Instance {
    std::string symbol;
    mlir::func::FuncOp function;
    std::optional<llvm::SmallVector<mlir::Type>> results; ///< Unknown while the body is generated.
    bool isAssumed = false;                               ///< `results` are those that a recursive call expects.
    bool failed = false;
  };
  /// A call's arguments, sorted by what they are.
  struct Call {
    const Form *form;
    llvm::SmallVector<mlir::Value> values;        ///< For each parameter; null where a function is passed.
    llvm::SmallVector<mlir::Type> types;          ///< Theirs.
    llvm::SmallVector<const Form *> functions;    ///< For each parameter; null where a value is passed.
    llvm::SmallVector<const Form *> constants;    ///< For each keyword.
    llvm::SmallVector<InPlace::Argument> written; ///< Those of `inout` parameters.
  };
  /// A call on the way to the function that is generated now.
  struct Frame {
    const GenericFunction *callee;
    const Form *call;
    std::string with; ///< The types and constants: "x: f32, axis: 0".
  };

  bool readKeywords(GenericFunction &generic, const Form *map);
  bool checkNames(GenericFunction &generic);
  bool arguments(GenericFunction &callee, llvm::ArrayRef<const Form *> items, mlir::Type hint, Call &call);
  const Form *passedFunction(const Form *item);
  bool takesFunction(const GenericFunction &callee, const GenericFunction::Parameter &parameter, const Form *item);
  bool values(GenericFunction &callee, llvm::ArrayRef<const Form *> items, mlir::Type hint, Call &call);
  bool keywords(GenericFunction &callee, llvm::ArrayRef<const Form *> items, Call &call);
  bool keyword(GenericFunction &callee, const Form *key, const Form *value, Call &call);
  bool namesValue(const GenericFunction &callee, const Form *key, const Form *constant);
  bool namesSize(const GenericFunction &callee, const Form *key);
  std::string describeCall(const GenericFunction &callee, const Call &call);
  std::string symbolFor(const GenericFunction &callee, const Call &call);
  static llvm::SmallVector<mlir::Type> writtenTypes(const GenericFunction &callee, const Call &call);
  Instance *instance(GenericFunction &callee, const Call &call);
  bool generate(GenericFunction &callee, const Call &call, Instance &instance);
  bool endless(const GenericFunction &callee, const Call &call);
  bool attachRule(const GenericFunction &callee, const Call &call, const Instance &instance);
  bool attachRule(GenericFunction &rule, Call &call, mlir::func::FuncOp function, llvm::ArrayRef<mlir::Type> results);
  bool checkGradients(const GenericFunction &rule, mlir::func::FuncOp function);
  bool recursiveResults(const GenericFunction &callee, Instance &instance, const Form *form, mlir::Type hint);

  std::map<std::string, std::unique_ptr<Instance>> instances; ///< By name, types and constants.
  llvm::StringSet<> symbols;
  llvm::SmallVector<Frame> frames;
  llvm::StringSet<> reported;                     ///< Errors in generic functions.
  llvm::DenseSet<mlir::Operation *> checkedRules; ///< That compare the sizes of their gradients.
};
} // namespace lispier
#endif
