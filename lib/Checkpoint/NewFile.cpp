//===- NewFile.cpp - a file under construction ----------------------------===//
#include "NewFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace lispier;

Failure lispier::systemFailure(const std::string &path, const char *what, int error) {
  return {path + ": " + what + ": " + std::strerror(error)};
}

Result<NewFile> NewFile::create(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return systemFailure(path, "cannot be made", errno);
  return NewFile(path, descriptor);
}

NewFile::~NewFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Result<Done> NewFile::write(const void *bytes, size_t count) {
  constexpr size_t kMostAtOnce = size_t(1) << 30; // Linux writes at most 2^31 - 4096 bytes.
  auto *from = static_cast<const char *>(bytes);
  while (count) {
    ssize_t written = ::write(descriptor, from, std::min(count, kMostAtOnce));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return systemFailure(name, "cannot be written", written < 0 ? errno : ENOSPC);
    from += written;
    count -= static_cast<size_t>(written);
  }
  return Done();
}

Result<Done> NewFile::finish() {
  if (fsync(descriptor) != 0)
    return systemFailure(name, "cannot be written", errno);
  if (::close(std::exchange(descriptor, -1)) != 0)
    return systemFailure(name, "cannot be written", errno);
  return Done();
}

Result<Done> lispier::syncFolder(const std::string &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  int error = errno;
  if (descriptor >= 0)
    ::close(descriptor);
  // Some file systems have no fsync of directories.
  if (synced || error == EINVAL || error == ENOTSUP)
    return Done();
  return systemFailure(path, "cannot be written", error);
}
