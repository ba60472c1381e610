//===- EmbedKernels.cpp - the kernels' binary inside the program ----------===//
//
// Before: a gpu.module, and a host `main`. After: its binaries as constants of the
// host module, which `main` announces to the runtime as its first act. The
// gpu.module stays for CallDevice, which erases it with the last launch.
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"
#include "SplitKernels.h"
#include "lispier/Gpu/GpuPhase.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EMBEDKERNELS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
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
    OpBuilder start = OpBuilder::atBlockBegin(&main.getBody().front());
    for (const std::string &name : targets)
      if (failed(embed(*modules.begin(), start, name)))
        return signalPassFailure();
  }

  void markEarlyLaunches(gpu::GPUModuleOp kernels, const GpuBackend &backend) {
    llvm::StringSet<> waiting;
    for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
      if (backend.waitsItself(kernel))
        waiting.insert(kernel.getName());
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      if (launch.getKernelModuleName() == kernels.getName() && waiting.contains(launch.getKernelName()))
        launch->setAttr(kEarlyLaunch, UnitAttr::get(&getContext()));
    });
  }

  LogicalResult embed(gpu::GPUModuleOp kernels, OpBuilder &start, StringRef name) {
    llvm::Expected<GpuTarget> gpu = findGpu(name);
    if (!gpu)
      return kernels.emitError(llvm::toString(gpu.takeError()));
    if (failed(checkOps(getOperation(), *gpu)))
      return failure();
    // Each costs 10 ms to compile, and the runtime takes so many for all targets.
    constexpr size_t kMostOfTarget = 32, kMostOfProgram = 256;
    size_t most = std::min(kMostOfTarget, kMostOfProgram / targets.size());
    std::vector<OwningOpRef<gpu::GPUModuleOp>> parts = splitKernels(kernels, opsPerBinary, most);
    std::vector<GpuCode> codes(parts.size());
    GpuFormat format = gpu->backend->formats().front();
    markEarlyLaunches(kernels, *gpu->backend);
    LogicalResult compiled = failableParallelForEachN(&getContext(), 0, parts.size(), [&](size_t i) {
      FailureOr<GpuCode> code = compileGpuModule(*parts[i], *gpu, format);
      if (succeeded(code))
        codes[i] = std::move(*code);
      return LogicalResult(code);
    });
    if (failed(compiled))
      return failure();
    for (auto [number, code] : llvm::enumerate(codes))
      announce(code, number, *gpu, format, kernels.getLoc(), start);
    return success();
  }

  void announce(const GpuCode &code, size_t number, GpuTarget gpu, GpuFormat format, Location loc, OpBuilder &start) {
    std::string bytes(code.bytes.begin(), code.bytes.end());
    int64_t size = bytes.size();
    bytes += '\0'; // Drivers take PTX as a text.
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    std::string symbol = ("lispier_kernels_" + gpu.backend->name() + "_" + gpu.chip->name).str();
    if (number > 0)
      symbol += "_" + std::to_string(number);
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    constexpr uint64_t kAlignment = 64; // HIP reads the code object in place.
    auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
                                         builder.getStringAttr(bytes), kAlignment);
    std::string names =
        llvm::join(llvm::map_range(code.kernels, [](const KernelDescription &kernel) { return kernel.name; }), "\n");
    RuntimeCalls calls(module);
    Value address = LLVM::AddressOfOp::create(start, loc, global);
    Value length = arith::ConstantIntOp::create(start, loc, size, 64);
    calls.call(start, loc, "lispier_rt_device_image",
               {calls.text(start, loc, runtimeKind(*gpu.backend)), calls.text(start, loc, gpu.chip->name),
                calls.text(start, loc, nameOf(format)), calls.text(start, loc, names), address, length});
  }
};
} // namespace
} // namespace lispier
