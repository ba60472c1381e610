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
/// Where distributions have the libraries of x86-64, glibc's among them.
constexpr StringLiteral kLibraryDirectories[] = {
    "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib", "/lib"};
constexpr StringLiteral kLoader = "/lib64/ld-linux-x86-64.so.2";

/// A spelling of the path that the linker does not parse as an option or a response file (`-x`, `@x`).
std::string asPath(StringRef path) {
  return ((path.starts_with("-") || path.starts_with("@") ? "./" : "") + path).str();
}

/// Arguments for the shared libraries, with run-time search paths to where they were at link time.
void addInputs(std::vector<std::string> &command, const LinkOptions &options) {
  for (const std::string &object : options.objects)
    command.push_back(asPath(object));
  if (!options.runtime.shared.empty()) // Before the archives, which then only have what it does not show.
    append_range(command, ArrayRef<std::string>{options.runtime.shared, "-rpath=$ORIGIN",
                                                "-rpath=" + sys::path::parent_path(options.runtime.shared).str()});
  llvm::append_range(command, options.runtime.archives);
  for (const std::string &library : options.libraries) {
    if (!StringRef(library).contains('/')) { // Like the loader, searches the system's directories.
      command.push_back("-l:" + library);
      continue;
    }
    command.push_back(asPath(library));
    SmallString<128> directory(library);
    sys::fs::make_absolute(directory);
    sys::path::remove_filename(directory);
    command.push_back(("-rpath=" + directory).str());
  }
  // The libraries themselves, so that no package for developers is needed; what the archives of such a package have
  // besides is in the runtime (Core/Start.cpp).
  append_range(command, ArrayRef<std::string>{"-l:libm.so.6", "-l:libc.so.6", kLoader.str()});
}

/// Of a shared library: its symbols are bound to each other, so that a function of the program which is called `exp`
/// takes no part in the host's, nor the host's in the program's. `script` is for the linker's --version-script.
std::vector<std::string> sharedFlags(StringRef script) {
  return {"-shared", "-Bsymbolic", "--version-script=" + script.str(), "-z", "nodelete", "-z", "defs"};
}

std::vector<std::string> linkCommand(const LinkOptions &options, StringRef script) {
  std::vector<std::string> command = {"ld.lld",
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
  if (options.exported.empty())
    append_range(command, ArrayRef<std::string>{"-pie", "-dynamic-linker", kLoader.str()});
  else
    append_range(command, sharedFlags(script));
  for (StringRef directory : kLibraryDirectories)
    if (sys::fs::is_directory(directory))
      command.push_back(("-L" + directory).str());
  addInputs(command, options);
  return command;
}

/// Why nothing can be linked on this machine; empty if something can.
std::string findHindrance(const LinkOptions &options) {
  if (options.linker.empty())
    return "this program, which contains the linker, cannot find itself; /proc must be mounted";
  auto hasC = [](StringRef directory) { return sys::fs::exists(directory + "/libc.so.6"); };
  if (!sys::fs::exists(kLoader) || none_of(kLibraryDirectories, hasC))
    return "this machine has no glibc to link with: " + kLoader.str() + " or libc.so.6 is missing";
  return "";
}

/// Extracts the names of undefined symbols from a linker's messages.
std::vector<std::string> undefinedSymbols(StringRef messages) {
  std::set<std::string> names;
  SmallVector<StringRef> lines;
  messages.split(lines, '\n');
  for (StringRef line : lines) {
    if (auto [before, name] = line.split("undefined symbol: "); !name.empty())
      names.insert(name.trim().str());
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
  if (std::string why = findHindrance(options); !why.empty())
    return createStringError(why);
  std::vector<std::string> command = linkCommand(options, script);
  SmallString<128> messages;
  if (std::error_code error = sys::fs::createTemporaryFile("lispier-link", "txt", messages))
    return createStringError("cannot write a temporary file: " + error.message());
  FileRemover remove(messages);
  SmallVector<StringRef> arguments(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(messages), StringRef(messages)};
  std::string why;
  int status = sys::ExecuteAndWait(options.linker, arguments, std::nullopt, redirects, 0, 0, &why);
  if (status == 0)
    return Error::success();
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFile(messages);
  StringRef said = text ? (*text)->getBuffer() : StringRef();
  undefined = undefinedSymbols(said);
  return createStringError(why.empty() ? "the linker failed: " + said.trim().str() : why);
}
} // namespace lispier
