//===- StringGlobals.cpp - globals that hold strings ----------------------===//
#include "StringGlobals.h"
#include "CoreParts.h"
#include "FunctionTable.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace llvm;

namespace lispier {
mlir::Operation *StringGlobals::global(StringRef name, StringRef text, const Form *form) {
  std::string bytes = text.str();
  bytes.push_back('\0');
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(module->getBody(), std::next(module->getBody()->begin(), count++));
  auto type = mlir::LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  return make<mlir::LLVM::GlobalOp>(form, type, /*isConstant=*/true, mlir::LLVM::Linkage::Private, name,
                                    builder.getStringAttr(bytes));
}

/// The address of the private global that holds a string: one for each text, before all other ops of the module.
mlir::Value StringGlobals::address(StringRef text, const Form *form) {
  auto [entry, isNew] = byText.try_emplace(text, nullptr);
  if (isNew) {
    std::string name;
    unsigned number = byText.size() - 1;
    do
      name = "_print_str_" + std::to_string(number++);
    while (gen.functionTable.find(name) || module->lookupSymbol(name));
    entry->second = global(name, text, form);
  }
  return addressOf(entry->second, form);
}

mlir::Value StringGlobals::addressOf(mlir::Operation *global, const Form *form) {
  return make<mlir::LLVM::AddressOfOp>(form, cast<mlir::LLVM::GlobalOp>(global));
}

void StringGlobals::define(const Form *form) {
  StringRef name = (*form)[1]->text();
  if (named.contains(name)) {
    error("mod-dup-symbol", form, "two texts are called `" + name + "`");
    return;
  }
  named[name] = global(name, (*form)[2]->text(), form);
}
} // namespace lispier
