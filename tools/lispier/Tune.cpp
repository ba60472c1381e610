//===- Tune.cpp - lispier tune --------------------------------------------===//
//
// Each combination is an executable of its own: one that does not compile or fails
// does not disturb the others, and several compile at the same time. They may be run
// on another machine: --build-only, then --samples with what LISPIER_TUNE collected.
//
//===----------------------------------------------------------------------===//
#include "Tune.h"
#include "Output.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <map>

using namespace llvm;
using namespace lispier;

namespace {
constexpr int kRuns = 3;               ///< Of each build; the fastest launch counts.
constexpr unsigned kMostBuilds = 1024; ///< More would take hours.

int fail(const Twine &message) {
  errs() << "lispier: " << message << '\n';
  return 1;
}

/// The tile programs that leave constants open; nothing, after messages, if there are none.
std::vector<TunedProgram> findPrograms(const Invocation &invocation) {
  SessionOptions options = invocation.session;
  options.log = &errs();
  options.generate.tuneCandidate = 0;
  Session session(std::move(options));
  std::optional<unsigned> buffer = session.addFile(invocation.input);
  Program program = buffer ? session.core(*buffer) : Program();
  Generated generated;
  if (buffer && !session.diags().hasErrors())
    generated = session.module(program);
  session.diags().print(errs());
  if (!generated.module)
    return {};
  std::vector<TunedProgram> programs = tunedPrograms(*generated.module);
  if (programs.empty())
    fail(
        "no launch in " + invocation.input +
        " leaves a constant open: list its values in `:tune` of the deftile, and leave it out of :const at the launch");
  return programs;
}

/// Builds of all combinations, in a folder.
class Builds {
public:
  Builds(const Invocation &invocation, StringRef folder)
      : invocation(invocation), folder(folder),
        tool(sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&tune))) {}

  std::string path(unsigned candidate, StringRef suffix = "") const {
    SmallString<128> path(folder);
    sys::path::append(path, "candidate-" + Twine(candidate) + suffix);
    return path.str().str();
  }

  /// Returns the candidates that were built.
  std::vector<unsigned> make(unsigned count) {
    SmallVector<std::pair<unsigned, sys::ProcessInfo>> running;
    std::vector<unsigned> built;
    unsigned most = std::max(1u, llvm::heavyweight_hardware_concurrency().compute_thread_count());
    auto finishFirst = [&] {
      auto [candidate, process] = running.front();
      running.erase(running.begin());
      if (sys::Wait(process, std::nullopt).ReturnCode == 0)
        built.push_back(candidate);
      else
        report(candidate, "does not compile");
    };
    for (unsigned candidate = 0; candidate < count; ++candidate) {
      if (running.size() == most)
        finishFirst();
      running.emplace_back(candidate, start(candidate));
    }
    while (!running.empty())
      finishFirst();
    return built;
  }

  /// Whether the program ended with 0. Its launches are measured into `samples`.
  bool run(unsigned candidate, StringRef samples) {
    setenv("LISPIER_TUNE", samples.str().c_str(), 1);
    std::string program = path(candidate), log = path(candidate, ".log");
    SmallVector<StringRef> arguments{program};
    arguments.append(invocation.arguments.begin(), invocation.arguments.end());
    std::optional<StringRef> redirects[] = {StringRef(), StringRef(), StringRef(log)};
    bool ok = sys::ExecuteAndWait(program, arguments, std::nullopt, redirects) == 0;
    unsetenv("LISPIER_TUNE");
    if (!ok)
      report(candidate, "fails when it runs");
    return ok;
  }

private:
  sys::ProcessInfo start(unsigned candidate) {
    std::string number = "--tune-candidate=" + utostr(candidate), output = path(candidate),
                log = path(candidate, ".log");
    SmallVector<StringRef> arguments{tool, "build", number};
    for (const std::string &option : invocation.compilation)
      if (!StringRef(option).ends_with("=")) // Options without a value print something.
        arguments.push_back(option);
    arguments.append({"-o", output, invocation.input}); // Last, since an option -o names the result of tuning.
    std::optional<StringRef> redirects[] = {StringRef(), StringRef(), StringRef(log)};
    return sys::ExecuteNoWait(tool, arguments, std::nullopt, redirects);
  }

  /// Combinations that are too large for the target are expected among the others.
  void report(unsigned candidate, StringRef what) const {
    auto log = MemoryBuffer::getFile(path(candidate, ".log"));
    StringRef text = log ? (*log)->getBuffer().split('\n').first : "";
    errs() << "lispier: combination " << candidate << ' ' << what << ": " << text << '\n';
  }

  const Invocation &invocation;
  std::string folder, tool;
};

/// The best of the settings with which a program was launched, for each set of sizes.
class Samples {
public:
  bool read(StringRef path) {
    auto file = MemoryBuffer::getFile(path);
    if (!file)
      return false;
    SmallVector<StringRef> lines;
    (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines) {
      SmallVector<StringRef> fields;
      line.split(fields, '\t');
      uint64_t time;
      if (fields.size() != 4 || fields[3].getAsInteger(10, time))
        return false;
      uint64_t &best = times[{fields[0].str(), fields[1].str()}].try_emplace(fields[2].str(), time).first->second;
      best = std::min(best, time);
    }
    return true;
  }

  bool empty() const { return times.empty(); }

