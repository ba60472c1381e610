//===- CompileGpuModule.cpp - from kernels to the bytes a driver loads ----===//
#include "TracePasses.h"
#include "lispier/Gpu/GpuPhase.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Target/Host/Gpu.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
namespace {
KernelParameter describe(Type type) {
  if (!type.isIntOrIndexOrFloat() && !isa<VectorType, ComplexType>(type))
    return {"pointer", 8};
  if (type.isIndex())
    return {"i64", 8};
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return {name, static_cast<unsigned>(byteSize(type))};
}

int64_t bytesOf(MemRefType type) { return type.getNumElements() * byteSize(type.getElementType()); }

KernelDescription describe(gpu::GPUFuncOp kernel) {
  KernelDescription description;
  description.name = kernel.getName().str();
  for (Type type : kernel.getArgumentTypes())
    description.parameters.push_back(describe(type));
  if (std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize())
    llvm::copy(*block, description.block.begin());
  constexpr int64_t kSharedAlignment = 16;
  for (BlockArgument shared : kernel.getWorkgroupAttributions())
    description.sharedBytes =
        llvm::alignTo(description.sharedBytes, kSharedAlignment) + bytesOf(cast<MemRefType>(shared.getType()));
  kernel.walk([&](gpu::DynamicSharedMemoryOp) { description.dynamicShared = true; });
  return description;
}

/// One place in a file for what a macro or inlining gave a chain of places: upstream's pass for debug information takes
/// chains inside functions only, and crashes on a module or global with one. Some ops become globals later.
void flattenLocations(gpu::GPUModuleOp kernels) {
  auto flatten = [](Operation *op) {
    if (auto place = op->getLoc()->findInstanceOf<FileLineColRange>())
      op->setLoc(place);
  };
  flatten(kernels);
  for (Operation &op : *kernels.getBody())
    flatten(&op);
  kernels.walk([&](Operation *op) {
    if (isa<gpu::DynamicSharedMemoryOp, gpu::PrintfOp>(op))
      flatten(op);
  });
}

/// Kernels that a pipeline of the user's has brought to the LLVM dialect already.
bool isLowered(gpu::GPUModuleOp kernels) {
  return kernels.getOps<gpu::GPUFuncOp>().empty() && !kernels.getOps<LLVM::LLVMFuncOp>().empty();
}

KernelDescription describe(LLVM::LLVMFuncOp kernel) {
  KernelDescription description;
  description.name = kernel.getName().str();
  for (Type type : kernel.getArgumentTypes())
    description.parameters.push_back(describe(type));
  if (auto block = kernel->getAttrOfType<DenseI32ArrayAttr>("gpu.known_block_size"))
    llvm::copy(block.asArrayRef(), description.block.begin());
  return description;
}

LogicalResult checkLimits(gpu::GPUFuncOp kernel, const KernelDescription &description, const GpuChip &chip) {
  int64_t threads = int64_t(description.block[0]) * description.block[1] * description.block[2];
  if (threads > chip.info.maxThreadsPerBlock)
    return kernel.emitError("kernel ") << description.name << " has " << threads << " threads in a block; " << chip.name
                                       << " allows " << chip.info.maxThreadsPerBlock;
  if (description.sharedBytes > chip.info.sharedBytes) {
    InFlightDiagnostic error = kernel.emitError("kernel ") << description.name << " has " << description.sharedBytes
                                                           << " bytes of static shared memory; " << chip.name
                                                           << " allows " << chip.info.sharedBytes;
    if (chip.info.maxSharedBytes > chip.info.sharedBytes)
      error << ", and up to " << chip.info.maxSharedBytes << " as dynamic shared memory";
    return error;
  }
  return success();
}
/// LLVM's PTX writer ends the process on a name that it cannot spell.
LogicalResult checkName(Operation *kernel, StringRef name) {
  if (llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }))
    return success();
  return kernel->emitError("kernel name ") << name << " has characters that no assembler takes; "
                                           << "lispier-merge-gpu-modules spells it with letters, digits and _";
}

