//===- FlattenLocations.cpp - locations that debug scopes support ---------===//
//
// Before: kernels in the LLVM dialect with the locations of the program. After: with
// such as upstream's ensure-debug-info-scope-on-llvm-func supports, which gives their
// functions debug scopes: without these LLVM IR drops line numbers.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Backend/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_FLATTENLOCATIONS
#include "lispier/Target/Backend/Passes.h.inc"

namespace {
/// Reduces a location chain (from a macro or inlining) to one file location: upstream's pass supports chains inside
/// functions only, and crashes on a module or global with one.
void flatten(Operation *op) {
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

/// The location without calls of functions of which no place is known, on which upstream's pass crashes, and without
/// names of sizes.
Location withoutUnknownCallees(Location loc) {
  if (auto named = dyn_cast<FusedLoc>(loc); named && named.getLocations().size() == 1)
    return withoutUnknownCallees(named.getLocations().front());
  auto call = dyn_cast<CallSiteLoc>(loc);
  if (!call)
    return loc;
  Location callee = withoutUnknownCallees(call.getCallee()), caller = withoutUnknownCallees(call.getCaller());
  return isa<FileLineColLoc>(placeOf(callee)) ? Location(CallSiteLoc::get(callee, caller)) : caller;
}

struct FlattenLocations : impl::FlattenLocationsBase<FlattenLocations> {
  void runOnOperation() override {
    gpu::GPUModuleOp kernels = getOperation();
    flatten(kernels);
    for (Operation &op : *kernels.getBody())
      flatten(&op);
    llvm::DenseMap<Location, Location> known; // Neighbours often share one, and to make one takes a lock.
    kernels.walk([&](Operation *op) {
      auto [at, isNew] = known.try_emplace(op->getLoc(), op->getLoc());
      if (isNew)
        at->second = withoutUnknownCallees(op->getLoc());
      op->setLoc(at->second);
    });
  }
};
} // namespace
} // namespace lispier
