//===- Cache.cpp - which cache a command uses -----------------------------===//
#include "Cache.h"
#include "Options.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace lispier;

namespace {
std::string variable(StringRef name) { return sys::Process::GetEnv(name).value_or(""); }

std::string directory() {
  if (std::string given = variable("LISPIER_CACHE_DIR"); !given.empty())
    return given;
  SmallString<128> path;
  if (!sys::path::cache_directory(path)) // $XDG_CACHE_HOME, ~/.cache
    return "";
  sys::path::append(path, "lispier");
  return std::string(path);
}
} // namespace

std::unique_ptr<ProgramCache> openCache(const Invocation &invocation) {
  const SessionOptions &session = invocation.session;
  bool looksInside = session.printPipeline || session.time || !session.printIrAfter.empty();
  if (invocation.command != Command::Run || !invocation.cache || variable("LISPIER_CACHE") == "0" || looksInside ||
      invocation.input == "-")
    return nullptr;
  CacheOptions options;
  options.directory = directory();
  if (uint64_t megabytes = 0; !StringRef(variable("LISPIER_CACHE_SIZE")).getAsInteger(10, megabytes))
    options.maxBytes = megabytes << 20;
  std::vector<std::string> request = invocation.compilation;
  // What `native` and a GPU without a chip stand for on this machine.
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(session.cpu);
  if (options.directory.empty() || !machine) {
    consumeError(machine ? Error::success() : machine.takeError());
    return nullptr;
  }
  request.push_back(
      ((*machine)->getTargetTriple().str() + " " + (*machine)->getTargetCPU() + " " + featuresOf(**machine)).str());
  request.push_back(invocation.targets.front().name());
  return std::make_unique<ProgramCache>(std::move(options), request);
}
