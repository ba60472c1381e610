//===- RuntimeCalls.h - calls of the runtime from our code -----*- C++ -*-===//
#ifndef LISPIER_LOOPS_RUNTIMECALLS_H
#define LISPIER_LOOPS_RUNTIMECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace lispier {
/// Declares what is called, and keeps one constant for each text.
class RuntimeCalls {
public:
  explicit RuntimeCalls(mlir::ModuleOp module) : module(module) {}

  mlir::func::CallOp call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name,
                          mlir::ValueRange operands, mlir::TypeRange results = {});
  /// A pointer to the NUL-terminated text.
  mlir::Value text(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef contents);
  /// A pointer to "file:line:column", as the runtime reports it.
  mlir::Value site(mlir::OpBuilder &builder, mlir::Location loc);

private:
  mlir::ModuleOp module;
};
} // namespace lispier
#endif
