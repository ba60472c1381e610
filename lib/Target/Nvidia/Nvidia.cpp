//===- Nvidia.cpp - kernels to PTX and cubin ------------------------------===//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Nvidia/Nvidia.h"
#include "NvidiaChips.h"
#include "lispier/Target/Backend/Codegen.h"
#include "lispier/TargetInfo/TargetNames.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
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
/// Functions that every device provides without a library, from the CUDA C++ Programming Guide.
constexpr llvm::StringLiteral kDeviceFunctions[] = {"vprintf", "malloc", "free", "__assertfail"};

ArrayRef<StringRef> toolFolders() {
  static const SmallVector<StringRef> folders(std::begin(kToolFolders), std::end(kToolFolders));
  return folders;
}

class NvidiaBackend final : public GpuBackend {
public:
  NvidiaBackend() {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  }

  StringRef name() const override { return kCudaName.name; }
  StringRef runtimeKind() const override { return kCudaName.deviceKind; }
  ArrayRef<GpuChip> chips() const override { return nvidiaChips(); }
  bool prints() const override { return true; } // The driver provides vprintf.
  std::vector<std::string> abilities(const GpuChip &chip) const override { return nvidiaAbilities(chip); }
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

  ArrayRef<StringRef> ownDialects() const override {
    static constexpr StringRef all[] = {"nvgpu", "nvvm"};
    return all;
  }

  FailureOr<GpuBytes> emit(gpu::GPUModuleOp kernels, const GpuChip &chip, GpuFormat format,
                           const GpuTools &tools) const override {
    SmallVector<StringRef> provided(std::begin(kDeviceFunctions), std::end(kDeviceFunctions));
    if (failed(checkSelfContained(kernels, provided)))
      return failure();
    FailureOr<GpuBytes> ptx = generateCode(kernels, {"nvptx64-nvidia-cuda", chip.name, chip.features, true});
    if (failed(ptx) || format == GpuFormat::Ptx)
      return ptx;
    FailureOr<GpuBytes> cubin = assemble(kernels, chip, *ptx, tools);
    if (failed(cubin) || format == GpuFormat::Cubin)
      return cubin;
    return bundle(kernels, chip, *cubin, *ptx, tools);
  }

private:
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
