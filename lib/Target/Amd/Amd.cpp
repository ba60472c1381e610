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
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELF.h"

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
    return BinaryJob([code = std::move(*code), lld, reports = tools.reports]() mutable -> llvm::Expected<GpuBinary> {
      GpuBinary binary;
      GpuBytes object;
      if (llvm::Error error = generateCode(std::move(code)).moveInto(object))
        return error;
      auto arguments = [](ArrayRef<std::string> in, const std::string &out) {
        return std::vector<std::string>{"-shared", "--no-undefined", in[0], "-o", out};
      };
      if (llvm::Error error = runTool(lld, {object}, arguments, /*printed=*/nullptr, "ld.lld").moveInto(binary.bytes))
        return error;
      if (reports)
        binary.resources = resourcesIn(StringRef(binary.bytes.data(), binary.bytes.size()));
      return binary;
    });
  }

private:
  static llvm::Error readMetadata(StringRef codeObject, llvm::msgpack::Document &metadata) {
    using namespace llvm::object;
    llvm::Expected<ELF64LEFile> file = ELF64LEFile::create(codeObject);
    if (!file)
      return file.takeError();
    llvm::Expected<ELF64LEFile::Elf_Phdr_Range> parts = file->program_headers();
    if (!parts)
      return parts.takeError();
    llvm::Error error = llvm::Error::success();
    for (const ELF64LE::Phdr &part : *parts)
      if (part.p_type == llvm::ELF::PT_NOTE)
        for (const ELF64LE::Note &note : file->notes(part, error))
          if (note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
            (void)metadata.readFromBlob(note.getDescAsStringRef(part.p_align), /*Multi=*/false);
    return error;
  }

  /// What the code object's metadata says of each kernel.
  static std::vector<KernelResources> resourcesIn(StringRef codeObject) {
    llvm::msgpack::Document metadata;
    llvm::Error error = readMetadata(codeObject, metadata);
    std::vector<KernelResources> all;
    if (error || !metadata.getRoot().isMap()) {
      llvm::consumeError(std::move(error)); // What is not known is not said.
      return all;
    }
    for (llvm::msgpack::DocNode &kernel : metadata.getRoot().getMap()["amdhsa.kernels"].getArray(/*Convert=*/true)) {
      llvm::msgpack::MapDocNode &values = kernel.getMap();
      auto count = [&](StringRef key) {
        return values[key].getKind() == llvm::msgpack::Type::UInt ? values[key].getUInt() : 0;
      };
      all.push_back({values[".name"].toString(),
                     std::to_string(count(".vgpr_count")) + " VGPRs, " +
                         spillText(count(".vgpr_spill_count"), "VGPRs") + ", " + std::to_string(count(".sgpr_count")) +
                         " SGPRs, " + spillText(count(".sgpr_spill_count"), "SGPRs") + ", " +
                         std::to_string(count(".group_segment_fixed_size")) + " bytes of static LDS"});
    }
    return all;
  }
};
} // namespace

const GpuBackend &amdBackend() {
  static const AmdBackend backend;
  return backend;
}
} // namespace lispier
