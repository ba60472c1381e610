//===- Templates.cpp - how kernel templates are marked --------------------===//
#include "lispier/NN/Templates.h"
#include "lispier/NN/NN.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;

bool lispier::nn::serves(llvm::StringRef wanted, llvm::StringRef target, llvm::ArrayRef<std::string> features) {
  llvm::SmallVector<llvm::StringRef> parts;
  wanted.split(parts, '+');
  return parts.front() == target && llvm::all_of(llvm::ArrayRef(parts).drop_front(), [&](llvm::StringRef part) {
           return llvm::is_contained(features, part);
         });
}

std::vector<std::string> lispier::nn::opsIn(ModuleOp module) {
  std::set<std::string> names;
  module.walk([&](Operation *op) {
    if (isa_and_nonnull<NNDialect>(op->getDialect()))
      names.insert(op->getName().getStringRef().str());
    if (isa<NormLinearOp>(op)) // Becomes these where no template takes it whole.
      names.insert({LayerNormOp::getOperationName().str(), LinearOp::getOperationName().str()});
  });
  return {names.begin(), names.end()};
}
