//===- Amd.cpp - kernels to HSACO -----------------------------------------===//
#include "lispier/Target/Amd/Amd.h"
#include "AmdChips.h"
#include "lispier/Target/Backend/Codegen.h"
#include "lispier/TargetInfo/TargetNames.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/ROCDL/ROCDLToLLVMIRTranslation.h"
#include "llvm/IR/Module.h"

using namespace mlir;

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUAsmPrinter();
}

namespace lispier {
namespace {
/// Code object version 5, as LLVM encodes it: every ROCm since 5.4 loads it. ReadLaunchSizes relies on its layout.
constexpr unsigned kCodeObjectVersion = 500;

class AmdBackend final : public GpuBackend {
public:
  AmdBackend() {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
  }

  StringRef name() const override { return kRocmName.name; }
  StringRef runtimeKind() const override { return kRocmName.deviceKind; }
  ArrayRef<GpuChip> chips() const override { return amdChips(); }
  bool prints() const override {
    return false;
  } // printf would need ROCm's device library, and host code that reads its buffer.
  std::vector<std::string> abilities(const GpuChip &chip) const override { return {"amd", chip.name}; }
  ArrayRef<GpuFormat> formats() const override {
    static constexpr GpuFormat all[] = {GpuFormat::Hsaco};
    return all;
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<ROCDL::ROCDLDialect, amdgpu::AMDGPUDialect>();
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerROCDLDialectTranslation(registry);
  }

  ArrayRef<StringRef> ownDialects() const override {
    static constexpr StringRef all[] = {"amdgpu", "rocdl"};
    return all;
  }

  FailureOr<BinaryJob> compile(gpu::GPUModuleOp kernels, const GpuChip &chip, GpuFormat format,
                               const GpuTools &tools) const override {
    if (failed(checkSelfContained(kernels, {})))
      return failure();
    // The linker of this LLVM version first: an older one in PATH may not support the code object version.
    std::string lld = findTool(tools.lld, "ld.lld", {"/usr/lib/llvm-22/bin"}, Search::FoldersFirst);
    if (lld.empty())
      lld = findTool("", "ld.lld", {"/opt/rocm/llvm/bin"}, Search::PathFirst);
    if (lld.empty())
      return kernels.emitError("needs ld.lld to link a HSACO, and it is neither in PATH nor in /usr/lib/llvm-22/bin; "
                               "install lld");
    auto prepare = [](llvm::Module &module) {
      module.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version", kCodeObjectVersion);
    };
    FailureOr<DeviceModule> code = translate(kernels, {"amdgcn-amd-amdhsa", chip.name, chip.features, false}, prepare);
    if (failed(code))
      return failure();
    return BinaryJob([code = std::move(*code), lld]() mutable -> llvm::Expected<GpuBytes> {
      llvm::Expected<GpuBytes> object = generateCode(std::move(code));
      if (!object)
        return object;
      return runTool(lld, {*object}, [](ArrayRef<std::string> in, const std::string &out) {
        return std::vector<std::string>{"-shared", "--no-undefined", in[0], "-o", out};
      });
    });
  }
};
} // namespace

const GpuBackend &amdBackend() {
  static const AmdBackend backend;
  return backend;
}
} // namespace lispier
