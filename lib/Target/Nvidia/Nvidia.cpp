//===- Nvidia.cpp - kernels to PTX and cubin ------------------------------===//
//
// The only file that includes the NVVM dialect, which is dear to compile.
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Nvidia/Nvidia.h"
#include "Chips.h"
#include "ShuffleByMask.h"
#include "TensorMapArguments.h"
#include "lispier/Target/Backend/Codegen.h"
#include "lispier/Target/Backend/SharedVectors.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace lispier {
namespace {
constexpr llvm::StringLiteral kToolFolders[] = {"/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/lib/cuda/bin"};
/// What every device has without a library, from the CUDA C++ Programming Guide.
constexpr llvm::StringLiteral kDeviceFunctions[] = {"vprintf", "malloc", "free", "__assertfail"};

ArrayRef<StringRef> toolFolders() {
  static const SmallVector<StringRef> folders(std::begin(kToolFolders), std::end(kToolFolders));
  return folders;
}

/// What an op needs; upstream's own word for it, where it has one.
std::optional<NVVM::NVVMCheckSMVersion> neededBy(Operation *op) {
  if (auto knows = dyn_cast<NVVM::RequiresSMInterface>(op))
    return knows.getRequiredMinSMVersion();
  struct Row {
    StringLiteral prefix;
    int version;
    bool accelerated;
  };
  // From the PTX ISA, "Target ISA Notes" of each instruction.
  static constexpr Row rows[] = {
      {"nvvm.wgmma.", 90, true},      {"nvvm.setmaxregister", 90, true}, {"nvvm.griddepcontrol", 90, false},
      {"nvvm.cluster.", 90, false},   {"nvvm.cp.async.bulk", 90, false}, {"nvvm.fence.mbarrier", 90, false},
      {"nvvm.elect.sync", 90, false}, {"nvvm.stmatrix", 90, false},      {"nvvm.mbarrier.try_wait", 90, false},
      {"nvvm.cp.async.", 80, false},  {"nvvm.mbarrier.", 80, false},
  };
  auto *row = llvm::find_if(rows, [&](const Row &row) { return op->getName().getStringRef().starts_with(row.prefix); });
  return row == std::end(rows) ? std::nullopt : std::optional(NVVM::NVVMCheckSMVersion(row->accelerated, row->version));
}

/// Fails at each op that the chip does not have: the code generator would end the process.
struct CheckChip : PassWrapper<CheckChip, OperationPass<gpu::GPUModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckChip)
  explicit CheckChip(StringRef chip) : chip(chip) {}
  StringRef getArgument() const override { return "lispier-check-chip"; }

  void runOnOperation() override {
    auto has = NVVM::NVVMCheckSMVersion::getTargetSMVersionFromStr(chip);
    getOperation().walk([&](Operation *op) {
      std::optional<NVVM::NVVMCheckSMVersion> needed = neededBy(op);
      if (!needed || needed->isCompatibleWith(has))
        return;
      const NVVM::NVVMCheckSMVersion &needs = *needed;
      InFlightDiagnostic error = op->emitError("op `") << op->getName().getStringRef() << "` needs ";
      for (auto [i, version] : llvm::enumerate(needs.smVersionList))
        error << (i ? " or " : "") << "sm_" << version << (needs.archAccelerated ? "a" : "");
      error << (needs.archAccelerated ? "" : " or newer") << ", and the target is " << chip;
      signalPassFailure();
    });
  }

  std::string chip;
};

class NvidiaBackend final : public GpuBackend {
public:
  NvidiaBackend() {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  }

