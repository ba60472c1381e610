//===- EmitGpu.cpp - the GPU binary of a module, to a file ----------------===//
//
// A pass for pipelines in text and tests; the driver of the compiler calls
// compileGpuModule itself.
//
//===----------------------------------------------------------------------===//

#include "lispier/Gpu/GpuPhase.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EMITGPU
#include "lispier/Target/Host/Passes.h.inc"

namespace {
struct EmitGpu : impl::EmitGpuBase<EmitGpu> {
  using EmitGpuBase::EmitGpuBase;

  // The passes inside run while the context no longer loads dialects.
  void getDependentDialects(DialectRegistry &registry) const override {
    registerGpuDialects(registry);
    for (const GpuBackend *backend : gpuBackends()) {
      OpPassManager passes(ModuleOp::getOperationName());
      addKernelPhase(passes.nest<gpu::GPUModuleOp>(), backend->chips().front().info);
      backend->addPasses(passes, backend->chips().front());
      passes.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    if (failed(emit()))
      signalPassFailure();
  }

  LogicalResult emit() {
    ModuleOp module = getOperation();
    llvm::Expected<GpuTarget> gpu = findGpu(target);
    if (!gpu)
      return module.emitError(llvm::toString(gpu.takeError()));
    std::optional<GpuFormat> kind = format.empty() ? gpu->backend->formats().front() : findGpuFormat(format);
    if (!kind)
      return module.emitError("no GPU format `") << format << "`; there are ptx, cubin, fatbin, hsaco";
    auto modules = module.getOps<gpu::GPUModuleOp>();
    if (!llvm::hasSingleElement(modules))
      return module.emitError("has ") << llvm::range_size(modules) << " gpu.modules; one is compiled, "
                                      << "lispier-merge-gpu-modules makes one of many";
    GpuTools tools;
    tools.ptxas = ptxas;
    tools.lld = lld;
    FailureOr<GpuCode> code = compileGpuModule(*modules.begin(), *gpu, *kind, tools);
    if (failed(code))
      return failure();
    std::error_code error;
    llvm::raw_fd_ostream os(output, error);
    if (!error) {
      os.write(code->bytes.data(), code->bytes.size());
      os.flush();
      error = os.error();
      os.clear_error();
    }
    if (error)
      return module.emitError("cannot write ") << output << ": " << error.message();
    return success();
  }
};

struct ChipOption : PassPipelineOptions<ChipOption> {
  Option<std::string> target{*this, "target", llvm::cl::desc("Which GPU: cuda, cuda:sm_90a, rocm:gfx942"),
                             llvm::cl::init("cuda")};
  /// The named chip's answers; those of the default when there is no such chip, which emitting then reports.
  TargetInfo info() const {
    llvm::Expected<GpuTarget> gpu = findGpu(target);
    if (gpu)
      return gpu->chip->info;
    llvm::consumeError(gpu.takeError());
    return gpuBackends().front()->chips().front().info;
  }
};
} // namespace

void registerGpuPipelines() {
  PassPipelineRegistration<ChipOption> phase(
      "lispier-gpu-phase", "From loops on memrefs to kernels in one gpu.module",
      [](OpPassManager &pm, const ChipOption &options) { addGpuPhase(pm, options.info()); });
  PassPipelineRegistration<ChipOption> kernels(
      "lispier-kernel-phase", "On a gpu.module: down to what a vendor's conversion knows",
      [](OpPassManager &pm, const ChipOption &options) { addKernelPhase(pm, options.info()); });
}
} // namespace lispier
