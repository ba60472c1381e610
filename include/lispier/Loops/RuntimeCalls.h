//===- RuntimeCalls.h - calls of the runtime from our code -----*- C++ -*-===//
#ifndef LISPIER_LOOPS_RUNTIMECALLS_H
#define LISPIER_LOOPS_RUNTIMECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace lispier {
/// Declares what is called, and keeps one constant for each text. What it has declared must not go while it lives.
class RuntimeCalls {
public:
  explicit RuntimeCalls(mlir::ModuleOp module) : module(module), symbols(module) {}

  mlir::func::CallOp call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, mlir::ValueRange operands,
                          mlir::TypeRange results = {});
  /// A pointer to the NUL-terminated text.
  mlir::Value text(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef contents);
  /// A pointer to "file:line:column", as the runtime reports it.
  mlir::Value site(mlir::OpBuilder &builder, mlir::Location loc);

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols; ///< A module has hundreds, and is asked for them as often.
};
} // namespace lispier
#endif
