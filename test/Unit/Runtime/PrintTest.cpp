#include "lispier/Runtime/Core/MemRef.h"
#include <gtest/gtest.h>
#include <string>

using namespace lispier::runtime;

extern "C" {
void printF32(float);
void printF64(double);
void printI64(int64_t);
void printU64(uint64_t);
void printF16(uint16_t);
void printBF16(uint16_t);
void printString(const char *);
void printOpen();
void printClose();
void printComma();
void printNewline();
void printMemrefF32(int64_t, void *);
void _mlir_ciface_printMemrefI32(UnrankedMemRef *);
void _mlir_ciface_printMemrefBF16(UnrankedMemRef *);
int printf_1(const char *, double);
int printf_2(const char *, int64_t, double);
}

namespace {
template <typename Function> std::string printed(Function function) {
  testing::internal::CaptureStdout();
  function();
  return testing::internal::GetCapturedStdout();
}
/// What follows the address, which differs from run to run.
std::string afterAddress(const std::string &text) { return text.substr(text.find(" rank")); }
} // namespace

TEST(Print, Scalars) {
  EXPECT_EQ(printed([] {
              printOpen();
              printF32(0.1f);
              printComma();
              printF64(-1.5e-7);
              printComma();
              printI64(INT64_MIN);
              printComma();
              printU64(UINT64_MAX);
              printClose();
              printNewline();
              printString("end");
            }),
            "( 0.1, -1.5e-07, -9223372036854775808, 18446744073709551615 )\nend");
}

TEST(Print, SixteenBitFloatsComeAsBits) {
  EXPECT_EQ(printed([] {
              for (uint16_t bits : {0x3c00, 0xc100, 0x0001, 0x7c00}) {
                printF16(bits);
                printString(" ");
              }
              printBF16(0xbfc0);
            }),
            "1 -2.5 5.96046e-08 inf -1.5");
}

TEST(Print, MemRefs) {
  float data[] = {0, 1, 2, 3, 4, 5, 6};
  MemRef<float, 2> matrix{data, data, 1, {2, 3}, {3, 1}};
  EXPECT_EQ(afterAddress(printed([&] { printMemrefF32(2, &matrix); })),
            " rank = 2 offset = 1 sizes = [2, 3] strides = [3, 1] data = \n[[1,   2,   3], \n [4,   5,   6]]\n");
  MemRef<float, 0> scalar{data, data, 5};
  EXPECT_EQ(afterAddress(printed([&] { printMemrefF32(0, &scalar); })), " rank = 0 offset = 5 data = \n[5]\n");
  MemRef<float, 1> none{data, data, 0, {0}, {1}};
  EXPECT_EQ(afterAddress(printed([&] { printMemrefF32(1, &none); })),
            " rank = 1 offset = 0 sizes = [0] strides = [1] data = \n[]\n");
}

TEST(Print, MemRefsByPointer) {
  int32_t data[] = {-1, 7};
  MemRef<int32_t, 1> vector{data, data, 0, {2}, {1}};
  UnrankedMemRef any{1, &vector};
  std::string text = printed([&] { _mlir_ciface_printMemrefI32(&any); });
  EXPECT_EQ(text.rfind("Unranked Memref base@ = 0x", 0), 0u) << text;
  EXPECT_EQ(afterAddress(text), " rank = 1 offset = 0 sizes = [2] strides = [1] data = \n[-1,  7]\n");
  uint16_t halves[] = {0x4049};
  MemRef<uint16_t, 1> bfloats{halves, halves, 0, {1}, {1}};
  any.descriptor = &bfloats;
  EXPECT_EQ(afterAddress(printed([&] { _mlir_ciface_printMemrefBF16(&any); })),
            " rank = 1 offset = 0 sizes = [1] strides = [1] data = \n[3.14062]\n");
}

// Called through declarations that are not variadic, as compiled programs do.
TEST(Print, PrintfOfFixedArity) {
  EXPECT_EQ(printed([] {
              printf_1("%.2f ", 1.25);
              printf_2("%ld %g", 42, 2.5);
            }),
            "1.25 42 2.5");
}
