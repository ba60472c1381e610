//===- CarriedValues.cpp - values that control flow passes on -------------===//
#include "CarriedValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
using Carried = SmallVector<CarriedValue>;

Carried ofLoop(scf::ForOp loop) {
  Carried all;
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    all.push_back(
        {{&loop.getInitsMutable()[i], &loop.getYieldedValuesMutable().value()[i]}, {loop.getRegionIterArg(i), result}});
  return all;
}

/// The i-th result is the i-th yielded value of one of the regions.
Carried ofBranches(Operation *op) {
  Carried all;
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    CarriedValue value{{}, {result}};
    for (Region &region : op->getRegions())
      value.sources.push_back(&region.front().getTerminator()->getOpOperand(i));
    all.push_back(std::move(value));
  }
  return all;
}

Carried ofLoop(scf::WhileOp loop) {
  Carried all;
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    all.push_back({{&loop.getConditionOp().getArgsMutable()[i]}, {loop.getAfterArguments()[i], result}});
  for (auto [i, argument] : llvm::enumerate(loop.getBeforeArguments()))
    all.push_back({{&loop.getInitsMutable()[i], &loop.getYieldOp().getResultsMutable()[i]}, {argument}});
  return all;
}
} // namespace

bool carriesValues(Operation *op) { return isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp>(op); }

SmallVector<CarriedValue> carriedValues(Operation *op) {
  return llvm::TypeSwitch<Operation *, Carried>(op)
      .Case<scf::ForOp, scf::WhileOp>([](auto loop) { return ofLoop(loop); })
      .Case<scf::IfOp, scf::IndexSwitchOp>([](auto branch) { return ofBranches(branch); })
      .Default(Carried());
}
} // namespace lispier
