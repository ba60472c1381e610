//===- EmitGpu.cpp - write a program's kernels ----------------------------===//
#include "State.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Session/Session.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lispier {
namespace {
/// The type of a kernel parameter in the description: "pointer", or a number type such as "i64".
std::string nameOf(mlir::Type parameter) {
  if (isa<mlir::LLVM::LLVMPointerType>(parameter))
    return "pointer";
  std::string name;
  raw_string_ostream(name) << parameter;
  return name;
}

void describe(json::OStream &json, StringRef name, device::KernelAttr kernel) {
  json.object([&] {
    json.attribute("name", name);
    json.attributeArray("parameters", [&] {
      for (mlir::Type parameter : kernel.getParameters().getAsValueRange<mlir::TypeAttr>())
        json.object([&] {
          json.attribute("type", nameOf(parameter));
          json.attribute("bytes", isa<mlir::LLVM::LLVMPointerType>(parameter) ? 8 : byteSize(parameter));
        });
    });
    // Null if the launch determines it.
    if (!kernel.getBlock())
      json.attribute("block", nullptr);
    else
      json.attributeArray("block", [&] {
        for (int32_t size : kernel.getBlock().asArrayRef())
          json.value(size);
      });
    json.attribute("shared_bytes", kernel.getSharedBytes());
    json.attribute("dynamic_shared", kernel.getDynamicShared());
  });
}

std::string describe(mlir::gpu::GPUModuleOp kernels, device::CodeAttr code) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("target", device::targetOf(kernels).getValue());
    json.attribute("format", code.getFormat());
    json.attributeArray("kernels", [&] {
      for (auto kernel : kernels.getOps<mlir::SymbolOpInterface>())
        if (auto description = kernel->getAttrOfType<device::KernelAttr>(device::kKernel))
          describe(json, kernel.getName(), description);
    });
  });
  os << '\n';
  return text;
}
} // namespace

std::optional<KernelFile> Session::kernels(mlir::ModuleOp module) {
  SmallVector<mlir::gpu::GPUModuleOp> modules(module.getOps<mlir::gpu::GPUModuleOp>());
  if (modules.size() == 1) {
    auto code = modules.front()->getAttrOfType<device::CodeAttr>(device::kCode);
    return KernelFile{code.getBytes().str(), describe(modules.front(), code)};
  }
  if (modules.empty())
    diags()
        .error("", sourceRange(module.getLoc(), sources()), "this program has no kernels")
        .withHint("linalg ops, (parallel ...) and gpu.launch in a function make some");
  else
    diags()
        .error("", SMRange(), "the kernels are in " + Twine(modules.size()) + " parts, and a file holds one")
        .withHint("enter at an earlier stage, --from=loops");
  return std::nullopt;
}
} // namespace lispier
