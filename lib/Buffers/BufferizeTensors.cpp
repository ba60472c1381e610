//===- BufferizeTensors.cpp - bufferization and deallocation --------------===//
//
// Before: any mix of tensors and memrefs. After: memrefs only, with each
// allocation that a tensor needed freed. This is one pass, rather than upstream's
// passes in the pipeline, because deallocation must apply only to functions that
// had tensors; in the others the program frees its own memory.
//
//===----------------------------------------------------------------------===//
#include "BufferLifetime.h"
#include "BufferizeDeviceOps.h"
#include "CarriedBuffers.h"
#include "CombineInPlace.h"
#include "ConstantTensors.h"
#include "CopiedResults.h"
#include "FunctionAccesses.h"
#include "LongJoins.h"
#include "OwnedResults.h"
#include "Ownership.h"
#include "StoredMemory.h"
#include "WrittenArguments.h"
#include "lispier/Buffers/Passes.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/ReducedViews.h"
#include "lispier/Group/Group.h"
#include "mlir/Conversion/BufferizationToMemRef/BufferizationToMemRef.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace lispier {
#define GEN_PASS_DEF_BUFFERIZETENSORS
#include "lispier/Buffers/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
bool isTensor(Type type) { return isa<TensorType>(type); }

bool usesTensors(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  if (llvm::any_of(type.getInputs(), isTensor) || llvm::any_of(type.getResults(), isTensor))
    return true;
  return function
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), isTensor) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool launches(func::FuncOp function) {
  return function.walk([](gpu::LaunchOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Memory effects that upstream does not declare for gpu.launch_func: a kernel may read and write any memory.
struct LaunchEffects : MemoryEffectOpInterface::ExternalModel<LaunchEffects, gpu::LaunchFuncOp> {
  void getEffects(Operation *, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) const {
    effects.emplace_back(MemoryEffects::Read::get());
    effects.emplace_back(MemoryEffects::Write::get());
  }
};

/// Exempts the program's own allocations from deallocation.
void markManual(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (isa<memref::AllocOp, memref::DeallocOp, memref::ReallocOp, gpu::AllocOp, gpu::DeallocOp,
            lispier::device::UploadOp>(op))
      op->setAttr(bufferization::BufferizationDialect::kManualDeallocation, UnitAttr::get(op->getContext()));
  });
}

/// Whether the function writes its argument in place.
bool isWritten(func::FuncOp function, unsigned argument) {
  return bool(function.getArgAttr(argument, lispier::kInoutAttr));
}

/// By each function's name, the arguments of which it returns what it writes there.
llvm::DenseMap<StringRef, SmallVector<unsigned>> allWrittenArguments(ModuleOp module) {
  llvm::DenseMap<StringRef, SmallVector<unsigned>> all;
  for (auto function : module.getOps<func::FuncOp>())
    if (SmallVector<unsigned> written = lispier::writtenArguments(function); !written.empty())
      all[function.getSymName()] = std::move(written);
  return all;
}

/// The argument that is written in place of which `value` is the memory or a part, or null.
BlockArgument writtenArgument(Value value, bufferization::OneShotAnalysisState &analysis) {
  BlockArgument found;
  analysis.applyOnAliases(value, [&](Value alias) {
    auto argument = dyn_cast<BlockArgument>(alias);
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    if (function && isWritten(function, argument.getArgNumber()))
      found = argument;
  });
  return found;
}

/// Reports writes to an argument that is written in place for which a copy of it would be made. The language reports
/// what it sees of these at the names; here are those that only the order of memory accesses shows.
LogicalResult checkWrittenInPlace(ModuleOp module, bufferization::OneShotAnalysisState &analysis) {
  WalkResult result = module.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isTensor(operand.get().getType()) || !analysis.bufferizesToMemoryWrite(operand) ||
          analysis.isInPlace(operand))
        continue;
      if (BlockArgument argument = writtenArgument(operand.get(), analysis)) {
        InFlightDiagnostic diag = op->emitError("this writes to memory of a tensor that is written in place, and other "
                                                "code still needs its numbers: a copy would be needed");
        diag.attachNote(argument.getLoc()) << "the tensor is declared here";
        for (Operation *user : operand.get().getUsers())
          if (user->getBlock() == op->getBlock() && op->isBeforeInBlock(user)) {
            diag.attachNote(user->getLoc()) << "the numbers are needed here; `load` of the tensor before copies them";
            break;
          }
        return WalkResult::interrupt();
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// The allocation or argument that a memref is a view of.
Value viewedMemory(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Copies values to the arguments that they are the last values of. One that is another such argument's memory is
/// copied before that is overwritten; of a cycle the first one is kept elsewhere.
void copyToArguments(OpBuilder &b, Location loc, SmallVector<std::pair<Value, Value>> copies) {
  while (!copies.empty()) {
    auto *next = llvm::find_if(copies, [&](auto &copy) {
      return llvm::none_of(copies,
                           [&](auto &other) { return &other != &copy && viewedMemory(other.first) == copy.second; });
    });
    if (next != copies.end()) {
      memref::CopyOp::create(b, loc, next->first, next->second);
      copies.erase(next);
      continue;
    }
    Value &kept = copies.front().first;
    auto type =
        MemRefType::get(cast<MemRefType>(kept.getType()).getShape(), cast<MemRefType>(kept.getType()).getElementType());
    SmallVector<Value> sizes;
    for (auto [d, size] : llvm::enumerate(type.getShape()))
      if (ShapedType::isDynamic(size))
        sizes.push_back(memref::DimOp::create(b, loc, kept, d));
    Value copy = memref::AllocOp::create(b, loc, type, sizes, b.getI64IntegerAttr(64));
    memref::CopyOp::create(b, loc, kept, copy);
    kept = copy;
  }
}

/// The last results of a function are the last values of the arguments that it writes: these arguments' memory, which
/// the caller has. As results they would be copied, since the caller owns results.
void dropWrittenResults(ModuleOp module, const llvm::DenseMap<StringRef, SmallVector<unsigned>> &written) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto found = written.find(function.getSymName());
    if (found == written.end())
      continue;
    size_t kept = function.getNumResults() - found->second.size();
    llvm::BitVector dropped(function.getNumResults());
    dropped.set(kept, function.getNumResults());
    (void)function.eraseResults(dropped);
    function.walk([&](func::ReturnOp op) {
      // A value that replaces all of the argument's has memory of its own.
      OpBuilder b(op);
      SmallVector<std::pair<Value, Value>> copies;
      for (auto [value, argument] : llvm::zip(op.getOperands().drop_front(kept), found->second))
        if (value != function.getArgument(argument))
          copies.push_back({value, function.getArgument(argument)});
      copyToArguments(b, op.getLoc(), std::move(copies));
      op->setOperands(op.getOperands().take_front(kept));
    });
  }
  module.walk([&](func::CallOp call) {
    auto found = written.find(call.getCallee());
    if (found == written.end())
      return;
    OpBuilder b(call);
    size_t kept = call.getNumResults() - found->second.size();
    auto fewer = func::CallOp::create(b, call.getLoc(), call.getCallee(),
                                      TypeRange(call.getResultTypes()).take_front(kept), call.getOperands());
    call.getResults().take_front(kept).replaceAllUsesWith(fewer.getResults());
    for (auto [result, argument] : llvm::zip(call.getResults().drop_front(kept), found->second))
      result.replaceAllUsesWith(call.getOperand(argument));
    call.erase();
  });
}

/// Makes what is inserted into a slice in its place, rather than in a tensor.empty of its own. Upstream would also
/// follow an op that bufferizes to a copy back to the tensor.empty of what is copied, which is still in use, and make
/// in a place what only one branch puts there, while others use the place.
LogicalResult makeInPlaces(RewriterBase &rewriter, ModuleOp module, bufferization::OneShotAnalysisState &analysis) {
  bufferization::TraversalConfig inPlace;
  inPlace.alwaysIncludeLeaves = false;
  inPlace.followInPlaceOnly = true;
  inPlace.followEquivalentOnly = true;
  inPlace.followSameTypeOrCastsOnly = true;
  auto placeOf = [&](RewriterBase &b, SubsetInsertionOpInterface insertion, tensor::EmptyOp empty, Operation *user) {
    if (!insertion->getBlock()->findAncestorOpInBlock(*user))
      return Value();
    llvm::DenseSet<OpOperand *> seen;
    analysis.findValueInReverseUseDefChain(
        &insertion.getSourceOperand(), [&](Value value) { return value == empty.getResult(); }, inPlace, &seen);
    bool isReached =
        llvm::any_of(empty->getUses(), [&](OpOperand &use) { return use.getOwner() == user && seen.contains(&use); });
    return isReached ? bufferization::buildSubsetExtraction(b, insertion, empty, user) : Value();
  };
  return bufferization::eliminateEmptyTensors(rewriter, module, analysis, placeOf);
}

/// Upstream's memrefs of 0 x ? as one dimension have a type that their verifier refuses: what has no elements is made
/// anew instead.
void replaceEmptyCollapses(ModuleOp module) {
  module.walk([](tensor::CollapseShapeOp op) {
    ArrayRef<int64_t> shape = op.getSrcType().getShape();
    auto isMixed = [&](const ReassociationIndices &group) {
      auto is = [&](int64_t wanted) { return llvm::any_of(group, [&](int64_t d) { return shape[d] == wanted; }); };
      return is(0) && is(ShapedType::kDynamic);
    };
    if (op->getParentOfType<lispier::group::KernelOp>() || llvm::none_of(op.getReassociationIndices(), isMixed))
      return;
    OpBuilder b(op);
    Location loc = op.getLoc();
    SmallVector<OpFoldResult> sizes;
    for (auto [size, group] : llvm::zip(op.getResultType().getShape(), op.getReassociationIndices())) {
      if (isMixed(group)) {
        sizes.push_back(b.getIndexAttr(0));
        continue;
      }
      OpFoldResult product = b.getIndexAttr(1);
      for (int64_t d : group)
        product = b.createOrFold<arith::MulIOp>(
            loc, getValueOrCreateConstantIndexOp(b, loc, product),
            getValueOrCreateConstantIndexOp(b, loc, tensor::getMixedSize(b, loc, op.getSrc(), d)));
      sizes.push_back(ShapedType::isDynamic(size) ? product : OpFoldResult(b.getIndexAttr(size)));
    }
    Value empty = tensor::EmptyOp::create(b, loc, sizes, op.getResultType().getElementType());
    op.replaceAllUsesWith(tensor::CastOp::create(b, loc, op.getResultType(), empty).getResult());
    op.erase();
  });
}

/// Not upstream's pass, which cannot be told to leave the bodies of groups alone.
LogicalResult bufferizeModule(ModuleOp module) {
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true; // A loop may carry a tensor that each iteration makes anew.
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap); // Contiguous memrefs in signatures.
  options.bufferAlignment = 64;                           // Cache line size.
  lispier::group::keepBodies(options);
  IRRewriter rewriter(module.getContext());
  llvm::DenseMap<StringRef, SmallVector<unsigned>> written = allWrittenArguments(module);
  llvm::DenseSet<Operation *> reads = lispier::readsOfMemrefs(module);
  // Results that are inserted into a slice are computed there.
  bufferization::OneShotAnalysisState analysis(module, options), analysisWithPlaces(module, options);
  bufferization::BufferizationState state;
  lispier::assumeAccesses(module, analysis);
  if (failed(bufferization::analyzeModuleOp(module, analysis)) || failed(checkWrittenInPlace(module, analysis)) ||
      failed(makeInPlaces(rewriter, module, analysis)))
    return failure();
  lispier::combineInPlace(module);
  lispier::joinReadsOfMemrefs(module, reads);
  lispier::assumeAccesses(module, analysisWithPlaces);
  if (failed(bufferization::analyzeModuleOp(module, analysisWithPlaces)) ||
      failed(bufferization::insertTensorCopies(module, analysisWithPlaces, state)) ||
      failed(bufferization::bufferizeModuleOp(module, options, state)))
    return failure();
  bufferization::removeBufferizationAttributesInModule(module);
  dropWrittenResults(module, written);
  OpBuilder b(module.getContext());
  module.walk([&](memref::SubViewOp view) { lispier::device::reducedView(b, view); });
  return success();
}

