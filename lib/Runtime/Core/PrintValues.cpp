//===- PrintValues.cpp - print functions for vector.print and memrefs -----===//
//
// All output goes through C's stdout, so that it stays in order with a program's
// own printf. Formats are those of MLIR's runner libraries, whose tests' CHECKs hold.
//
//===----------------------------------------------------------------------===//
#include "Core/BFloat16.h"
#include "lispier/Runtime/Core/MemRef.h"
#include <cinttypes>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>

using namespace lispier::runtime;

namespace {
struct Float16 {
  uint16_t bits;
};

float toFloat(Float16 value) {
  _Float16 half;
  memcpy(&half, &value.bits, sizeof(half));
  return half;
}

void printElement(double value) { printf("%g", value); }
void printElement(float value) { printf("%g", double(value)); }
void printElement(BFloat16 value) { printElement(toFloat(value)); }
void printElement(Float16 value) { printElement(toFloat(value)); }
void printElement(int8_t value) { printf("%d", value); }
void printElement(int16_t value) { printf("%d", value); }
void printElement(int32_t value) { printf("%" PRId32, value); }
void printElement(int64_t value) { printf("%" PRId64, value); }
template <typename T> void printElement(std::complex<T> value) {
  printf("(%g,%g)", double(value.real()), double(value.imag()));
}

void printList(const char *before, const int64_t *values, int64_t count) {
  fputs(before, stdout);
  for (int64_t i = 0; i < count; ++i)
    printf("%s%" PRId64, i ? ", " : "", values[i]);
  fputs("]", stdout);
}

template <typename T> void printData(const MemRefView<T> &memref, const T *data, int64_t dim) {
  if (dim == memref.rank)
    return printElement(*data);
  fputc('[', stdout);
  bool innermost = dim + 1 == memref.rank;
  for (int64_t i = 0; i < memref.sizes[dim]; ++i) {
    if (i)
      printf(", %s%*s", innermost ? "" : "\n", int(dim) + 1, "");
    printData(memref, data + i * memref.strides[dim], dim + 1);
  }
  fputc(']', stdout);
}

template <typename T> void printMemRef(const char *kind, int64_t rank, const void *descriptor) {
  MemRefView<T> memref(rank, descriptor);
  printf("%s base@ = %#" PRIxPTR " rank = %" PRId64 " offset = %" PRId64, kind,
         reinterpret_cast<uintptr_t>(memref.data), rank, memref.offset);
  if (rank > 0) {
    printList(" sizes = [", memref.sizes, rank);
    printList(" strides = [", memref.strides, rank);
  }
  fputs(rank ? " data = \n" : " data = \n[", stdout);
  printData(memref, memref.data + memref.offset, 0);
  fputs(rank ? "\n" : "]\n", stdout);
}

template <typename T> void printUnranked(int64_t rank, const void *descriptor) {
  printMemRef<T>("Unranked Memref", rank, descriptor);
}
} // namespace

// One line per type: the memref printer in both calling conventions, and for rank 1.
#define LISPIER_PRINT_MEMREF(SUFFIX, TYPE)                                                                             \
  extern "C" void printMemref##SUFFIX(int64_t rank, void *descriptor) { printUnranked<TYPE>(rank, descriptor); }       \
  extern "C" void _mlir_ciface_printMemref##SUFFIX(UnrankedMemRef *memref) {                                           \
    printUnranked<TYPE>(memref->rank, memref->descriptor);                                                             \
  }                                                                                                                    \
  extern "C" void _mlir_ciface_printMemref1d##SUFFIX(void *descriptor) { printMemRef<TYPE>("Memref", 1, descriptor); }
LISPIER_PRINT_MEMREF(I8, int8_t)
LISPIER_PRINT_MEMREF(I16, int16_t)
LISPIER_PRINT_MEMREF(I32, int32_t)
LISPIER_PRINT_MEMREF(I64, int64_t)
LISPIER_PRINT_MEMREF(Ind, int64_t)
LISPIER_PRINT_MEMREF(F16, Float16)
LISPIER_PRINT_MEMREF(BF16, BFloat16)
LISPIER_PRINT_MEMREF(F32, float)
LISPIER_PRINT_MEMREF(F64, double)
LISPIER_PRINT_MEMREF(C32, std::complex<float>)
LISPIER_PRINT_MEMREF(C64, std::complex<double>)

extern "C" {
void _mlir_ciface_printMemref0dF32(void *descriptor) { printMemRef<float>("Memref", 0, descriptor); }
void _mlir_ciface_printMemref2dF32(void *descriptor) { printMemRef<float>("Memref", 2, descriptor); }
void _mlir_ciface_printMemref3dF32(void *descriptor) { printMemRef<float>("Memref", 3, descriptor); }
void _mlir_ciface_printMemref4dF32(void *descriptor) { printMemRef<float>("Memref", 4, descriptor); }

void printI64(int64_t value) { printf("%" PRId64, value); }
void printU64(uint64_t value) { printf("%" PRIu64, value); }
void printF32(float value) { printElement(value); }
void printF64(double value) { printElement(value); }
// The argument is the bit pattern.
void printF16(uint16_t bits) { printElement(Float16{bits}); }
void printBF16(uint16_t bits) { printElement(BFloat16{bits}); }
void printString(const char *text) { fputs(text, stdout); }
void printOpen() { fputs("( ", stdout); }
void printClose() { fputs(" )", stdout); }
void printComma() { fputs(", ", stdout); }
void printNewline() { fputc('\n', stdout); }
}
