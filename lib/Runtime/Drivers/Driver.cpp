//===- Driver.cpp - open a driver library ---------------------------------===//
#include "Driver.h"
#include "Core/StartTimes.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <glob.h>

namespace lispier::runtime {
Status findSymbol(Driver &driver, const char *name, void *&address) {
  address = dlsym(driver.library, name);
  return address ? Status() : Status("dlsym", 0, "the %s driver library has no `%s`; it is too old", driver.kind, name);
}

Status driverError(Driver &driver, const char *call, int code) {
  const char *name = driver.errorName(driver, code);
  return name ? Status(call, code, "%s", name) : Status(call, code, "error %d", code);
}

namespace {
/// Opens the library in `folder`, or on the default search path if that is null. Returns null if no name is found.
void *openIn(const Driver &driver, const char *folder) {
  void *library = nullptr;
  for (const char *const *name = driver.libraries; *name && !library; ++name) {
    char path[1000];
    int length = snprintf(path, sizeof(path), "%s%s%s", folder ? folder : "", folder ? "/" : "", *name);
    if (length < int(sizeof(path)))
      library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

void *findLibrary(const Driver &driver) {
  void *library = openIn(driver, nullptr);
  for (const char *const *variable = driver.variables; *variable && !library; ++variable) {
    char folder[900];
    const char *value = getenv(*variable);
    if (value && *value && snprintf(folder, sizeof(folder), "%s/lib", value) < int(sizeof(folder)))
      library = openIn(driver, folder);
  }
  for (const char *const *pattern = driver.folders; *pattern && !library; ++pattern) {
    glob_t found{};
    if (glob(*pattern, 0, nullptr, &found) == 0)
      for (size_t i = found.gl_pathc; i-- > 0 && !library;)
        library = openIn(driver, found.gl_pathv[i]);
    globfree(&found);
  }
  return library;
}

Status open(Driver &driver) {
  driver.library = findLibrary(driver);
  if (!driver.library)
    return Status("dlopen", 0, "no driver: %s is not installed", driver.libraries[0]);
  auto *calls = reinterpret_cast<void **>(&driver.calls);
  for (size_t i = 0; i < sizeof(DriverCalls) / sizeof(void *); ++i)
    if (Status status = findSymbol(driver, driver.symbols[i], calls[i]); !status.ok() && i < kRequiredCalls)
      return status;
  for (const DriverSymbol *symbol = driver.required; symbol->name; ++symbol)
    if (Status status = findSymbol(driver, symbol->name, *static_cast<void **>(symbol->address)); !status.ok())
      return status;
  driver.prepare(driver);
  if (int code = driver.calls.init(0))
    return driverError(driver, LISPIER_DRIVER_SYMBOL(driver, init), code);
  if (int code = driver.calls.deviceCount(&driver.devices))
    return driverError(driver, LISPIER_DRIVER_SYMBOL(driver, deviceCount), code);
  if (driver.devices == 0)
    return Status(LISPIER_DRIVER_SYMBOL(driver, deviceCount), 0, "no device");
  return Status();
}
} // namespace

const Status &openDriver(Driver &driver) {
  if (!driver.tried) {
    StartTimer timer(StartPart::Driver);
    driver.tried = true;
    driver.state = open(driver);
    if (!driver.state.ok())
      driver.devices = 0;
  }
  return driver.state;
}
} // namespace lispier::runtime
