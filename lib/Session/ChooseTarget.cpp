//===- ChooseTarget.cpp - one of the targets of a command line -------------===//
#include "lispier/Runtime/Device/ChooseTarget.h"
#include "State.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace lispier {
TargetProgram describe(const ProgramTarget &target) {
  if (!target.gpu)
    return {target.name(), "cpu", "", "", nullptr};
  const auto &[backend, chip] = *target.gpu;
  return {target.name(), runtimeKind(*backend).str(), chip->name, nameOf(backend->formats().front()).str(), nullptr};
}

Expected<ProgramTarget> chooseTarget(ArrayRef<ProgramTarget> targets) {
  if (targets.size() == 1)
    return targets.front();
  std::vector<TargetProgram> described;
  std::vector<runtime::Target> rows;
  for (const ProgramTarget &target : targets)
    described.push_back(describe(target));
  for (const TargetProgram &row : described)
    rows.push_back({row.name.c_str(), row.kind.c_str(), row.architecture.c_str(), row.format.c_str()});
  char why[2000];
  int chosen = runtime::chooseTarget(rows.data(), rows.size(), why, sizeof(why));
  if (chosen < 0)
    return createStringError(why);
  return targets[chosen];
}
} // namespace lispier
