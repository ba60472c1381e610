//===- FindGpu.cpp - targets and formats by name --------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Syntax/Diag.h"
#include "lispier/Target/Amd/Amd.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Target/Nvidia/Nvidia.h"
#include "lispier/TargetInfo/TargetNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
namespace {
constexpr GpuFormat kFormats[] = {GpuFormat::Ptx, GpuFormat::Cubin, GpuFormat::Fatbin, GpuFormat::Hsaco};

/// "no KIND `name`: did you mean `a`?", or the list of all if no name is similar.
Error unknown(StringRef kind, StringRef name, ArrayRef<std::string> candidates) {
  std::string hint = didYouMean(name, candidates);
  if (hint.empty())
    hint = "there are " + join(candidates, ", ");
  return createStringError("no " + kind + " `" + name + "`; " + hint);
}
} // namespace

ArrayRef<const GpuBackend *> gpuBackends() {
  static const GpuBackend *const all[] = {&nvidiaBackend(), &amdBackend()};
  return all;
}

Expected<GpuTarget> findGpu(StringRef name) {
  auto [vendor, chipName] = name.split(':');
  std::vector<std::string> names;
  for (const GpuBackend *backend : gpuBackends()) {
    names.push_back(backend->name().str());
    if (backend->name() != vendor)
      continue;
    if (chipName.empty())
      return GpuTarget{backend, &backend->chips().front()};
    std::vector<std::string> chips;
    for (const GpuChip &chip : backend->chips()) {
      if (chip.name == chipName)
        return GpuTarget{backend, &chip};
      chips.push_back(chip.name);
    }
    return unknown((vendor + " chip").str(), chipName, chips);
  }
  return unknown("GPU target", vendor, names);
}

std::optional<GpuTarget> findChip(StringRef name) {
  for (const GpuBackend *backend : gpuBackends())
    for (const GpuChip &chip : backend->chips())
      if (chip.name == name)
        return GpuTarget{backend, &chip};
  return std::nullopt;
}

std::vector<std::string> targetNames() {
  std::vector<std::string> names;
  for (const TargetName &target : kTargetNames)
    names.push_back(target.name);
  return names;
}

std::string inWords(ArrayRef<std::string> names) {
  assert(names.size() > 1 && "one name is no list");
  return join(names.drop_back(), ", ") + " and " + names.back();
}

StringRef nameOf(GpuFormat format) {
  switch (format) {
  case GpuFormat::Ptx:
    return "ptx";
  case GpuFormat::Cubin:
    return "cubin";
  case GpuFormat::Fatbin:
    return "fatbin";
  case GpuFormat::Hsaco:
    return "hsaco";
  }
  llvm_unreachable("all formats are above");
}

std::optional<GpuFormat> findGpuFormat(StringRef name) {
  for (GpuFormat format : kFormats)
    if (nameOf(format) == name)
      return format;
  return std::nullopt;
}

mlir::FailureOr<GpuTarget> gpuTargetOf(mlir::Operation *op) {
  mlir::StringAttr name = device::targetOf(op);
  if (!name)
    return op->emitError("has no target: the attribute ") << device::kTarget << " names it";
  if (Expected<GpuTarget> gpu = findGpu(name.getValue()))
    return *gpu;
  else
    return op->emitError(toString(gpu.takeError()));
}

void registerGpuDialects(mlir::DialectRegistry &registry) {
  for (const GpuBackend *backend : gpuBackends())
    backend->registerDialects(registry);
}
} // namespace lispier
