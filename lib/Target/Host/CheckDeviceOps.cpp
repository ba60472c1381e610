//===- CheckDeviceOps.cpp - ops that the target's devices do not have -----===//
//
// Before and after: the whole program, kernels and host code. What no later pass
// can lower for the target is an error at its op, while it still has the name that
// it was written by.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CHECKDEVICEOPS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
/// What the chip has no instruction for; empty when it has all that the op needs.
StringRef missing(Operation *op, const TargetInfo &info) {
  if (info.has(Ability::Clusters)) // They came with the copies of tiles.
    return "";
  if (op->getName().getStringRef().starts_with("nvgpu.tma."))
    return "copies of tiles of tensors";
  bool cluster = isa<gpu::ClusterIdOp, gpu::ClusterDimOp, gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp>(op);
  return cluster ? "clusters of blocks" : "";
}

/// Whether the op is arithmetic, and does not just move its operands.
bool computes(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith" || dialect == "math" || dialect == "complex")
    return !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
  return isa<gpu::AllReduceOp, gpu::SubgroupReduceOp, vector::ReductionOp, vector::MultiDimReductionOp, vector::FMAOp,
             vector::ContractionOp, vector::OuterProductOp, vector::ScanOp>(op);
}

/// What LLVM's code generators end the process at, or take for something else.
LogicalResult checkTypes(Operation *op, GpuTarget target) {
  constexpr unsigned kWidestFloat = 64; // LLVM makes calls of a library for wider ones.
  for (Type type : op->getResultTypes()) {
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
      return op->emitError("a value of type ") << type << " cannot be made: GPUs have no scalable vectors";
    if (getElementTypeOrSelf(type).isInteger(0))
      return op->emitError("a value of type ") << type << " cannot be made: it has no bits";
  }
  if (!computes(op))
    return success();
  SmallVector<Type> types(op->getResultTypes());
  llvm::append_range(types, op->getOperandTypes());
  for (Type type : types) {
    Type element = getElementTypeOrSelf(type);
    if (auto complex = dyn_cast<ComplexType>(element))
      element = complex.getElementType();
    if (auto real = dyn_cast<FloatType>(element); real && real.getWidth() > kWidestFloat)
      return op->emitError("op `") << op->getName() << "` cannot compute with " << real << " on "
                                   << target.backend->name() << "; f64 is the widest there";
  }
  return success();
}

bool isForeign(Operation *op, const GpuBackend *own) {
  StringRef dialect = op->getName().getDialectNamespace();
  return llvm::any_of(gpuBackends(), [&](const GpuBackend *backend) {
    return backend != own && llvm::is_contained(backend->ownDialects(), dialect);
  });
}

/// Where kernels may print and assert.
std::string printingTargets() {
  std::vector<std::string> names{"sim", "cpu"};
  for (const GpuBackend *backend : gpuBackends())
    if (backend->prints())
      names.push_back(backend->name().str());
  return inWords(names);
}

LogicalResult check(Operation *op, GpuTarget target) {
  if (op->getParentOfType<gpu::GPUModuleOp>() && failed(checkTypes(op, target)))
    return failure();
  StringRef name = op->getName().getStringRef();
  if (isForeign(op, target.backend))
    return op->emitError("op `") << name << "` is of another vendor's GPUs, not of " << target.backend->name();
  bool asserts = isa<cf::AssertOp>(op) && op->getParentOfType<gpu::GPUModuleOp>();
  if ((asserts || isa<gpu::PrintfOp>(op)) && !target.backend->prints())
    return op->emitError("kernels cannot ") << (asserts ? "assert" : "print") << " on " << target.backend->name()
                                            << "; they can on " << printingTargets();
  if (StringRef what = missing(op, target.chip->info); !what.empty())
    return op->emitError("op `") << name << "` needs " << what << ", which " << target.chip->name << " does not have";
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
      launch && launch.hasClusterSize() && !target.chip->info.has(Ability::Clusters))
    return op->emitError("launches clusters of blocks, which ") << target.chip->name << " does not have";
  return success();
}

struct CheckDeviceOps : impl::CheckDeviceOpsBase<CheckDeviceOps> {
  void runOnOperation() override {
    FailureOr<GpuTarget> target = gpuTargetOf(getOperation());
    if (failed(target))
      return signalPassFailure();
    bool failed = false;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) { failed |= check(op, *target).failed(); });
    if (failed)
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