bool isManual(Operation *op) { return op->hasAttr(bufferization::BufferizationDialect::kManualDeallocation); }

/// Frees memory that is only used in its block at the end of that. The rest, such as what a branch may return, is left
/// to upstream's pass, which decides during the run what is still in use.
void freeInBlock(func::FuncOp function) {
  function.walk([](memref::AllocOp alloc) {
    if (isManual(alloc) || !lispier::lastUseOf(alloc))
      return;
    OpBuilder b(alloc->getBlock()->getTerminator());
    auto dealloc = memref::DeallocOp::create(b, alloc.getLoc(), alloc);
    for (Operation *op : {alloc.getOperation(), dealloc.getOperation()})
      op->setAttr(bufferization::BufferizationDialect::kManualDeallocation, b.getUnitAttr());
    alloc->setAttr(lispier::kIntermediateAttr, b.getUnitAttr());
  });
}

/// For each result, whether the caller frees it.
ArrayRef<bool> ownedResults(func::FuncOp function) {
  auto owned = function ? function->getAttrOfType<DenseBoolArrayAttr>(lispier::kOwnedResultsAttr) : nullptr;
  return owned ? owned.asArrayRef().take_front(function.getNumResults()) : ArrayRef<bool>();
}

/// Allocations that are nothing but results of their own, which the caller frees; none unless all such results are.
llvm::SmallPtrSet<Operation *, 4> allocatedResults(func::FuncOp function) {
  llvm::SmallPtrSet<Operation *, 4> found;
  Operation *end = function.getBody().back().getTerminator();
  for (auto [i, isOwned] : llvm::enumerate(ownedResults(function))) {
    if (!isOwned)
      continue;
    auto alloc = end->getOperand(i).getDefiningOp<memref::AllocOp>();
    if (!alloc || isManual(alloc) || alloc->getBlock() != end->getBlock() ||
        !lispier::isHandedOnOnlyBy(alloc, end->getOpOperand(i)))
      return {};
    found.insert(alloc);
  }
  return found;
}

