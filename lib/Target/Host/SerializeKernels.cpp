//===- SerializeKernels.cpp - compile lowered kernels to binaries ---------===//
//
// Before: a gpu.module whose kernels are in the LLVM dialect. After: the attribute
// `device.code` holds its binary, or the symbol of one that threads make meanwhile, and
// each kernel is a declaration with its `device.kernel`. No later pass needs the bodies.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Target/Host/KernelBinaries.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SERIALIZEKERNELS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
void keepDeclarations(gpu::GPUModuleOp kernels) {
  for (Operation &op : *kernels.getBody())
    for (Region &region : op.getRegions()) {
      region.dropAllReferences();
      region.getBlocks().clear();
    }
  for (Operation &op : llvm::make_early_inc_range(*kernels.getBody()))
    if (!op.hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
      op.erase();
}

KernelPlaces placesOf(gpu::GPUModuleOp kernels) {
  KernelPlaces places;
  for (auto function : kernels.getOps<FunctionOpInterface>())
    if (auto place = function.getLoc()->findInstanceOf<FileLineColRange>())
      places.try_emplace(function.getName(), place);
  return places;
}

struct SerializeKernels : impl::SerializeKernelsBase<SerializeKernels> {
  using SerializeKernelsBase::SerializeKernelsBase;
  SerializeKernels(const SerializeKernelsOptions &options, KernelBinaries *binaries)
      : SerializeKernelsBase(options), binaries(binaries) {}

  // Translation interfaces must be loaded with their dialects, before passes run.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<device::DeviceDialect, LLVM::LLVMDialect>();
    registerGpuDialects(registry);
  }

  void runOnOperation() override {
    if (!getOperation()->hasAttr(device::kCode) && failed(serialize(getOperation())))
      signalPassFailure();
  }

  LogicalResult serialize(gpu::GPUModuleOp kernels) {
    FailureOr<GpuTarget> target = gpuTargetOf(kernels);
    if (failed(target))
      return failure();
    ArrayRef<GpuFormat> formats = target->backend->formats();
    std::optional<GpuFormat> kind = format.empty() ? formats.front() : findGpuFormat(format);
    if (!kind)
      return kernels.emitError("no GPU format `") << format << "`; there are ptx, cubin, fatbin, hsaco";
    if (!llvm::is_contained(formats, *kind))
      return kernels.emitError("no ") << nameOf(*kind) << " can be made for " << target->backend->name();
    GpuTools tools;
    tools.ptxas = ptxas;
    tools.fatbinary = fatbinary;
    tools.lld = lld;
    tools.reports = explain;
    FailureOr<BinaryJob> job = target->backend->compile(kernels, *target->chip, *kind, tools);
    if (failed(job))
      return failure();
    Builder builder(&getContext());
    StringAttr contents, symbol;
    KernelPlaces places = explain ? placesOf(kernels) : KernelPlaces();
    if (binaries) {
      symbol = builder.getStringAttr("lispier_kernels_" + target->backend->name() + "_" + target->chip->name + "_" +
                                     kernels.getName());
      binaries->make(symbol, kernels.getLoc(), std::move(places), std::move(*job));
    } else {
      llvm::Expected<GpuBinary> binary = (*job)();
      if (!binary)
        return kernels.emitError(llvm::toString(binary.takeError()));
      contents = builder.getStringAttr(StringRef(binary->bytes.data(), binary->bytes.size()));
      explainResources(binary->resources, places);
    }
    kernels->setAttr(device::kCode, device::CodeAttr::get(&getContext(), nameOf(*kind), contents, symbol));
    keepDeclarations(kernels);
    return success();
  }

  KernelBinaries *binaries = nullptr; ///< Null: the pass makes the binary.
};
} // namespace

std::unique_ptr<Pass> createSerializeKernels(const SerializeKernelsOptions &options, KernelBinaries *binaries) {
  return std::make_unique<SerializeKernels>(options, binaries);
}
} // namespace lispier
