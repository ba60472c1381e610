//===- Cpu.cpp - check that the processor can run the program -------------===//
//
// An executable calls this at its start, before any instruction that the processor
// might lack. This file is therefore compiled for the baseline architecture, and
// uses CPUID directly, because feature tables differ between compiler versions.
//
//===----------------------------------------------------------------------===//
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace {
#if defined(__x86_64__)
enum Register { EAX, EBX, ECX, EDX };
/// Register state that the operating system must save, as bits of XCR0.
enum State : uint32_t { None = 0, Ymm = 0x6, Zmm = 0xe6, Tile = 0x60000 };

struct Feature {
  const char *name; ///< LLVM's feature name.
  uint32_t leaf, subleaf;
  Register where;
  int bit;
  State state;
};

// From the processor manuals (CPUID). Only features that let LLVM select instructions are listed: a feature such as
// clzero enables instructions that a program gets only by naming them, so code without them runs elsewhere.
constexpr Feature kFeatures[] = {
    {"cx8", 1, 0, EDX, 8, None},
    {"cmov", 1, 0, EDX, 15, None},
    {"mmx", 1, 0, EDX, 23, None},
    {"sse", 1, 0, EDX, 25, None},
    {"sse2", 1, 0, EDX, 26, None},
    {"sse3", 1, 0, ECX, 0, None},
    {"pclmul", 1, 0, ECX, 1, None},
    {"ssse3", 1, 0, ECX, 9, None},
    {"fma", 1, 0, ECX, 12, Ymm},
    {"cx16", 1, 0, ECX, 13, None},
    {"sse4.1", 1, 0, ECX, 19, None},
    {"sse4.2", 1, 0, ECX, 20, None},
    {"movbe", 1, 0, ECX, 22, None},
    {"popcnt", 1, 0, ECX, 23, None},
    {"avx", 1, 0, ECX, 28, Ymm},
    {"f16c", 1, 0, ECX, 29, Ymm},
    {"bmi", 7, 0, EBX, 3, None},
    {"avx2", 7, 0, EBX, 5, Ymm},
    {"bmi2", 7, 0, EBX, 8, None},
    {"avx512f", 7, 0, EBX, 16, Zmm},
    {"avx512dq", 7, 0, EBX, 17, Zmm},
    {"avx512ifma", 7, 0, EBX, 21, Zmm},
    {"avx512cd", 7, 0, EBX, 28, Zmm},
    {"avx512bw", 7, 0, EBX, 30, Zmm},
    {"avx512vl", 7, 0, EBX, 31, Zmm},
    {"avx512vbmi", 7, 0, ECX, 1, Zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, Zmm},
    {"gfni", 7, 0, ECX, 8, None},
    {"vpclmulqdq", 7, 0, ECX, 10, Ymm},
    {"avx512vnni", 7, 0, ECX, 11, Zmm},
    {"avx512bitalg", 7, 0, ECX, 12, Zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, Zmm},
    {"amx-bf16", 7, 0, EDX, 22, Tile},
    {"avx512fp16", 7, 0, EDX, 23, Zmm},
    {"amx-tile", 7, 0, EDX, 24, Tile},
    {"amx-int8", 7, 0, EDX, 25, Tile},
    {"avxvnni", 7, 1, EAX, 4, Ymm},
    {"avx512bf16", 7, 1, EAX, 5, Zmm},
    {"amx-fp16", 7, 1, EAX, 21, Tile},
    {"avxifma", 7, 1, EAX, 23, Ymm},
    {"avxvnniint8", 7, 1, EDX, 4, Ymm},
    {"avxneconvert", 7, 1, EDX, 5, Ymm},
    {"amx-complex", 7, 1, EDX, 8, Tile},
    {"avxvnniint16", 7, 1, EDX, 10, Ymm},
    {"sahf", 0x80000001, 0, ECX, 0, None},
    {"lzcnt", 0x80000001, 0, ECX, 5, None},
    {"sse4a", 0x80000001, 0, ECX, 6, None},
    {"prfchw", 0x80000001, 0, ECX, 8, None},
    {"xop", 0x80000001, 0, ECX, 11, Ymm},
    {"fma4", 0x80000001, 0, ECX, 16, Ymm},
    {"tbm", 0x80000001, 0, ECX, 21, None},
};

/// Requests permission from Linux to use the 8 KiB of tile registers. Repeating the request costs one system call.
bool mayUseTiles() {
#if defined(__linux__)
  constexpr long kRequestPermission = 0x1023, kTileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return true;
#endif
}

uint32_t savedState() {
  uint32_t registers[4];
  constexpr uint32_t kOsxsave = 1u << 27;
  if (!__get_cpuid(1, &registers[EAX], &registers[EBX], &registers[ECX], &registers[EDX]) ||
      !(registers[ECX] & kOsxsave))
    return 0;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool present(const Feature &feature) {
  uint32_t registers[4];
  return __get_cpuid_count(feature.leaf, feature.subleaf, &registers[EAX], &registers[EBX], &registers[ECX],
                           &registers[EDX]) &&
         (registers[feature.where] >> feature.bit & 1) && (savedState() & feature.state) == feature.state &&
         (feature.state != Tile || mayUseTiles());
}

/// Returns the feature named by the `length` bytes at `name` if the processor is known to lack it, else null.
const char *missing(const char *name, size_t length) {
  for (const Feature &feature : kFeatures)
    if (strlen(feature.name) == length && memcmp(feature.name, name, length) == 0)
      return present(feature) ? nullptr : feature.name;
  return nullptr;
}
#else
const char *missing(const char *, size_t) { return nullptr; }
#endif
} // namespace

extern "C" const char *lispier_rt_missing_cpu_feature(const char *features) {
  while (*features) {
    size_t length = strcspn(features, ",");
    if (*features == '+')
      if (const char *name = missing(features + 1, length - 1))
        return name;
    features += length + (features[length] == ',');
  }
  return nullptr;
}

extern "C" void lispier_rt_require_cpu(const char *features) {
  const char *name = lispier_rt_missing_cpu_feature(features);
  if (!name)
    return;
  lispier::runtime::fail(
      {},
      "lispier: this program was compiled for a processor with %s, which this one does not have or may not use; "
      "compile it for an older one (--cpu=x86-64-v3) or on this machine",
      name);
}