/// Whether memory of a tensor is left of which only the run knows when to free it, or whether to copy it for the
/// caller.
bool hasMemoryToFree(func::FuncOp function, SymbolTable &symbols) {
  llvm::SmallPtrSet<Operation *, 4> returned = allocatedResults(function);
  if (returned.empty() && llvm::is_contained(ownedResults(function), true))
    return true;
  return function
      .walk([&](Operation *op) {
        auto call = dyn_cast<func::CallOp>(op);
        bool isLeft = call ? llvm::is_contained(ownedResults(symbols.lookup<func::FuncOp>(call.getCallee())), true)
                           : hasEffect<MemoryEffects::Allocate>(op) && !isManual(op) && !returned.contains(op) &&
                                 !isa<memref::AllocaOp>(op);
        return isLeft ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct BufferizeTensors : lispier::impl::BufferizeTensorsBase<BufferizeTensors> {
  using BufferizeTensorsBase::BufferizeTensorsBase;

  BufferizeTensors() {
    OpPassManager outline(ModuleOp::getOperationName()), lower(ModuleOp::getOperationName());
    outline.addPass(createGpuKernelOutliningPass());
    outlining = outline;
    OpPassManager simplify(func::FuncOp::getOperationName()), free(func::FuncOp::getOperationName());
    simplify.addPass(createCanonicalizerPass());
    simplification = simplify;
    free.addPass(bufferization::createOwnershipBasedBufferDeallocationPass());
    free.addPass(createCanonicalizerPass());
    free.addPass(bufferization::createBufferDeallocationSimplificationPass());
    deallocation = free;
    lower.addPass(bufferization::createLowerDeallocationsPass());
    lower.addPass(createConvertBufferizationToMemRefPass());
    lower.addPass(createCSEPass()); // Views of one part become one, of which the next pass erases copies to itself.
    lower.addPass(createCanonicalizerPass());
    lowering = lower;
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    BufferizeTensorsBase::getDependentDialects(registry);
    OpPassManager upstream(ModuleOp::getOperationName()); // The passes whose functions this one calls.
    upstream.addPass(bufferization::createEmptyTensorEliminationPass());
    upstream.addPass(bufferization::createOneShotBufferizePass());
    upstream.getDependentDialects(registry);
    auto add = [&](const auto &option) {
      for (const OpPassManager &passes : option)
        passes.getDependentDialects(registry);
    };
    add(outlining);
    add(simplification);
    add(deallocation);
    add(lowering);
    lispier::registerDeviceBufferization(registry);
    lispier::registerOwnedResults(registry);
    registry.addExtension(
        +[](MLIRContext *context, gpu::GPUDialect *) { gpu::LaunchFuncOp::attachInterface<LaunchEffects>(*context); });
  }

  LogicalResult run(MutableArrayRef<OpPassManager> option, Operation *op) {
    return success(llvm::all_of(option, [&](OpPassManager &passes) { return succeeded(runPipeline(passes, op)); }));
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (usesTensors(function))
        functions.push_back(function);
    if (functions.empty())
      return;
    for (auto function : functions) {
      markManual(function);
      lispier::markOwnedResults(function);
    }
    // Deallocation does not support control flow inside gpu.launch, so outline kernels first.
    if (llvm::any_of(functions, launches) && failed(run(*outlining, module)))
      return signalPassFailure();
    lispier::storeLongJoins(module);
    lispier::fillWhereWritten(module);
    replaceEmptyCollapses(module);
    if (countWork)
      emitRemark(module.getLoc()) << lispier::countInsertionsBefore(module) << " insertions before";
    if (failed(bufferizeModule(module)))
      return signalPassFailure();
    SymbolTable symbols(module);
    for (auto function : functions) {
      if (function.isExternal())
        continue;
      if (failed(run(*simplification, function)))
        return signalPassFailure();
      IRRewriter rewriter(&getContext());
      auto isOwn = [](Operation *op) { return !isManual(op); };
      if (lispier::makeBeforeSteps(function, isOwn) && failed(run(*simplification, function)))
        return signalPassFailure();
      lispier::keepWhileBuffers(function, rewriter, isOwn);
      lispier::exchangeCarriedBuffers(function, rewriter, isOwn);
      lispier::makeWhereCopied(function, rewriter, isOwn);
      freeInBlock(function);
      if (!hasMemoryToFree(function, symbols))
        continue;
      if (failed(run(*deallocation, function)) || failed(lispier::dropFalseOwnerships(function)) ||
          failed(run(*simplification, function)))
        return signalPassFailure();
    }
    if (failed(run(*lowering, module)))
      return signalPassFailure();
    lispier::putListsOnStack(module);
    for (auto function : functions)
      function.walk([](memref::AllocOp op) {
        if (!op->hasAttr(bufferization::BufferizationDialect::kManualDeallocation))
          op->setAttr(lispier::kIntermediateAttr, UnitAttr::get(op->getContext()));
      });
    module.walk([](Operation *op) { op->removeAttr(bufferization::BufferizationDialect::kManualDeallocation); });
    for (auto function : functions)
      lispier::unmarkOwnedResults(function);
  }
};
} // namespace
