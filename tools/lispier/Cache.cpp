//===- Cache.cpp - select the program cache -------------------------------===//
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

Expected<bool> isWanted() {
  std::string text = variable("LISPIER_CACHE");
  if (text.empty() || text == "1" || text == "true")
    return true;
  if (text == "0" || text == "false")
    return false;
  return createStringError("LISPIER_CACHE is `" + text + "`; it is 1, or 0 to keep nothing");
}

Error setSize(uint64_t &bytes) {
  std::string text = variable("LISPIER_CACHE_SIZE");
  uint64_t megabytes = 0;
  if (text.empty())
    return Error::success();
  if (StringRef(text).getAsInteger(10, megabytes) || megabytes == 0 || megabytes > UINT64_MAX >> 20)
    return createStringError("LISPIER_CACHE_SIZE is `" + text +
                             "`; it is a number of MiB, from 1 on (LISPIER_CACHE=0 keeps nothing)");
  bytes = megabytes << 20;
  return Error::success();
}
} // namespace

Expected<std::unique_ptr<ProgramCache>> openCache(const Invocation &invocation) {
  const SessionOptions &session = invocation.session;
  if (invocation.command != Command::Run)
    return nullptr;
  CacheOptions options;
  options.directory = directory();
  Expected<bool> wanted = isWanted();
  if (!wanted)
    return wanted.takeError();
  if (Error error = setSize(options.maxBytes))
    return error;
  bool looksInside = session.printPipeline || session.time || !session.printIrAfter.empty() ||
                     !session.reproducer.empty() || !session.whyKernels.empty();
  if (!*wanted || !invocation.cache || looksInside || invocation.input == "-" || options.directory.empty())
    return nullptr;
  if (std::string why = ProgramCache::whyNotTrusted(options.directory); !why.empty()) {
    errs() << "warning: the cache " << options.directory << " is not used: " << why
           << "\nhint: chmod go-w, or another directory in LISPIER_CACHE_DIR; LISPIER_CACHE=0 goes without\n";
    return nullptr;
  }
  std::vector<std::string> request = invocation.compilation;
  // `native`, or a GPU without a chip, depends on this machine, so the cache key needs the resolved processor.
  Expected<std::unique_ptr<TargetMachine>> machine = makeMachine(session.cpu);
  if (!machine) {
    consumeError(machine.takeError()); // The compilation reports it.
    return nullptr;
  }
  request.push_back(
      ((*machine)->getTargetTriple().str() + " " + (*machine)->getTargetCPU() + " " + featuresOf(**machine)).str());
  request.push_back(invocation.targets.front().name());
  return std::make_unique<ProgramCache>(std::move(options), request, invocation.arguments);
}
