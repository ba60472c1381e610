//===- EmitGpu.cpp - the kernels of a program, in a file ------------------===//
#include "State.h"
#include "lispier/Session/Session.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace lispier {
namespace {
void describe(json::OStream &json, const KernelDescription &kernel) {
  json.object([&] {
    json.attribute("name", kernel.name);
    json.attributeArray("parameters", [&] {
      for (const KernelParameter &parameter : kernel.parameters)
        json.object([&] {
          json.attribute("type", parameter.type);
          json.attribute("bytes", parameter.bytes);
        });
    });
    // Null: the launch chooses.
    if (kernel.block[0] == 0)
      json.attribute("block", nullptr);
    else
      json.attributeArray("block", [&] {
        for (int32_t size : kernel.block)
          json.value(size);
      });
    json.attribute("shared_bytes", kernel.sharedBytes);
    json.attribute("dynamic_shared", kernel.dynamicShared);
  });
}
} // namespace

bool Session::emitGpu(mlir::ModuleOp module, GpuTarget target, GpuFormat format, raw_ostream &os,
                      raw_ostream &description) {
  auto modules = module.getOps<mlir::gpu::GPUModuleOp>();
  if (modules.empty()) {
    diags()
        .error("", SMRange(), "this program has no kernels")
        .withHint("linalg ops, (parallel ...) and gpu.launch in a function make some");
    return false;
  }
  mlir::TimingScope timing =
      state->begin("compile kernels", target.backend->name() + ":" + target.chip->name + ", " + nameOf(format));
  if (failed(checkOps(module, target)))
    return false;
  mlir::FailureOr<GpuCode> code = compileGpuModule(*modules.begin(), target, format);
  if (failed(code))
    return false;
  os.write(code->bytes.data(), code->bytes.size());
  json::OStream json(description, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("target", (target.backend->name() + ":" + target.chip->name).str());
    json.attribute("format", nameOf(format));
    json.attributeArray("kernels", [&] {
      for (const KernelDescription &kernel : code->kernels)
        describe(json, kernel);
    });
  });
  description << '\n';
  return true;
}
} // namespace lispier
