//===- EmbedKernels.cpp - the kernels' binary inside the program ----------===//
//
// Before: a gpu.module, and a host `main`. After: its binary as a constant of the
// host module, which `main` announces to the runtime as its first act. The
// gpu.module stays for CallDevice, which erases it with the last launch.
//
//===----------------------------------------------------------------------===//

#include "lispier/Loops/GpuPhase.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Gpu/Gpu.h"
#include "lispier/Target/Gpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EMBEDKERNELS
#include "lispier/Target/Gpu/Passes.h.inc"

namespace {
/// The runtime's name for a kind of device.
StringRef kindOf(const GpuBackend &backend) { return backend.name() == "rocm" ? "hip" : backend.name(); }

struct EmbedKernels : impl::EmbedKernelsBase<EmbedKernels> {
  using EmbedKernelsBase::EmbedKernelsBase;

  // The passes inside run while the context no longer loads dialects.
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect, func::FuncDialect>();
    registerGpuDialects(registry);
    for (const GpuBackend *backend : gpuBackends()) {
      OpPassManager passes(ModuleOp::getOperationName());
      addKernelPhase(passes.nest<gpu::GPUModuleOp>(), backend->chips().front().info);
      backend->addPasses(passes, backend->chips().front());
      passes.getDependentDialects(registry);
    }
  }

  void runOnOperation() override {
    auto modules = getOperation().getOps<gpu::GPUModuleOp>();
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (modules.empty() || !main || main.isExternal())
      return;
    for (const std::string &name : targets)
      if (failed(embed(*modules.begin(), main, name)))
        return signalPassFailure();
  }

  LogicalResult embed(gpu::GPUModuleOp kernels, func::FuncOp main, StringRef name) {
    llvm::Expected<GpuTarget> gpu = findGpu(name);
    if (!gpu)
      return kernels.emitError(llvm::toString(gpu.takeError()));
    GpuFormat format = gpu->backend->formats().front();
    FailureOr<GpuCode> code = compileGpuModule(kernels, *gpu, format);
    if (failed(code))
      return failure();
    std::string bytes(code->bytes.begin(), code->bytes.end());
    int64_t size = bytes.size();
    bytes += '\0'; // Drivers take PTX as a text.
    ModuleOp module = getOperation();
    Location loc = kernels.getLoc();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    std::string symbol = ("lispier_kernels_" + gpu->backend->name() + "_" + gpu->chip->name).str();
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    constexpr uint64_t kAlignment = 64; // HIP reads the code object in place.
    auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
                                         builder.getStringAttr(bytes), kAlignment);
    builder.setInsertionPointToStart(&main.getBody().front());
    RuntimeCalls calls(module);
    Value address = LLVM::AddressOfOp::create(builder, loc, global);
    Value length = arith::ConstantIntOp::create(builder, loc, size, 64);
    calls.call(builder, loc, "lispier_rt_device_image",
               {calls.text(builder, loc, kindOf(*gpu->backend)), calls.text(builder, loc, gpu->chip->name),
                calls.text(builder, loc, nameOf(format)), address, length});
    return success();
  }
};
} // namespace
} // namespace lispier
