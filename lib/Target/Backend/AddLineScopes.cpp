//===- AddLineScopes.cpp - debug scopes for line numbers ------------------===//
//
// Before: kernels in the LLVM dialect with locations. After: their functions have
// debug scopes, without which LLVM IR drops line numbers. This pass runs upstream's
// pass, which processes a whole builtin.module, on the contents of one gpu.module
// only.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Backend/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_ADDLINESCOPES
#include "lispier/Target/Backend/Passes.h.inc"

namespace {
/// Reduces a location chain (from a macro or inlining) to one file location: upstream's pass supports chains inside
/// functions only, and crashes on a module or global with one.
void flattenLocation(Operation *op) {
  if (auto place = op->getLoc()->findInstanceOf<FileLineColRange>())
    op->setLoc(place);
}

/// The place in a file by which upstream's pass knows a location: of a call, that of the caller.
Location placeOf(Location loc) {
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return placeOf(call.getCaller());
  if (auto name = dyn_cast<NameLoc>(loc))
    return placeOf(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location each : fused.getLocations())
      if (Location place = placeOf(each); isa<FileLineColLoc>(place))
        return place;
  return loc;
}

/// The location without calls of functions of which no place is known, on which upstream's pass crashes.
Location withoutUnknownCallees(Location loc) {
  auto call = dyn_cast<CallSiteLoc>(loc);
  if (!call)
    return loc;
  Location callee = withoutUnknownCallees(call.getCallee()), caller = withoutUnknownCallees(call.getCaller());
  return isa<FileLineColLoc>(placeOf(callee)) ? Location(CallSiteLoc::get(callee, caller)) : caller;
}

void moveContents(Block *from, Block *to) { to->getOperations().splice(to->end(), from->getOperations()); }

struct AddLineScopes : impl::AddLineScopesBase<AddLineScopes> {
  using AddLineScopesBase::AddLineScopesBase;

  void runOnOperation() override {
    gpu::GPUModuleOp kernels = getOperation();
    flattenLocation(kernels);
    for (Operation &op : *kernels.getBody())
      flattenLocation(&op);
    llvm::DenseMap<Location, Location> known; // Neighbours often share one, and to make one takes a lock.
    kernels.walk([&](Operation *op) {
      auto [at, isNew] = known.try_emplace(op->getLoc(), op->getLoc());
      if (isNew)
        at->second = withoutUnknownCallees(op->getLoc());
      op->setLoc(at->second);
    });
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(
        {sections ? LLVM::DIEmissionKind::LineTablesOnly : LLVM::DIEmissionKind::DebugDirectivesOnly}));
    auto scratch = ModuleOp::create(kernels.getLoc());
    moveContents(kernels.getBody(), scratch.getBody());
    kernels.getBody()->push_back(scratch);
    LogicalResult result = runPipeline(passes, scratch);
    scratch->remove();
    moveContents(scratch.getBody(), kernels.getBody());
    scratch->destroy();
    if (failed(result))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
