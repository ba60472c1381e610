//===- Targets.cpp - the device dialect's table of targets ----------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Target/Sim/SimTarget.h"
#include <map>

using namespace mlir;

namespace lispier {
namespace {
/// Lives as long as the process.
const TargetInfo *simulatedInfo(const GpuChip &chip) {
  static const std::map<std::string, TargetInfo> all = [] {
    std::map<std::string, TargetInfo> made;
    for (const GpuBackend *backend : gpuBackends())
      for (const GpuChip &each : backend->chips())
        made.emplace(each.name, simInfo(each.info));
    return made;
  }();
  return &all.find(chip.name)->second;
}

/// The names that --target= accepts except cpu, for which no TargetInfo is needed.
class Targets final : public device::TargetTable {
public:
  explicit Targets(Dialect *dialect) : TargetTable(dialect) {}

  llvm::Expected<device::Target> find(StringRef name) const override {
    static const TargetInfo narrow = simInfo(32), wide = simInfo(64);
    if (name == "sim" || name == "sim:32")
      return device::Target{"sim", &narrow};
    if (name == "sim:64")
      return device::Target{"sim:64", &wide};
    if (name.starts_with("sim:"))
      if (std::optional<GpuTarget> simulated = findChip(name.drop_front(4)))
        return device::Target{name.str(), simulatedInfo(*simulated->chip)};
    llvm::Expected<GpuTarget> gpu = findGpu(name);
    if (!gpu)
      return gpu.takeError();
    return device::Target{(gpu->backend->name() + ":" + gpu->chip->name).str(), &gpu->chip->info};
  }
};
} // namespace

void registerTargets(DialectRegistry &registry) {
  registry.insert<device::DeviceDialect>();
  registry.addExtension(+[](MLIRContext *, device::DeviceDialect *dialect) { dialect->addInterface<Targets>(); });
}
} // namespace lispier