/// What the chip has no instruction for; empty when it has all that the op needs.
StringRef missing(Operation *op, const TargetInfo &info) {
  if (info.blockClusters) // They came with the copies of tiles.
    return "";
  if (op->getName().getStringRef().starts_with("nvgpu.tma."))
    return "copies of tiles of tensors";
  bool cluster = isa<gpu::ClusterIdOp, gpu::ClusterDimOp, gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp>(op);
  return cluster ? "clusters of blocks" : "";
}

FailureOr<GpuCode> emit(gpu::GPUModuleOp kernels, GpuTarget target, GpuFormat format, const GpuTools &tools,
                        GpuCode code) {
  FailureOr<GpuBytes> bytes = target.backend->emit(kernels, *target.chip, format, tools);
  if (failed(bytes))
    return failure();
  code.bytes = std::move(*bytes);
  return code;
}
} // namespace

LogicalResult checkOps(Operation *root, GpuTarget target) {
  LogicalResult result = success();
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != root && isa<gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    if (llvm::is_contained(target.backend->foreignDialects(), op->getName().getDialectNamespace()))
      result = op->emitError("op `") << op->getName().getStringRef() << "` is of another vendor's GPUs, not of "
                                     << target.backend->name();
    else if (bool asserts = isa<cf::AssertOp>(op) && isa<gpu::GPUModuleOp>(root);
             (asserts || isa<gpu::PrintfOp>(op)) && !target.backend->prints())
      result = op->emitError("kernels cannot ") << (asserts ? "assert" : "print") << " on " << target.backend->name()
                                                << "; they can on sim, cpu and cuda";
    else if (StringRef what = missing(op, target.chip->info); !what.empty())
      result = op->emitError("op `") << op->getName().getStringRef() << "` needs " << what << ", which "
                                     << target.chip->name << " does not have";
    else if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
             launch && launch.hasClusterSize() && !target.chip->info.blockClusters)
      result = op->emitError("launches clusters of blocks, which ") << target.chip->name << " does not have";
    return WalkResult::advance();
  });
  return result;
}

FailureOr<GpuCode> compileGpuModule(gpu::GPUModuleOp kernels, GpuTarget target, GpuFormat format,
                                    const GpuTools &tools) {
  const GpuChip &chip = *target.chip;
  if (!llvm::is_contained(target.backend->formats(), format))
    return kernels.emitError("no ") << nameOf(format) << " can be made for " << target.backend->name();
  if (failed(checkOps(kernels, target)))
    return failure();
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(kernels.getLoc());
  auto copy = cast<gpu::GPUModuleOp>(kernels->clone());
  flattenLocations(copy);
  (*scratch)->setLoc(copy.getLoc());
  scratch->push_back(copy);

  GpuCode code;
  if (isLowered(copy)) {
    for (auto kernel : copy.getOps<LLVM::LLVMFuncOp>()) {
      if (!kernel->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
        continue;
      if (failed(checkName(kernel, kernel.getName())))
        return failure();
      code.kernels.push_back(describe(kernel));
    }
    return emit(copy, target, format, tools, std::move(code));
  }

  // Checked once, at the end: these passes run for each part of each program, and are tested one by one.
  PassManager generic(kernels.getContext());
  generic.enableVerifier(false);
  tracePasses(generic);
  addKernelPhase(generic.nest<gpu::GPUModuleOp>(), chip.info);
  if (failed(generic.run(*scratch)))
    return failure();
  for (auto kernel : copy.getOps<gpu::GPUFuncOp>()) {
    if (!kernel.isKernel())
      continue;
    code.kernels.push_back(describe(kernel));
    if (failed(checkName(kernel, kernel.getName())) || failed(checkLimits(kernel, code.kernels.back(), chip)))
      return failure();
  }

  PassManager vendor(kernels.getContext());
  vendor.enableVerifier(false);
  tracePasses(vendor);
  target.backend->addPasses(vendor, chip);
  if (failed(vendor.run(*scratch)) || failed(verify(*scratch)))
    return failure();
  return emit(copy, target, format, tools, std::move(code));
}
} // namespace lispier