  StringRef name() const override { return "cuda"; }
  ArrayRef<GpuChip> chips() const override { return nvidiaChips(); }
  bool prints() const override { return true; } // The driver has vprintf.
  std::vector<std::string> capabilities(const GpuChip &chip) const override { return nvidiaCapabilities(chip); }
  ArrayRef<GpuFormat> formats() const override {
    static constexpr GpuFormat all[] = {GpuFormat::Ptx, GpuFormat::Cubin, GpuFormat::Fatbin};
    return all;
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<NVVM::NVVMDialect, nvgpu::NVGPUDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  bool waitsItself(Operation *kernel) const override {
    return kernel
        ->walk([](NVVM::GriddepcontrolOp op) {
          return op.getKind() == NVVM::GridDepActionKind::wait ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  ArrayRef<StringRef> foreignDialects() const override {
    static constexpr StringRef all[] = {"amdgpu", "rocdl"};
    return all;
  }

  void addPasses(OpPassManager &module, const GpuChip &chip) const override {
    OpPassManager &kernels = module.nest<gpu::GPUModuleOp>();
    kernels.addPass(createTensorMapArguments());
    kernels.addPass(createConvertNVGPUToNVVMPass());
    kernels.addPass(createShuffleByMask());
    kernels.addPass(createSharedVectors());
    kernels.addPass(createConvertVectorToLLVMPass());
    ConvertGpuOpsToNVVMOpsOptions options;
    options.useBarePtrCallConv = true;
    options.hasRedux = false;
    kernels.addPass(createConvertGpuOpsToNVVMOps(options));
    kernels.addPass(createReconcileUnrealizedCastsPass());
    kernels.addPass(std::make_unique<CheckChip>(chip.name));
    kernels.addPass(createConvertNVVMToLLVMPass()); // what LLVM has no intrinsic for becomes inline PTX
    kernels.addPass(createReconcileUnrealizedCastsPass());
    kernels.addPass(createCanonicalizerPass());
    kernels.addPass(createCSEPass());
    // PTX has .loc lines of its own; DWARF sections beside them would make ptxas turn optimisation off.
    module.addPass(LLVM::createDIScopeForLLVMFuncOpPass({LLVM::DIEmissionKind::DebugDirectivesOnly}));
  }

  FailureOr<GpuBytes> emit(gpu::GPUModuleOp kernels, const GpuChip &chip, GpuFormat format,
                           const GpuTools &tools) const override {
    SmallVector<StringRef> provided(std::begin(kDeviceFunctions), std::end(kDeviceFunctions));
    if (failed(checkSelfContained(kernels, provided)))
      return failure();
    for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>())
      preferRegisters(kernel);
    FailureOr<GpuBytes> ptx = generateCode(kernels, {"nvptx64-nvidia-cuda", chip.name, chip.features, true});
    if (failed(ptx) || format == GpuFormat::Ptx)
      return ptx;
    FailureOr<GpuBytes> cubin = assemble(kernels, chip, *ptx, tools);
    if (failed(cubin) || format == GpuFormat::Cubin)
      return cubin;
    return bundle(kernels, chip, *cubin, *ptx, tools);
  }

private:
  /// Tensor cores are kept busy by loads ahead of their use, which takes registers, not by many warps: one block a
  /// multiprocessor is enough. Without the word ptxas moves each load behind the product before its own.
  static void preferRegisters(LLVM::LLVMFuncOp kernel) {
    StringRef name = NVVM::NVVMDialect::getMinctasmAttrName();
    bool multiplies = kernel->hasAttr(NVVM::NVVMDialect::getMaxntidAttrName()) &&
                      kernel.walk([](NVVM::MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (multiplies && !kernel->hasAttr(name))
      kernel->setAttr(name, Builder(kernel.getContext()).getI32IntegerAttr(1));
  }

  static FailureOr<std::string> tool(gpu::GPUModuleOp kernels, StringRef given, StringRef name) {
    std::string path = findTool(given, name, toolFolders(), Search::PathFirst);
    if (path.empty())
      return kernels.emitError("needs ") << name << ", which is neither in PATH nor in " << kToolFolders[0]
                                         << "; install it, or emit ptx, which the driver compiles";
    return path;
  }

  static FailureOr<GpuBytes> assemble(gpu::GPUModuleOp kernels, const GpuChip &chip, ArrayRef<char> ptx,
                                      const GpuTools &tools) {
    FailureOr<std::string> ptxas = tool(kernels, tools.ptxas, "ptxas");
    if (failed(ptxas))
      return failure();
    return runTool(kernels, *ptxas, {ptx}, [&](ArrayRef<std::string> in, const std::string &out) {
      return std::vector<std::string>{"-arch=" + chip.name, "-O3", in[0], "-o", out};
    });
  }

  static FailureOr<GpuBytes> bundle(gpu::GPUModuleOp kernels, const GpuChip &chip, ArrayRef<char> cubin,
                                    ArrayRef<char> ptx, const GpuTools &tools) {
    FailureOr<std::string> fatbinary = tool(kernels, tools.fatbinary, "fatbinary");
    if (failed(fatbinary))
      return failure();
    std::string arch = StringRef(chip.name).drop_front(3).str(); // without "sm_"
    return runTool(kernels, *fatbinary, {cubin, ptx}, [&](ArrayRef<std::string> in, const std::string &out) {
      return std::vector<std::string>{"--64", "--create=" + out, "--image3=kind=elf,sm=" + arch + ",file=" + in[0],
                                      "--image3=kind=ptx,sm=" + arch + ",file=" + in[1]};
    });
  }
};
} // namespace

const GpuBackend &nvidiaBackend() {
  static const NvidiaBackend backend;
  return backend;
}
} // namespace lispier
