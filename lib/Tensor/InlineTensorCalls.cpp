//===- InlineTensorCalls.cpp - calls of tensor functions by their bodies --===//
//
// Before: a tensor function is called as any other. After: its body is where it is
// called, so that groups form across functions, and the caller's memory plan has
// its intermediate values. Recursive functions remain calls. Private functions that
// have no call left are gone.
//
//===----------------------------------------------------------------------===//
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
#define GEN_PASS_DEF_INLINETENSORCALLS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
bool hasTensors(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(function.getArgumentTypes(), isTensor) || llvm::any_of(function.getResultTypes(), isTensor);
}

int64_t countOps(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

struct InlineTensorCalls : impl::InlineTensorCallsBase<InlineTensorCalls> {
  using InlineTensorCallsBase::InlineTensorCallsBase;

  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    for (auto function : getOperation().getOps<func::FuncOp>())
      visit(function);
    eraseUncalled();
  }

  /// What nobody calls any more would be compiled for nothing. A function that other programs may call is not private.
  void eraseUncalled() {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    // A function that is erased may be the last that calls another: callers were inlined into after their callees.
    for (func::FuncOp function : llvm::reverse(inlined))
      if (function.isPrivate() && llvm::all_of(users.getUsers(function), [&](Operation *user) {
            return erased.contains(user->getParentOfType<func::FuncOp>());
          }))
        erased.insert(function);
    for (Operation *function : erased)
      function->erase();
  }

  /// Inlines the calls in a function whose callees have none left, other than of those that are being visited.
  void visit(func::FuncOp function) {
    if (!visited.insert(function).second)
      return;
    active.insert(function);
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = symbols->lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal() || !hasTensors(callee) || !callee.getBody().hasOneBlock())
        continue;
      visit(callee);
      if (!active.contains(callee) && countOps(callee) + countOps(function) <= int64_t(ops)) {
        inlineCall(call, callee);
        inlined.insert(callee);
      }
    }
    active.erase(function);
  }

  static void inlineCall(func::CallOp call, func::FuncOp callee) {
    IRRewriter rewriter(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    for (Operation &op : callee.getBody().front().without_terminator()) {
      Operation *copy = rewriter.clone(op, mapping);
      copy->walk([&](Operation *inside) { inside->setLoc(CallSiteLoc::get(inside->getLoc(), call.getLoc())); });
    }
    SmallVector<Value> results;
    for (Value value : callee.getBody().front().getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    rewriter.replaceOp(call, results);
  }

  SymbolTable *symbols = nullptr;
  llvm::SmallPtrSet<Operation *, 16> visited, active, erased;
  llvm::SmallSetVector<func::FuncOp, 16> inlined;
};
} // namespace
} // namespace lispier