  /// `others`: forms for other targets.
  void write(raw_ostream &os, const Invocation &invocation, ArrayRef<TunedProgram> programs,
             ArrayRef<std::string> others) const {
    os << "; Written by `lispier tune " << sys::path::filename(invocation.input)
       << "`: the fastest of what :tune lists, for the sizes that it was run with.\n";
    for (const std::string &form : others)
      os << form << '\n';
    for (const auto &[key, settings] : times) {
      const auto &[name, sizes] = key;
      auto program = find_if(programs, [&, name = name](const TunedProgram &each) { return each.name == name; });
      if (program == programs.end())
        continue;
      auto best = std::min_element(settings.begin(), settings.end(),
                                   [](const auto &a, const auto &b) { return a.second < b.second; });
      os << "(tuned " << name << " {:const {" << best->first << "}\n  :targets [\"" << invocation.targets.front().name()
         << "\"] :sizes [" << sizes << "] :types ["
         << join(map_range(program->types, [](const std::string &type) { return '"' + type + '"'; }), " ")
         << "]\n  :compiler \"" << invocation.session.generate.compiler << "\" :us "
         << format("%.2f", double(best->second) / 1000) << "})\n";
    }
  }

private:
  std::map<std::pair<std::string, std::string>, std::map<std::string, uint64_t>> times;
};

/// The folder of --programs, or a temporary one.
class Folder {
public:
  explicit Folder(StringRef given) : isKept(!given.empty()), name(given) {
    error = isKept ? sys::fs::create_directories(name) : sys::fs::createUniqueDirectory("lispier-tune", name);
  }
  Folder(const Folder &) = delete;
  ~Folder() {
    if (!isKept && !error)
      sys::fs::remove_directories(name);
  }

  bool isKept;
  SmallString<128> name;
  std::error_code error;
};

std::string resultName(const Invocation &invocation) {
  if (!invocation.output.empty())
    return invocation.output;
  SmallString<128> name(invocation.input);
  sys::path::replace_extension(name, "tuned.lisp");
  return name.str().str();
}

/// What the file of results has for other targets than the one that is tuned for, as its text; nothing, after a
/// message, if it is no such file, which is left as it is.
std::optional<std::vector<std::string>> formsForOtherTargets(const Invocation &invocation, StringRef name) {
  std::vector<std::string> others;
  if (!sys::fs::exists(name))
    return others;
  Session session;
  std::optional<unsigned> buffer = session.addFile(name);
  std::vector<const Form *> forms = buffer ? session.forms(*buffer) : std::vector<const Form *>();
  bool isResult = !session.diags().hasErrors() && all_of(forms, [](const Form *form) {
    return form->isCall("tuned") && form->size() == 3 && (*form)[2]->isMap();
  });
  if (!isResult)
    return fail(name + " has more in it than `lispier tune` writes; -o names another file for the result"),
           std::nullopt;
  std::string target = invocation.targets.front().name();
  for (const Form *form : forms) {
    const Form *targets = (*form)[2]->get("targets");
    bool isOther = targets && targets->isVector() &&
                   none_of(targets->items(), [&](const Form *each) { return each->text() == target; });
    if (isOther)
      others.emplace_back(form->range().Start.getPointer(), form->range().End.getPointer());
  }
  return others;
}

/// Builds and measures; returns false after a message.
bool measure(const Invocation &invocation, ArrayRef<TunedProgram> programs, Samples &samples) {
  Folder folder(invocation.tunePrograms);
  if (folder.error)
    return fail("no folder for the programs: " + folder.error.message()), false;
  uint64_t count = 0;
  for (const TunedProgram &program : programs)
    count = std::max(count, program.combinations);
  if (count > kMostBuilds)
    return fail("there are " + Twine(count) + " combinations, and at most " + Twine(kMostBuilds) +
                " are tried; list fewer values in :tune"),
           false;
  Builds builds(invocation, folder.name);
  std::vector<unsigned> built = builds.make(count);
  if (invocation.buildOnly) {
    outs() << built.size() << " of " << count << " combinations are in " << folder.name
           << "; run each with LISPIER_TUNE=FILE, then tune with --samples=FILE\n";
    return !built.empty();
  }
  SmallString<128> file(folder.name);
  sys::path::append(file, "samples");
  for (unsigned candidate : built)
    for (int i = 0; i < kRuns; ++i) {
      sys::fs::remove(file);
      if (!builds.run(candidate, file))
        break; // Its times do not count: a wrong result may be quick.
      samples.read(file);
    }
  if (samples.empty())
    return fail("no combination ran to its end"), false;
  return true;
}
} // namespace

int tune(const Invocation &invocation) {
  std::vector<TunedProgram> programs = findPrograms(invocation);
  if (programs.empty())
    return 1;
  std::string name = resultName(invocation);
  std::optional<std::vector<std::string>> others = formsForOtherTargets(invocation, name);
  if (!others)
    return 1;
  Samples samples;
  if (!invocation.tuneSamples.empty()) {
    if (!samples.read(invocation.tuneSamples))
      return fail(invocation.tuneSamples + " is no file of samples: lines of program, sizes, setting and nanoseconds, "
                                           "separated by tabs, as LISPIER_TUNE=FILE collects them");
  } else if (!measure(invocation, programs, samples)) {
    return 1;
  }
  if (invocation.buildOnly)
    return 0;
  std::error_code error;
  raw_fd_ostream os(name, error);
  if (!error)
    samples.write(os, invocation, programs, *others);
  os.close();
  if (error || os.has_error()) {
    os.clear_error();
    return fail("cannot write " + name + ": " + (error ? error : os.error()).message());
  }
  outs() << "wrote " << name << "; (require [\"./" << sys::path::filename(name)
         << "\" :as tuned]) in the program uses it\n";
  return 0;
}
