#include "lispier/Runtime/Core/Runtime.h"
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

// The compiler's own test of a feature and ours agree on whatever machine runs this.
#if defined(__x86_64__)
#define EXPECT_AGREES(NAME, LISPIER_NAME)                                                                              \
  EXPECT_EQ(lispier_rt_missing_cpu_feature("+" LISPIER_NAME) == nullptr, bool(__builtin_cpu_supports(NAME)))           \
      << LISPIER_NAME

TEST(Cpu, AgreesWithTheCompiler) {
  __builtin_cpu_init();
  EXPECT_AGREES("sse4.2", "sse4.2");
  EXPECT_AGREES("popcnt", "popcnt");
  EXPECT_AGREES("avx", "avx");
  EXPECT_AGREES("avx2", "avx2");
  EXPECT_AGREES("fma", "fma");
  EXPECT_AGREES("bmi", "bmi");
  EXPECT_AGREES("bmi2", "bmi2");
  EXPECT_AGREES("avx512f", "avx512f");
  EXPECT_AGREES("avx512bw", "avx512bw");
  EXPECT_AGREES("avx512vl", "avx512vl");
  EXPECT_AGREES("avx512vbmi", "avx512vbmi");
  EXPECT_AGREES("avx512vnni", "avx512vnni");
  EXPECT_AGREES("avx512bf16", "avx512bf16");
  EXPECT_AGREES("fma4", "fma4");
  EXPECT_AGREES("gfni", "gfni");
}

TEST(Cpu, NamesTheFirstThatIsMissing) {
  // No processor has both: those with FMA4 are older.
  const char *name = lispier_rt_missing_cpu_feature("+sse2,-avx2,+fma4,+avx512f");
  ASSERT_NE(name, nullptr);
  EXPECT_TRUE(std::string(name) == "fma4" || std::string(name) == "avx512f") << name;
}

// No processor has all of these, and no code that LLVM generates has their instructions unless a program names them.
TEST(Cpu, WhatOnlyItsUsersNeedIsNotAsked) {
  EXPECT_EQ(lispier_rt_missing_cpu_feature("+clzero,+mwaitx,+rtm,+waitpkg,+cldemote,+serialize,+sha512"), nullptr);
}

TEST(CpuDeathTest, SaysSoAndExits) {
  EXPECT_EXIT(lispier_rt_require_cpu("+sse2,+fma4,+avx512f"), testing::ExitedWithCode(1),
              "compiled for a processor with (fma4|avx512f), which this one does not have");
}

#if defined(__linux__)
bool processorHasTiles() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string word; file >> word;)
    if (word == "amx_tile")
      return true;
  return false;
}

// Linux refuses them to a process with a signal stack that they would not fit on: so a system that refuses can be
// tried here. In processes of their own, because one that got them keeps them.
TEST(CpuDeathTest, TilesThatTheSystemRefuses) {
  if (!processorHasTiles())
    GTEST_SKIP() << "this processor has no AMX";
  EXPECT_EXIT(
      {
        static char small[4096];
        stack_t stack{};
        stack.ss_sp = small;
        stack.ss_size = sizeof(small);
        if (sigaltstack(&stack, nullptr) != 0)
          exit(2);
        lispier_rt_require_cpu("+avx2,+amx-tile");
        exit(0);
      },
      testing::ExitedWithCode(1), "amx-tile, which this one does not have or may not use");
  EXPECT_EXIT(
      {
        if (!lispier_rt_missing_cpu_feature("+amx-tile"))
          asm volatile("tilerelease"); // Legal by now.
        exit(0);
      },
      testing::ExitedWithCode(0), "");
}
#endif
#endif

TEST(Cpu, WhatIsNotAskedForPasses) {
  for (const char *features : {"", ",", "+", "-avx512f,-amx-tile", "+64bit,+fast-variable-perlane-shuffle", "nonsense"})
    EXPECT_EQ(lispier_rt_missing_cpu_feature(features), nullptr) << features;
}
