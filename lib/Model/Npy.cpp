//===- Npy.cpp - one-dimensional NumPy files -------------------------------===//
#include "lispier/Model/Npy.h"
#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace lispier;

Result<Done> lispier::writeNpy(const std::string &path, const float *values, int64_t count) {
  // Magic, version 1.0, the header's length, the header; the data starts at a multiple of 64.
  constexpr size_t kPreamble = 10;
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  header.append(63 - (kPreamble + header.size()) % 64, ' ');
  header += '\n';
  std::string start = "\x93NUMPY";
  start += '\x01';
  start += '\x00';
  start += static_cast<char>(header.size() & 255);
  start += static_cast<char>(header.size() >> 8);
  start += header;

  auto fail = [&] { return Failure{path + ": cannot be written: " + std::strerror(errno)}; };
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return fail();
  size_t size = static_cast<size_t>(count);
  bool written = std::fwrite(start.data(), 1, start.size(), file) == start.size() &&
                 std::fwrite(values, sizeof(float), size, file) == size && std::fflush(file) == 0;
  if (!written) {
    Failure failure = fail(); // before fclose changes errno
    std::fclose(file);
    return failure;
  }
  if (std::fclose(file) != 0)
    return fail();
  return Done();
}
