//===- CompiledProgram.cpp - load and call a compiled program --------------===//
#include "lispier/Session/CompiledProgram.h"
#include "CrashReport.h"
#include "lispier/IRGen/IRGen.h"
#include "lispier/Runtime/Core/Runtime.h"
#include "lispier/Target/Cpu/Entry.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lispier {
char UnresolvedNames::ID, UnopenedLibrary::ID;

void UnresolvedNames::log(raw_ostream &os) const { os << "no library defines " << join(names, ", "); }
void UnopenedLibrary::log(raw_ostream &os) const { os << "cannot open the library " << path << ": " << why; }

Expected<std::unique_ptr<LoadedProgram>> LoadedProgram::load(CompiledProgram program, const CpuOptions &options,
                                                             ObjectStore *objects) {
  Expected<std::unique_ptr<Jit>> jit = Jit::create(options, objects);
  if (!jit)
    return jit.takeError();
  for (const std::string &library : program.libraries)
    if (Error error = (*jit)->addLibrary(library))
      return make_error<UnopenedLibrary>(library, toString(std::move(error)));
  if (std::vector<std::string> names = (*jit)->unresolved(program.externals); !names.empty())
    return make_error<UnresolvedNames>(std::move(names));
  std::unique_ptr<LoadedProgram> loaded(new LoadedProgram());
  loaded->units = std::move(program.units);
  if (Error error = (*jit)->add(loaded->units))
    return error;
  Expected<void *> entry = (*jit)->find(kEntryName);
  if (!entry)
    return entry.takeError();
  loaded->main = program.main;
  loaded->messages = std::move(program.messages);
  loaded->jit = std::move(*jit);
  loaded->entry = *entry;
  return loaded;
}

namespace {
/// Converts the simulator's messages about kernels (Runtime/Sim/Sim.h) to diagnostics with source excerpts.
struct Explainer {
  DiagSink diags;
  std::string text; ///< The text to print, starting with the program's warnings, which are not printed elsewhere.

  static const char *explain(void *context, const char *message) {
    return static_cast<Explainer *>(context)->explain(message);
  }

  const char *explain(const char *message) {
    SMRange nowhere;
    Diag *diag = nullptr;
    for (auto [line, rest] = StringRef(message).split('\n'); !line.empty(); std::tie(line, rest) = rest.split('\n')) {
      // "place: error[code]: text", "place: note: text", "note: text"
      SmallVector<StringRef> match;
      if (!Regex("^(((.+):([0-9]+):([0-9]+)|[^:]+): )?(note|error\\[([a-z-]+)\\]): (.*)$").match(line, &match))
        return message;
      unsigned row = 0, column = 0;
      bool placed = !match[4].getAsInteger(10, row) && !match[5].getAsInteger(10, column);
      SMRange range = placed ? sourceRange(match[3], row, column, diags.sourceMgr()) : nowhere;
      if (placed && !range.isValid())
        return message; // The file is not loaded; keep its name in the message.
      if (match[6] != "note")
        diag = &diags.error(match[7], range, match[8]);
      else if (diag)
        diag->note(range, match[8]);
    }
    raw_string_ostream os(text);
    diags.print(os);
    return text.c_str();
  }
};
} // namespace

MainResult LoadedProgram::call(ArrayRef<std::string> arguments, SourceMgr &sources) {
  Explainer explainer{DiagSink(sources), messages};
  lispier_rt_explain_with(&Explainer::explain, &explainer);
  scope_exit plain([] { lispier_rt_explain_with(nullptr, nullptr); });
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  MainResult result{main};
  CrashReport report(jit->codeMap());
  reinterpret_cast<void (*)(int32_t, char **, uint64_t *)>(entry)(arguments.size(), argv.data(), &result.value);
  return result;
}
} // namespace lispier
