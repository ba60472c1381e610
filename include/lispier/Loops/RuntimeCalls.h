//===- RuntimeCalls.h - emit calls of the runtime --------------*- C++ -*-===//
#ifndef LISPIER_LOOPS_RUNTIMECALLS_H
#define LISPIER_LOOPS_RUNTIMECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace lispier {
/// Declares runtime functions and string constants in a module, each once. They must not be erased while this exists.
class RuntimeCalls {
public:
  explicit RuntimeCalls(mlir::ModuleOp module) : module(module), symbols(module) {}

  /// Creates a call of `name`, declaring it on first use.
  mlir::func::CallOp call(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef name, mlir::ValueRange operands,
                          mlir::TypeRange results = {});
  /// A pointer to the NUL-terminated text.
  mlir::Value text(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef contents);
  /// A pointer to the source location as "file:line:column", or to "unknown place".
  mlir::Value site(mlir::OpBuilder &builder, mlir::Location loc);

  /// The source location as "file:line:column", or "unknown place".
  static std::string placeOf(mlir::Location loc);
  /// A note for each call that led to the location, innermost first, as lispier_rt_fail takes them.
  static std::string callersOf(mlir::Location loc);

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols; ///< Cached, because modules have hundreds of symbols and as many lookups.
};
} // namespace lispier
#endif
