//===- Output.cpp - write output files ------------------------------------===//
#include "Output.h"
#include "lispier/Session/Session.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace lispier;

namespace {
/// Runs `write` on the descriptor. Returns a system error, or else what `write` returned.
ErrorOr<bool> fill(int descriptor, function_ref<bool(raw_pwrite_stream &)> write) {
  raw_fd_ostream os(descriptor, /*shouldClose=*/false);
  bool ok = write(os);
  os.flush();
  std::error_code error = os.error();
  os.clear_error(); // Otherwise its destructor ends the process.
  if (error)
    return error;
  return ok;
}

/// Resolves symbolic links, also those whose target does not exist yet.
std::string followLinks(std::string path) {
  char target[PATH_MAX];
  constexpr int kMostLinks = 40; // Linux's limit.
  for (int i = 0; i < kMostLinks; ++i) {
    ssize_t length = readlink(path.c_str(), target, sizeof(target));
    if (length < 0)
      break;
    SmallString<128> next(sys::path::is_absolute(StringRef(target, length)) ? "" : sys::path::parent_path(path));
    sys::path::append(next, StringRef(target, length));
    path = next.str().str();
  }
  return path;
}

/// Writes directly to a descriptor or device.
ErrorOr<bool> writeThrough(StringRef path, function_ref<bool(raw_pwrite_stream &)> write) {
  int descriptor;
  if (std::error_code error = sys::fs::openFileForWrite(path, descriptor))
    return error;
  ErrorOr<bool> result = fill(descriptor, write);
  ::close(descriptor);
  return result;
}

/// A temporary file next to another one. It is deleted with this object or on a signal, unless it replaced that file.
class Replacement {
public:
  explicit Replacement(const std::string &path) : path(path), name(path + ".XXXXXX") {
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    error = descriptor < 0 ? errnoAsErrorCode() : std::error_code();
    if (!error)
      sys::RemoveFileOnSignal(name);
  }
  ~Replacement() {
    if (descriptor < 0)
      return;
    ::close(descriptor);
    ::unlink(name.c_str());
    sys::DontRemoveFileOnSignal(name);
  }

  /// Renames it over the output. `old`: status of the file to replace, whose owner and mode are kept; null: none.
  std::error_code take(const struct stat *old) {
    if (old)
      (void)!::fchown(descriptor, old->st_uid, old->st_gid); // Best effort. Before fchmod, because it resets mode bits.
    ::fchmod(descriptor, old ? old->st_mode & 07777 : 0666 & ~sys::fs::getUmask());
    return sys::fs::rename(name, path);
  }

  int descriptor;
  std::error_code error;

private:
  const std::string &path;
  std::string name;
};

ErrorOr<bool> replaceFile(const std::string &path, function_ref<bool(raw_pwrite_stream &)> write) {
  struct stat old;
  bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && ::access(path.c_str(), W_OK) != 0) // Renaming would succeed even for a read-only file.
    return errnoAsErrorCode();
  Replacement file(path);
  if (file.error)
    return file.error;
  ErrorOr<bool> result = fill(file.descriptor, write);
  if (result && *result)
    if (std::error_code error = file.take(exists ? &old : nullptr))
      return error;
  return result;
}

ErrorOr<bool> writeTo(const std::string &path, function_ref<bool(raw_pwrite_stream &)> write) {
  if (path == "-")
    return write(outs()); // Flushed, and checked for errors, at the end.
  StringRef name = path;
  // Names of open descriptors: replacing the file behind one would discard other output to it.
  bool isDescriptor = name.starts_with("/dev/std") || name.starts_with("/dev/fd/") || name.starts_with("/proc/");
  sys::fs::file_status status;
  bool exists = !sys::fs::status(path, status);
  if (isDescriptor || (exists && status.type() != sys::fs::file_type::regular_file))
    return writeThrough(path, write);
  return replaceFile(followLinks(path), write);
}
} // namespace

bool writeOutput(const std::string &path, Session &session, function_ref<bool(raw_pwrite_stream &)> write) {
  ErrorOr<bool> result = writeTo(path, write);
  if (!result)
    session.diags().error("", SMRange(), "cannot write " + path + ": " + result.getError().message());
  return result && *result;
}

bool overwritesSource(Session &session, StringRef path) {
  SourceMgr &sources = session.sources();
  for (unsigned i = 1; i <= sources.getNumBuffers(); ++i) {
    StringRef name = sources.getMemoryBuffer(i)->getBufferIdentifier();
    if (bool same = false; !sys::fs::equivalent(name, path, same) && same) {
      session.diags()
          .error("", SMRange(),
                 "the output " + path + " is " + (name == path ? "a source" : "the source " + name) +
                     ", which it would overwrite")
          .withHint("give the output another name");
      return true;
    }
  }
  return false;
}

bool flushStandardOutput() {
  outs().flush();
  if (!outs().has_error())
    return true;
  errs() << "error: cannot write to standard output: " << outs().error().message() << '\n';
  outs().clear_error(); // Otherwise its destructor ends the process.
  return false;
}
