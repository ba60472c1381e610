//===- ConstantMemory.cpp - memory that no kernel writes ------------------===//
#include "lispier/Buffers/ConstantMemory.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/EntryAttributes.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace lispier {
/// One question: `visited` ends recursion.
class ConstantSearch {
public:
  explicit ConstantSearch(ConstantMemory &memory) : memory(memory) {}

  bool isNeverWritten(Value memref) {
    Value root = rootOf(memref);
    if (!visited.insert(root).second)
      return true; // Decided where the search has met it first.
    if (auto argument = dyn_cast<BlockArgument>(root)) {
      auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
      return function && !isWrittenThrough(root) && callersPassConstants(function, argument.getArgNumber());
    }
    if (auto global = root.getDefiningOp<memref::GetGlobalOp>()) {
      auto named = memory.symbols.lookupNearestSymbolFrom<memref::GlobalOp>(global, global.getNameAttr());
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
          auto callee = memory.symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
          if (!callee || callee.isExternal())
            return true;
          if (isParameterWritten(callee.getArgument(use.getOperandNumber())))
            return true;
          continue;
        }
        if (auto launch = dyn_cast<gpu::LaunchFuncOp>(user)) {
          auto kernel = memory.symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(launch, launch.getKernel());
          if (!kernel || kernel.getBody().empty())
            return true;
          unsigned first = launch.getKernelOperandsMutable().begin()->getOperandNumber();
          if (isParameterWritten(kernel.getArgument(use.getOperandNumber() - first)))
            return true;
          continue;
        }
        if (!onlyReads(use))
          return true;
      }
    return false;
  }

  bool isParameterWritten(Value parameter) { return visited.insert(parameter).second && isWrittenThrough(parameter); }

  /// Whether more is done with an address than to compare what is computed of it, such as its remainder.
  static bool becomesPointer(Value address) {
    return llvm::any_of(address.getUsers(), [](Operation *user) {
      return !isa_and_nonnull<arith::ArithDialect>(user->getDialect()) ||
             llvm::any_of(user->getResults(),
                          [](Value result) { return !result.getType().isInteger(1) && becomesPointer(result); });
    });
  }

  /// Whether what the op returns or passes on may be another name of its operand.
  static bool escapes(Operation *user) {
    if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
      return becomesPointer(user->getResult(0));
    return user->hasTrait<OpTrait::IsTerminator>() ||
           llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>);
  }

  /// Copies are done when the next kernel starts, as are what the host stores.
  static bool onlyReads(OpOperand &use) {
    Operation *user = use.getOwner();
    if (escapes(user))
      return isa<device::UploadOp, device::DownloadOp>(user);
    bool isInKernel = user->getParentWithTrait<OpTrait::HasParallelRegion>() ||
                      user->getParentOfType<gpu::LaunchOp>() || user->getParentOfType<gpu::GPUModuleOp>() ||
                      user->getParentOfType<affine::AffineParallelOp>();
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
    if (function->hasAttr(kEntryAttr)) // Others call it with what their work in the same queue has written.
      return false;
    ArrayRef<func::CallOp> calls = memory.callsOf(function);
    return !calls.empty() && llvm::all_of(calls, [&](func::CallOp call) {
      ArrayAttr attributes = call.getArgAttrsAttr();
      bool isSaid = attributes && cast<DictionaryAttr>(attributes[argument]).contains(device::kConstant);
      return isSaid || isNeverWritten(call.getOperand(argument));
    });
  }

  ConstantMemory &memory;
  llvm::DenseSet<Value> visited;
};

ArrayRef<func::CallOp> ConstantMemory::callsOf(func::FuncOp function) {
  if (!calls) {
    calls.emplace();
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        (*calls)[call.getCalleeAttr().getAttr()].push_back(call);
      return isa<gpu::GPUModuleOp, gpu::LaunchOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
  }
  auto found = calls->find(function.getSymNameAttr());
  return found == calls->end() ? ArrayRef<func::CallOp>() : ArrayRef<func::CallOp>(found->second);
}

bool ConstantMemory::isNeverWritten(Value memref) { return ConstantSearch(*this).isNeverWritten(memref); }

void markConstantWeights(func::FuncOp function, ConstantMemory &memory) {
  function.walk([&](Operation *op) {
    SmallVector<Value> weights = nn::weightsOf(op);
    if (!weights.empty() && llvm::all_of(weights, [&](Value weight) { return memory.isNeverWritten(weight); }))
      nn::setConstantWeights(op);
  });
}
} // namespace lispier
