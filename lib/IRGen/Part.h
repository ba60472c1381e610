//===- Part.h - what the parts of IR generation share ----------*- C++ -*-===//
//
// Each part generates one kind of thing and keeps the state of that kind; all
// reach the module under construction and, through the Generator, each other.
// A null value, type or attribute and a failure mean that the error has been
// reported; nothing is reported twice.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_PART_H
#define LISPIER_LIB_IRGEN_PART_H

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
class Generator;
struct FunctionInfo;
struct OpDraft;
struct OpenType;
struct StructInfo;

/// The first error that MLIR reported while something was tried.
struct Captured {
  std::string message;
  llvm::SmallVector<std::string, 1> notes;
  explicit operator bool() const { return !message.empty(); }
};

class Part {
public:
  explicit Part(Generator &gen);
  Part(const Part &) = delete;

protected:
  Diag &error(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  Diag &warning(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  mlir::Location location(const Form *form);
  /// Runs `body` and returns the first error that MLIR reported meanwhile.
  Captured capture(llvm::function_ref<void()> body);
  /// An op at the place of `form`.
  template <typename OpTy, typename... Args> OpTy make(const Form *form, Args &&...args) {
    return OpTy::create(builder, location(form), std::forward<Args>(args)...);
  }

  Generator &gen;
  mlir::MLIRContext &context;
  DiagSink &diags;
  mlir::OpBuilder &builder;
  mlir::OwningOpRef<mlir::ModuleOp> &module;
};
} // namespace lispier
#endif
