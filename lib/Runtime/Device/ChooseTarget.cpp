//===- ChooseTarget.cpp - select among a program's targets ----------------===//
#include "lispier/Runtime/Device/ChooseTarget.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/TargetInfo/TargetNames.h"
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace lispier::runtime {
namespace {
/// Splits "sm_90a" into 90 and 'a'.
int versionOf(const char *architecture, char &suffix) {
  char *end = nullptr;
  int version = strncmp(architecture, "sm_", 3) == 0 ? int(strtol(architecture + 3, &end, 10)) : 0;
  suffix = end ? *end : 0;
  return version;
}

[[gnu::format(printf, 3, 4)]] void append(char *text, size_t size, const char *format, ...) {
  size_t length = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + length, size - length, format, arguments);
  va_end(arguments);
}

/// Whether the LISPIER_TARGET value `wish` selects the target `name`: "cuda" selects all of cuda's chips.
bool isMeant(const char *wish, const char *name) {
  size_t length = strlen(wish);
  return strncmp(wish, name, length) == 0 && (name[length] == 0 || name[length] == ':');
}
} // namespace

bool isNewer(const Target &a, const Target &b) {
  char suffixA = 0, suffixB = 0;
  int versionA = versionOf(a.architecture, suffixA), versionB = versionOf(b.architecture, suffixB);
  return strcmp(a.kind, b.kind) == 0 && (versionA > versionB || (versionA == versionB && suffixA && !suffixB));
}

bool codeRunsOn(const char *kind, const char *architecture, const char *format, const char *device) {
  if (strcmp(kind, kCudaName.deviceKind) != 0)
    return strcmp(architecture, device) == 0;
  char suffix = 0, none = 0;
  int made = versionOf(architecture, suffix), has = versionOf(device, none);
  if (made == 0 || suffix == 'a') // Runs on exactly that architecture.
    return made != 0 && made == has;
  if (suffix == 'f' || strcmp(format, "cubin") == 0) // Runs within one major version.
    return made / 10 == has / 10 && made <= has;
  return made <= has;
}

const DeviceTable *findDeviceFor(const char *kind, const char *architecture, const char *format, int ordinal,
                                 const char *name, char *why, size_t size) {
  const DeviceTable *table = findDeviceTable(kind);
  if (!table || table->count() == 0) {
    Status status = table ? table->absent() : Status("find", 0, "no such kind of device");
    append(why, size, "\n  %s: %s: %s", name, status.call, status.reason);
    return nullptr;
  }
  Limits limits{};
  if (Status status = table->describe(ordinal, limits); !status.ok()) {
    append(why, size, "\n  %s: %s: %s", name, status.call, status.reason);
    return nullptr;
  }
  if (!codeRunsOn(kind, architecture, format, limits.architecture)) {
    append(why, size, "\n  %s: the device is %s (%s); this code needs %s", name, limits.name, limits.architecture,
           architecture);
    return nullptr;
  }
  return table;
}

int chooseTarget(const Target *targets, int count, char *why, size_t size) {
  const char *wish = getenv("LISPIER_TARGET");
  if (wish && !*wish)
    wish = nullptr;
  int best = -1, candidates = 0, ordinal = 0;
  why[0] = 0;
  if (Status status = firstDevice(ordinal); !status.ok()) {
    append(why, size, "%s: %s", status.call, status.reason);
    return -1;
  }
  for (int i = 0; i < count; ++i) {
    if (wish && !isMeant(wish, targets[i].name))
      continue;
    if (candidates++ == 0)
      append(why, size, "this machine can run no target that the program was built for:");
    bool anywhere = strcmp(targets[i].kind, "cpu") == 0;
    if (!anywhere && !findDeviceFor(targets[i].kind, targets[i].architecture, targets[i].format, ordinal,
                                    targets[i].name, why, size))
      continue;
    if (best < 0 || isNewer(targets[i], targets[best]))
      best = i;
  }
  if (candidates == 0) {
    append(why, size, "LISPIER_TARGET is `%s`; the program was built for", wish ? wish : "");
    for (int i = 0; i < count; ++i)
      append(why, size, "%s %s", i ? "," : "", targets[i].name);
  }
  return best;
}
} // namespace lispier::runtime

int32_t lispier_rt_choose_target(const lispier::runtime::Target *targets, int32_t count) {
  char why[2000];
  int chosen = lispier::runtime::chooseTarget(targets, count, why, sizeof(why));
  if (chosen < 0)
    lispier::runtime::fail({}, "error: %s", why);
  return chosen;
}
