//===- Part.h - what the parts of IR generation share ----------*- C++ -*-===//
//
// Each part is a class that generates one kind of construct and holds the state
// for it. By `gen` a part reaches those of its layer and of the layers below
// (CoreParts.h). A function that returns failure, or a null value, type or attribute,
// has reported the error, as has a bool one that returns false if its comment says
// so; its caller does not report it again.
//
// `hint`, a parameter of many methods, is the type that the context expects, null
// if unknown. It settles the types of bare numbers; other values may have another
// type, which the caller checks. (A message's `withHint` is something else.)
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_CORE_PART_H
#define LISPIER_LIB_IRGEN_CORE_PART_H

#include "lispier/Expand/SpecialForms.h"
#include "lispier/IRGen/IRGen.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/DebugStringHelper.h"

namespace lispier {
using Values = llvm::SmallVector<mlir::Value, 2>;
class CoreParts;
struct FunctionInfo;
struct OpDraft;
struct OpenType;
struct StructInfo;

/// The value as the result of a form; failure if it is null.
inline mlir::FailureOr<Values> resultOf(mlir::Value value) {
  if (!value)
    return mlir::failure();
  return Values{value};
}

/// The first error that MLIR reported during Messages::capture; converts to false if there was none.
struct Captured {
  std::string message;
  llvm::SmallVector<std::string, 1> notes;
  explicit operator bool() const { return !message.empty(); }
};

/// Base class of the parts: access to the module under construction and to the other parts.
class Part {
public:
  explicit Part(CoreParts &gen);
  Part(const Part &) = delete;

protected:
  Diag &error(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  Diag &warning(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  mlir::Location location(const Form *form);
  /// Runs `body` and returns the first error that MLIR reported during it; the errors do not reach the user.
  Captured capture(llvm::function_ref<void()> body);
  /// Creates an op at the insertion point, with the location of `form`.
  template <typename OpTy, typename... Args> OpTy make(const Form *form, Args &&...args) {
    return OpTy::create(builder, location(form), std::forward<Args>(args)...);
  }

  CoreParts &gen;
  mlir::MLIRContext &context;
  DiagSink &diags;
  mlir::OpBuilder &builder;
  mlir::OwningOpRef<mlir::ModuleOp> &module;
};
} // namespace lispier
#endif
