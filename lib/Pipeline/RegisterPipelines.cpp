//===- RegisterPipelines.cpp - phases as named pipelines ------------------===//
//
// For lispier-opt and tests. The driver adds the same phases without their names.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/Passes.h"
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace lispier {
namespace {
struct TargetOption : PassPipelineOptions<TargetOption> {
  Option<std::string> target{*this, "target", llvm::cl::desc("Which GPU: cuda, cuda:sm_90a, rocm:gfx942"),
                             llvm::cl::init("cuda")};
};

struct EmitOptions : PassPipelineOptions<EmitOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("Which GPU: cuda, cuda:sm_90a, rocm:gfx942"),
                             llvm::cl::init("cuda")};
  Option<std::string> format{*this, "format",
                             llvm::cl::desc("ptx, cubin, fatbin or hsaco; the target's first when empty")};
  Option<std::string> output{*this, "output", llvm::cl::desc("The file to write; - is standard output"),
                             llvm::cl::init("-")};
  Option<std::string> ptxas{*this, "ptxas", llvm::cl::desc("Path of ptxas; looked for when empty")};
  Option<std::string> lld{*this, "lld", llvm::cl::desc("Path of ld.lld; looked for when empty")};
};

/// Adds lispier-attach-target. If the target's name is unknown that pass reports it, before later passes run.
PipelineOptions attach(OpPassManager &pm, StringRef target) {
  pm.addPass(createAttachTarget({target.str()}));
  PipelineOptions options;
  options.target.gpu = GpuTarget{gpuBackends().front(), &gpuBackends().front()->chips().front()};
  if (llvm::Expected<GpuTarget> gpu = findGpu(target))
    options.target.gpu = *gpu;
  else
    llvm::consumeError(gpu.takeError());
  return options;
}
} // namespace

void registerPipelines() {
  PassPipelineRegistration<TargetOption> gpu("lispier-gpu-phase", "From loops on memrefs to kernels in one gpu.module",
                                             [](OpPassManager &pm, const TargetOption &options) {
                                               attach(pm, options.target);
                                               addGpuPhase(pm);
                                             });
  PassPipelineRegistration<TargetOption> kernels(
      "lispier-kernels-phase", "From one gpu.module to parts, down to what a vendor's conversion knows",
      [](OpPassManager &pm, const TargetOption &options) { addKernelsPhase(pm, attach(pm, options.target)); });
  PassPipelineRegistration<TargetOption> device(
      "lispier-device-phase", "From parts to the LLVM dialect",
      [](OpPassManager &pm, const TargetOption &options) { addDevicePhase(pm, attach(pm, options.target)); });
  PassPipelineRegistration<EmitOptions> emit("lispier-emit-gpu",
                                             "Compile the module's gpu.module and write the binary to a file",
                                             [](OpPassManager &pm, const EmitOptions &options) {
                                               PipelineOptions pipeline = attach(pm, options.target);
                                               pipeline.format = options.format;
                                               pipeline.tools.ptxas = options.ptxas;
                                               pipeline.tools.lld = options.lld;
                                               addKernelsPhase(pm, pipeline);
                                               addDevicePhase(pm, pipeline);
                                               addSerialization(pm, pipeline);
                                               pm.addPass(createWriteKernels({options.output}));
                                             });
}
} // namespace lispier
