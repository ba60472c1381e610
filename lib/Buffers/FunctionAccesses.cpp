//===- FunctionAccesses.cpp - what recursive functions access -------------===//
#include "FunctionAccesses.h"
#include "WrittenArguments.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"

using namespace mlir;
using bufferization::func_ext::FuncAnalysisState;
using bufferization::func_ext::FuncOpAnalysisState;

namespace lispier {
namespace {
/// Finds the functions whose calls lead to a cycle.
class CycleSearch {
public:
  explicit CycleSearch(ModuleOp module) : symbols(module) {}

  bool reachesCycle(func::FuncOp function) {
    auto [entry, isNew] = found.try_emplace(function, true); // On the way to itself: a cycle.
    if (!isNew)
      return entry->second;
    bool reaches = false;
    function.walk([&](func::CallOp call) {
      if (auto callee = symbols.lookup<func::FuncOp>(call.getCallee()))
        reaches |= reachesCycle(callee);
    });
    return found[function] = reaches;
  }

private:
  SymbolTable symbols;
  llvm::DenseMap<Operation *, bool> found;
};

void assume(func::FuncOp function, FuncAnalysisState &state) {
  state.startFunctionAnalysis(function);
  SmallVector<unsigned> written = writtenArguments(function);
  unsigned own = function.getNumResults() - written.size();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (!isa<TensorType>(type))
      continue;
    auto place = llvm::find(written, i);
    if (!function.getArgAttr(i, kOutAttr))
      state.readBbArgs[function].insert(i);
    if (place != written.end()) {
      int64_t result = own + (place - written.begin());
      state.writtenBbArgs[function].insert(i);
      state.equivalentFuncArgs[function][result] = i;
      state.aliasingReturnVals[function][i].push_back(result);
      continue;
    }
    function.setArgAttr(i, bufferization::BufferizationDialect::kWritableAttrName,
                        BoolAttr::get(function.getContext(), false));
    for (unsigned result : llvm::seq(own)) // Which may be a part of the argument.
      if (isa<TensorType>(function.getResultTypes()[result]))
        state.aliasingReturnVals[function][i].push_back(result);
  }
  state.analyzedFuncOps[function] = FuncOpAnalysisState::Analyzed;
}
} // namespace

void assumeAccesses(ModuleOp module, bufferization::OneShotAnalysisState &analysis) {
  FuncAnalysisState &state = analysis.addExtension<FuncAnalysisState>();
  CycleSearch search(module);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && search.reachesCycle(function))
      assume(function, state);
}
} // namespace lispier
