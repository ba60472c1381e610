//===- Npy.cpp - one-dimensional NumPy files ------------------------------===//
#include "lispier/Checkpoint/Npy.h"
#include <cerrno>
#include <cstdio>
#include <string>

using namespace lispier;

int lispier::writeNpy(const char *path, const float *values, int64_t count) {
  // Magic, version 1.0, length of the header, header; the data starts at a multiple of 64 bytes.
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

  std::FILE *file = std::fopen(path, "wb");
  if (!file)
    return errno;
  size_t size = static_cast<size_t>(count);
  bool written = std::fwrite(start.data(), 1, start.size(), file) == start.size() &&
                 std::fwrite(values, sizeof(float), size, file) == size && std::fflush(file) == 0;
  int error = written ? 0 : errno; // Read before fclose changes errno.
  if (std::fclose(file) != 0 && written)
    error = errno;
  return error;
}
