//===- PipelineOptions.cpp - stages, and what is compiled for -------------===//
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Target/Sim/SimTarget.h"
#include "lispier/TargetInfo/TargetInfo.h"

namespace lispier {
namespace {
constexpr llvm::StringRef kStageNames[] = {"forms",   "core",        "module", "tensor", "tiles", "loops",
                                           "kernels", "device-llvm", "target", "llvm",   "asm",   "obj"};
} // namespace

llvm::ArrayRef<llvm::StringRef> stageNames() { return kStageNames; }
llvm::StringRef stageName(Stage stage) { return kStageNames[static_cast<size_t>(stage)]; }
std::optional<Stage> parseStage(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(kStageNames); ++i)
    if (kStageNames[i] == name)
      return static_cast<Stage>(i);
  return std::nullopt;
}

std::string ProgramTarget::name() const {
  if (gpu)
    return (gpu->backend->name() + ":" + gpu->chip->name).str();
  if (simulated)
    return "sim:" + simulated->chip->name;
  return !checkKernels ? "cpu" : warpSize == 32 ? "sim" : "sim:" + std::to_string(warpSize);
}

std::optional<TargetInfo> PipelineOptions::gpuInfo() const {
  if (target.gpu)
    return target.gpu->chip->info;
  if (!target.checkKernels)
    return std::nullopt;
  return target.simulated ? simInfo(target.simulated->chip->info) : simInfo(target.warpSize);
}

KernelTarget PipelineOptions::kernelTarget() const {
  std::vector<std::string> names;
  std::optional<TargetInfo> info = gpuInfo();
  if (!info) {
    names = withCpuAbilities(cpuFeatures);
    names.push_back(cpuName);
    return {"cpu", std::move(names)};
  }
  if (target.gpu)
    names = target.gpu->backend->abilities(*target.gpu->chip);
  llvm::append_range(names, info->abilityNames());
  if (info->reportsErrors)
    names.push_back("reports-errors");
  return {"gpu", std::move(names), info->multiprocessors};
}
} // namespace lispier
