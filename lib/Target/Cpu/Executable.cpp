//===- Executable.cpp - objects to a program or library on disk -----------===//
#include "lispier/Target/Cpu/Executable.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace llvm;

namespace lispier {
namespace {
constexpr StringLiteral kLibraryDirectories[] = {
    "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib", "/lib"};
constexpr StringLiteral kGccDirectories[] = {"/usr/lib/gcc/x86_64-linux-gnu", "/usr/lib/gcc/x86_64-redhat-linux",
                                             "/usr/lib/gcc/x86_64-pc-linux-gnu", "/usr/lib64/gcc/x86_64-suse-linux"};
constexpr StringLiteral kInterpreter = "/lib64/ld-linux-x86-64.so.2";

std::string join(StringRef directory, StringRef file) {
  SmallString<128> path(directory);
  sys::path::append(path, file);
  return path.str().str();
}

/// The directory of the newest GCC that has crtbeginS.o; empty if there is none.
std::string findGccDirectory() {
  std::pair<unsigned, std::string> newest;
  for (StringRef parent : kGccDirectories) {
    std::error_code error;
    for (sys::fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
      unsigned version = 0;
      if (!sys::path::filename(entry->path()).split('.').first.getAsInteger(10, version) && version > newest.first &&
          sys::fs::exists(join(entry->path(), "crtbeginS.o")))
        newest = {version, entry->path()};
    }
  }
  return newest.second;
}
} // namespace

std::optional<CLibrary> findCLibrary() {
  CLibrary library;
  std::string gcc = findGccDirectory();
  if (gcc.empty() || !sys::fs::exists(kInterpreter))
    return std::nullopt;
  library.interpreter = kInterpreter;
  library.begin = join(gcc, "crtbeginS.o");
  library.end = join(gcc, "crtendS.o");
  library.directories.push_back(gcc);
  for (StringRef directory : kLibraryDirectories) {
    if (!sys::fs::is_directory(directory))
      continue;
    library.directories.push_back(directory.str());
    if (library.start.empty() && sys::fs::exists(join(directory, "Scrt1.o"))) {
      library.start = join(directory, "Scrt1.o");
      library.init = join(directory, "crti.o");
      library.fini = join(directory, "crtn.o");
    }
  }
  return library.start.empty() ? std::nullopt : std::optional(library);
}

namespace {
/// A spelling of the path that the linker does not parse as an option or a response file (`-x`, `@x`).
std::string asPath(StringRef path) {
  return ((path.starts_with("-") || path.starts_with("@") ? "./" : "") + path).str();
}

/// Arguments for the shared libraries, with run-time search paths to where they were at link time.
void addInputs(std::vector<std::string> &command, const LinkOptions &options, StringRef rpathFlag) {
  for (const std::string &object : options.objects)
    command.push_back(asPath(object));
  llvm::append_range(command, options.archives);
  for (const std::string &library : options.libraries) {
    if (!StringRef(library).contains('/')) { // Like the loader, searches the system's directories.
      command.push_back("-l:" + library);
      continue;
    }
    command.push_back(asPath(library));
    SmallString<128> directory(library);
    sys::fs::make_absolute(directory);
    sys::path::remove_filename(directory);
    command.push_back((rpathFlag + directory).str());
  }
  for (StringRef flag : {"-lm", "-lc"})
    command.push_back(flag.str());
}

/// Of a shared library: its symbols are bound to each other, so that a function of the program which is called `exp`
/// takes no part in the host's, nor the host's in the program's. `script` is for the linker's --version-script.
std::vector<std::string> sharedFlags(StringRef script) {
  return {"-shared", "-Bsymbolic", "--version-script=" + script.str(), "-z", "nodelete", "-z", "defs"};
}

std::vector<std::string> lldCommand(StringRef lld, const CLibrary &c, const LinkOptions &options, StringRef script) {
  bool isShared = !options.exported.empty();
  std::vector<std::string> command = {lld.str(),
                                      "--eh-frame-hdr",
                                      "--gc-sections",
                                      "--as-needed",
                                      "-z",
                                      "relro",
                                      "--hash-style=gnu",
                                      "-m",
                                      "elf_x86_64",
                                      "-o",
                                      asPath(options.output)};
  if (isShared)
    append_range(command, sharedFlags(script));
  else
    append_range(command, ArrayRef<std::string>{"-pie", "-dynamic-linker", c.interpreter, c.start});
  append_range(command, ArrayRef<std::string>{c.init, c.begin});
  for (const std::string &directory : c.directories)
    command.push_back("-L" + directory);
  addInputs(command, options, "-rpath=");
  for (StringRef part : {"-lgcc", "--push-state", "--as-needed", "-lgcc_s", "--pop-state"})
    command.push_back(part.str());
  command.insert(command.end(), {c.end, c.fini});
  return command;
}

std::vector<std::string> ccCommand(StringRef cc, const LinkOptions &options, StringRef script) {
  std::vector<std::string> command = {cc.str(), "-Wl,--gc-sections", "-Wl,--as-needed", "-o", asPath(options.output)};
  if (options.exported.empty())
    command.push_back("-pie");
  else
    for (const std::string &flag : sharedFlags(script))
      append_range(command, flag == "-shared" ? ArrayRef<std::string>{flag} : ArrayRef<std::string>{"-Xlinker", flag});
  addInputs(command, options, "-Wl,-rpath=");
  return command;
}

Expected<std::vector<std::string>> chooseLinker(const LinkOptions &options, StringRef script) {
  for (StringRef name : {"ld.lld", "ld.lld-22"})
    if (ErrorOr<std::string> lld = sys::findProgramByName(name))
      if (std::optional<CLibrary> c = findCLibrary())
        return lldCommand(*lld, *c, options, script);
  for (StringRef name : {"cc", "gcc", "clang"})
    if (ErrorOr<std::string> cc = sys::findProgramByName(name))
      return ccCommand(*cc, options, script);
  return createStringError(
      "no linker: neither ld.lld (with a C library's start files) nor cc was found; install lld or a C "
      "compiler, or use `lispier run`");
}

/// Extracts the names of undefined symbols from a linker's messages (lld and GNU ld).
std::vector<std::string> undefinedSymbols(StringRef messages) {
  std::set<std::string> names;
  SmallVector<StringRef> lines;
  messages.split(lines, '\n');
  for (StringRef line : lines) {
    if (auto [before, name] = line.split("undefined symbol: "); !name.empty())
      names.insert(name.trim().str());
    if (auto [before, name] = line.split("undefined reference to `"); !name.empty())
      names.insert(name.split('\'').first.str());
  }
  return {names.begin(), names.end()};
}
} // namespace

namespace {
/// Writes a version script, which hides all symbols but these.
std::error_code writeScript(StringRef path, ArrayRef<std::string> exported) {
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (error)
    return error;
  os << "{\n";
  if (!exported.empty())
    os << "global:\n";
  for (const std::string &name : exported)
    os << "  " << name << ";\n";
  os << "local: *;\n};\n";
  os.close();
  error = os.error();
  os.clear_error();
  return error;
}
} // namespace

Error link(const LinkOptions &options, std::vector<std::string> &undefined) {
  SmallString<128> script;
  std::error_code failed = sys::fs::createTemporaryFile("lispier-link", "map", script);
  FileRemover removeScript(script);
  if (failed || (failed = writeScript(script, options.exported)))
    return createStringError("cannot write a temporary file: " + failed.message());
  Expected<std::vector<std::string>> command = chooseLinker(options, script);
  if (!command)
    return command.takeError();
  SmallString<128> messages;
  if (std::error_code error = sys::fs::createTemporaryFile("lispier-link", "txt", messages))
    return createStringError("cannot write a temporary file: " + error.message());
  FileRemover remove(messages);
  SmallVector<StringRef> arguments(command->begin(), command->end());
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(messages), StringRef(messages)};
  std::string why;
  int status = sys::ExecuteAndWait(command->front(), arguments, std::nullopt, redirects, 0, 0, &why);
  if (status == 0)
    return Error::success();
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFile(messages);
  StringRef said = text ? (*text)->getBuffer() : StringRef();
  undefined = undefinedSymbols(said);
  return createStringError(why.empty() ? "the linker failed: " + said.trim().str() : why);
}
} // namespace lispier
