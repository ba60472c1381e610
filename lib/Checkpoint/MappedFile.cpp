//===- MappedFile.cpp - a read-only memory-mapped file --------------------===//
#include "lispier/Checkpoint/MappedFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lispier;

Result<MappedFile> MappedFile::open(const std::string &path) {
  MappedFile file(path);
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return file.fail(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat status;
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor);
    return file.fail("is not a regular file");
  }
  file.length = static_cast<size_t>(status.st_size);
  // mmap rejects a length of 0, but whether a file may be empty is for the reader to decide.
  if (file.length != 0) {
    void *mapping = mmap(nullptr, file.length, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (mapping == MAP_FAILED) {
      int error = errno;
      file.length = 0;
      ::close(descriptor);
      return file.fail(std::string("cannot be mapped: ") + std::strerror(error));
    }
    file.bytes = static_cast<const uint8_t *>(mapping);
  }
  ::close(descriptor);
  return file;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : name(std::move(other.name)), bytes(std::exchange(other.bytes, nullptr)), length(std::exchange(other.length, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(name, other.name);
  std::swap(bytes, other.bytes);
  std::swap(length, other.length);
  return *this;
}

MappedFile::~MappedFile() {
  if (bytes)
    munmap(const_cast<uint8_t *>(bytes), length);
}
