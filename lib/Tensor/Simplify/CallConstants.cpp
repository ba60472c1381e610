//===- CallConstants.cpp - numbers that each call gives -------------------===//
#include "CallConstants.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace lispier {
namespace {
/// Whether the number may be a size, or counts something. What a branch does not compute with others, such as a
/// remainder by 0, would be an error of the compiler's.
bool isPositive(Operation *constant) {
  APInt number;
  return matchPattern(constant, m_ConstantInt(&number)) && number.isStrictlyPositive();
}

/// The positive constant that all calls have as that operand; null if there is none.
Operation *constantOf(ArrayRef<func::CallOp> calls, unsigned operand) {
  Operation *found = nullptr;
  for (func::CallOp call : calls) {
    Operation *given = call.getOperand(operand).getDefiningOp();
    if (!given || !isPositive(given) ||
        (found && !OperationEquivalence::isEquivalentTo(found, given, OperationEquivalence::IgnoreLocations)))
      return nullptr;
    found = given;
  }
  return found;
}

/// Returns whether an argument has become a constant.
bool takeConstants(func::FuncOp function, ArrayRef<func::CallOp> calls) {
  bool changes = false;
  for (BlockArgument argument : function.getArguments()) {
    if (!argument.getType().isIntOrIndex() || argument.use_empty())
      continue;
    if (Operation *constant = constantOf(calls, argument.getArgNumber())) {
      OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
      argument.replaceAllUsesWith(b.clone(*constant)->getResult(0));
      changes = true;
    }
  }
  return changes;
}
} // namespace

void takeConstantsOfCalls(ModuleOp module) {
  SymbolTableCollection tables;
  SymbolUserMap users(tables, module);
  // A constant of one function may be what it gives another.
  for (bool changes = true; changes;) {
    changes = false;
    for (auto function : module.getOps<func::FuncOp>()) {
      ArrayRef<Operation *> all = users.getUsers(function);
      auto isTensor = [](Type type) { return isa<TensorType>(type); };
      if (llvm::none_of(function.getArgumentTypes(), isTensor) && llvm::none_of(function.getResultTypes(), isTensor))
        continue;
      if (!function.isPrivate() || function.isExternal() || all.empty() ||
          !llvm::all_of(all, llvm::IsaPred<func::CallOp>))
        continue;
      changes |=
          takeConstants(function, llvm::map_to_vector(all, [](Operation *op) { return cast<func::CallOp>(op); }));
    }
  }
}
} // namespace lispier
