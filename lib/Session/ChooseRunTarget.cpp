//===- ChooseRunTarget.cpp - choose a target for `lispier run` ------------===//
#include "State.h"
#include "lispier/Runtime/Device/ChooseTarget.h"
#include "lispier/Runtime/Device/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace lispier {
TargetProgram describe(const ProgramTarget &target) {
  if (!target.gpu)
    return {target.name(), "cpu", "", "", nullptr};
  const auto &[backend, chip] = *target.gpu;
  return {target.name(), backend->runtimeKind().str(), chip->name, nameOf(backend->formats().front()).str(), nullptr};
}

namespace {
/// Checks LISPIER_TARGET if there is only one target, since nothing else would read it.
Error checkEnvironment() {
  int ordinal = 0;
  if (runtime::Status status = runtime::firstDevice(ordinal); !status.ok())
    return createStringError(Twine(status.call) + ": " + status.reason);
  std::string wish = sys::Process::GetEnv("LISPIER_TARGET").value_or("");
  StringRef kind = StringRef(wish).split(':').first;
  std::vector<std::string> known = targetNames();
  if (wish.empty() || is_contained(known, kind))
    return Error::success();
  std::string hint = didYouMean(kind, known);
  return createStringError("LISPIER_TARGET is `" + wish + "`, which is no target; " +
                           (hint.empty() ? "there are " + inWords(known) : hint));
}
} // namespace

Expected<ProgramTarget> chooseTarget(ArrayRef<ProgramTarget> targets) {
  if (Error error = checkEnvironment())
    return error;
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
