//===- Nvidia.cpp - kernels to PTX and cubin ------------------------------===//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Nvidia/Nvidia.h"
#include "NvidiaChips.h"
#include "ScalarizeNarrowSums.h"
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

  FailureOr<BinaryJob> compile(gpu::GPUModuleOp kernels, const GpuChip &chip, GpuFormat format,
                               const GpuTools &tools) const override {
    SmallVector<StringRef> provided(std::begin(kDeviceFunctions), std::end(kDeviceFunctions));
    if (failed(checkSelfContained(kernels, provided)))
      return failure();
    FailureOr<std::string> ptxas = std::string(), fatbinary = ptxas;
    if (format != GpuFormat::Ptx)
      ptxas = tool(kernels, tools.ptxas, "ptxas");
    if (succeeded(ptxas) && format == GpuFormat::Fatbin)
      fatbinary = tool(kernels, tools.fatbinary, "fatbinary");
    if (failed(ptxas) || failed(fatbinary))
      return failure();
    FailureOr<DeviceModule> code = translate(kernels, {"nvptx64-nvidia-cuda", chip.name, chip.features, true});
    if (failed(code))
      return failure();
    return BinaryJob([code = std::move(*code), chip = chip.name, format, ptxas = *ptxas, fatbinary = *fatbinary,
                      reports = tools.reports]() mutable -> llvm::Expected<GpuBinary> {
      GpuBinary binary;
      GpuBytes ptx;
      if (llvm::Error error = generateCode(std::move(code), scalarizeNarrowSums).moveInto(ptx))
        return error;
      if (format == GpuFormat::Ptx) { // The driver makes registers of it.
        binary.bytes = std::move(ptx);
        return binary;
      }
      std::string printed;
      if (llvm::Error error = assemble(ptxas, chip, ptx, reports ? &printed : nullptr).moveInto(binary.bytes))
        return error;
      binary.resources = resourcesIn(printed);
      if (format == GpuFormat::Fatbin)
        if (llvm::Error error = bundle(fatbinary, chip, binary.bytes, ptx).moveInto(binary.bytes))
          return error;
      return binary;
    });
  }

private:
  static FailureOr<std::string> tool(gpu::GPUModuleOp kernels, StringRef given, StringRef name) {
    std::string path = findTool(given, name, toolFolders(), Search::PathFirst);
    if (path.empty())
      return kernels.emitError("needs ") << name << ", which is neither in PATH nor in " << kToolFolders[0]
                                         << "; install it, or emit ptx, which the driver compiles";
    return path;
  }

  static llvm::Expected<GpuBytes> assemble(StringRef ptxas, const std::string &chip, ArrayRef<char> ptx,
                                           std::string *printed) {
    auto arguments = [&](ArrayRef<std::string> in, const std::string &out) {
      std::vector<std::string> words{"-arch=" + chip, "-O3", in[0], "-o", out};
      if (printed)
        words.push_back("-v");
      return words;
    };
    return runTool(ptxas, {ptx}, arguments, printed);
  }

  /// What `ptxas -v` prints of each kernel: lines with its name, with the bytes of its stack frame and spills, and with
  /// "Used 40 registers, used 1 barriers, 1024 bytes smem".
  static std::vector<KernelResources> resourcesIn(StringRef printed) {
    std::vector<KernelResources> all;
    uint64_t stored = 0;
    for (StringRef line : llvm::split(printed, '\n')) {
      auto countBefore = [&](StringRef unit) {
        uint64_t count = 0;
        (void)line.take_front(line.find(unit)).rtrim().rsplit(' ').second.getAsInteger(10, count);
        return count;
      };
      if (line.contains("Compiling entry function '"))
        all.push_back({line.split('\'').second.split('\'').first.str(), ""});
      else if (line.contains("bytes spill stores"))
        stored = countBefore("bytes spill stores");
      else if (line.contains("registers") && !all.empty())
        all.back().text = std::to_string(countBefore("registers")) + " registers, " + spillText(stored, "bytes") +
                          ", " + std::to_string(line.contains("bytes smem") ? countBefore("bytes smem") : 0) +
                          " bytes of static shared memory";
    }
    return all;
  }

  static llvm::Expected<GpuBytes> bundle(StringRef fatbinary, StringRef chip, ArrayRef<char> cubin,
                                         ArrayRef<char> ptx) {
    std::string arch = chip.drop_front(3).str(); // without "sm_"
    return runTool(fatbinary, {cubin, ptx}, [&](ArrayRef<std::string> in, const std::string &out) {
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
