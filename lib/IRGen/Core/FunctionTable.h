//===- FunctionTable.h - functions that calls find by name ------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_CORE_FUNCTIONTABLE_H
#define LISPIER_LIB_IRGEN_CORE_FUNCTIONTABLE_H

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
  /// Of a `defn` without results: the type of its last form, once that has been generated; null if it has no value.
  mlir::Type lastType;
  bool isVariadic = false; ///< Takes further arguments, as C's `...`; implies isLlvm.
  bool isLlvm = false;     ///< Declared by llvm.func and called by llvm.call, else by func.func.
  bool hasBody = false;
  mlir::Operation *op = nullptr; ///< Null until the second walk over the program has generated it.
};

/// The functions of one type each: of the program, and of the runtime, which the first call declares.
class FunctionTable : public Part {
public:
  using Part::Part;
  /// Records a signature. Equal declarations are merged; a definition replaces its declarations.
  void declare(FunctionInfo info);
  /// The function of the program or of the runtime with that name; null, and nothing reported, if there is none.
  FunctionInfo *find(llvm::StringRef name);
  /// Returns the function `name`, and declares it if the program does not. Null while the program's own declaration is
  /// not generated yet: call it by name (`find`).
  mlir::Operation *runtimeFunction(llvm::StringRef name, mlir::FunctionType type, bool isVariadic, const Form *form);
  /// Generates a declaration. Functions that take memrefs get `llvm.emit_c_interface`.
  mlir::Operation *declareOp(FunctionInfo &info, const Form *form);

  /// Checks number and types of a call's arguments, of which records are whole. `places`: their forms, if there is one
  /// for each. False after an error.
  bool checkCall(const Form *form, const FunctionInfo &callee, mlir::ValueRange arguments,
                 llvm::ArrayRef<const Form *> places = {});
  /// Calls with values, the parts of records one by one; promotes those beyond a variadic function's parameters.
  /// Returns the results of the function's `type`.
  mlir::FailureOr<Values> callValues(const Form *form, FunctionInfo &callee,
                                     llvm::SmallVectorImpl<mlir::Value> &values);
  /// Applies C's default argument promotions for variadic functions: f32 to f64, i1, i8 and i16 to i32, index to i64.
  mlir::Value promote(mlir::Value value, const Form *form);

  llvm::StringMap<FunctionInfo> known; ///< Functions of the program and runtime functions, by name.
  llvm::StringSet<> nested; ///< Functions of nested modules: only code in the same nested module can call them.

private:
  FunctionInfo &declareRuntime(llvm::StringRef name, mlir::FunctionType type, bool isVariadic, const Form *form);

  unsigned runtimeCount = 0; ///< Implicit declarations, which come after the string globals.
};

/// Whether a function takes or returns a memref.
bool hasMemref(mlir::FunctionType type);
/// The type of a value_* function, with which compiled macros build and inspect forms; nullopt for another name.
std::optional<mlir::FunctionType> valueFunctionType(llvm::StringRef name, mlir::OpBuilder &builder);
} // namespace lispier
#endif
