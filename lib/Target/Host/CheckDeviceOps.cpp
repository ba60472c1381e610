//===- CheckDeviceOps.cpp - reject ops that the target lacks --------------===//
//
// Before and after: the whole program, kernels and host code. An op that no later
// pass can lower for the target is an error here, while the message can still name
// the op of the source.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
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
/// The feature that the op needs and the chip lacks; empty if there is none.
StringRef missing(Operation *op, const TargetInfo &info) {
  if (info.has(Ability::Clusters)) // The chips with clusters are those with tensor-map copies.
    return "";
  if (op->getName().getStringRef().starts_with("nvgpu.tma."))
    return "copies of tiles of tensors";
  bool cluster = isa<gpu::ClusterIdOp, gpu::ClusterDimOp, gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp>(op);
  return cluster ? "clusters of blocks" : "";
}

/// Whether the op does arithmetic, rather than only move its operands.
bool computes(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith" || dialect == "math" || dialect == "complex")
    return !isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op);
  return isa<gpu::AllReduceOp, gpu::SubgroupReduceOp, vector::ReductionOp, vector::MultiDimReductionOp, vector::FMAOp,
             vector::ContractionOp, vector::OuterProductOp, vector::ScanOp>(op);
}

/// Rejects types that make LLVM's code generators abort or generate wrong code.
LogicalResult checkTypes(Operation *op, GpuTarget target) {
  constexpr unsigned kWidestFloat = 64; // For wider types LLVM calls a library.
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

LogicalResult check(Operation *op, GpuTarget target, bool inKernel) {
  if (inKernel && failed(checkTypes(op, target)))
    return failure();
  StringRef name = op->getName().getStringRef();
  if (isForeign(op, target.backend))
    return op->emitError("op `") << name << "` is of another vendor's GPUs, not of " << target.backend->name();
  bool asserts = isa<cf::AssertOp>(op) && inKernel;
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
    SmallVector<Operation *> functions;
    for (Operation &op : *getOperation().getBody())
      if (auto kernels = dyn_cast<gpu::GPUModuleOp>(op))
        llvm::append_range(functions, llvm::make_pointer_range(*kernels.getBody()));
      else
        functions.push_back(&op);
    auto checkAll = [&](size_t index) {
      bool inKernel = isa<gpu::GPUModuleOp>(functions[index]->getParentOp()), ok = true;
      functions[index]->walk<WalkOrder::PreOrder>(
          [&](Operation *op) { ok &= succeeded(check(op, *target, inKernel)); });
      return success(ok);
    };
    if (failed(device::forEachInParallel(&getContext(), functions.size(), checkAll)))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
