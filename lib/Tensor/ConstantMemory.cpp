//===- ConstantMemory.cpp - memory that no kernel writes ------------------===//
#include "ConstantMemory.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace lispier {
namespace {
class Search {
public:
  bool isNeverWritten(Value memref) {
    Value root = rootOf(memref);
    if (!visited.insert(root).second)
      return true; // Decided where the search has met it first.
    if (auto argument = dyn_cast<BlockArgument>(root)) {
      auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      return function && !isWrittenThrough(root) && callersPassConstants(function, argument.getArgNumber());
    }
    if (auto global = root.getDefiningOp<memref::GetGlobalOp>()) {
      auto named = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(global, global.getNameAttr());
      return named && named.getConstant();
    }
    return root.getDefiningOp<device::UploadOp>() && !isWrittenThrough(root);
  }

private:
  static Value rootOf(Value memref) {
    while (Operation *made = memref.getDefiningOp()) {
      if (auto view = dyn_cast<ViewLikeOpInterface>(made))
        memref = view.getViewSource();
      else if (isa<memref::TransposeOp>(made))
        memref = made->getOperand(0);
      else
        break;
    }
    return memref;
  }

  bool isWrittenThrough(Value memref) {
    SmallVector<Value> aliases{memref};
    while (!aliases.empty())
      for (OpOperand &use : aliases.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (isa<ViewLikeOpInterface, memref::TransposeOp>(user)) {
          llvm::append_range(aliases, user->getResults());
          continue;
        }
        if (auto call = dyn_cast<func::CallOp>(user)) {
          auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
          if (!callee || callee.isExternal())
            return true;
          Value parameter = callee.getArgument(use.getOperandNumber());
          if (visited.insert(parameter).second && isWrittenThrough(parameter))
            return true;
          continue;
        }
        if (!onlyReads(use))
          return true;
      }
    return false;
  }

  /// Copies are done when the next kernel starts, as are what the host stores.
  static bool onlyReads(OpOperand &use) {
    Operation *user = use.getOwner();
    bool isInKernel = user->getParentOfType<gpu::LaunchOp>() || user->getParentOfType<scf::ParallelOp>();
    if (isa<memref::CopyOp, memref::StoreOp, memref::DeallocOp>(user) && !isInKernel)
      return true;
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects || user->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return false;
    SmallVector<MemoryEffects::EffectInstance> all;
    effects.getEffects(all);
    return llvm::all_of(all, [&](const MemoryEffects::EffectInstance &effect) {
      bool isOther = effect.getValue() && effect.getValue() != use.get();
      return isOther || !isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
    });
  }

  bool callersPassConstants(func::FuncOp function, unsigned argument) {
    bool constant = true;
    function->getParentOfType<ModuleOp>().walk([&](func::CallOp call) {
      if (call.getCallee() == function.getSymName())
        constant &= isNeverWritten(call.getOperand(argument));
    });
    return constant;
  }

  llvm::DenseSet<Value> visited;
};
} // namespace

bool isNeverWritten(Value memref) { return Search().isNeverWritten(memref); }
} // namespace lispier
