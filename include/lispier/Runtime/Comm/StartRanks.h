//===- StartRanks.h - start a program as several processes ------*- C++ -*-===//
#ifndef LISPIER_RUNTIME_STARTRANKS_H
#define LISPIER_RUNTIME_STARTRANKS_H

#include "lispier/Runtime/Core/Status.h"
#include <cstdint>

namespace lispier::runtime {
struct RankOptions {
  int ranks = 0;              ///< 0: the process is itself the program, or one of its ranks.
  const char *mesh = nullptr; ///< "dp=4,tp=2", for LISPIER_MESH.
  bool allOutput = false;     ///< Standard output of each rank, each line after its number; else that of rank 0.
  bool isForDevice = false;   ///< The program's kernels run on a GPU.

  /// Takes an argument `--ranks=N`, `--mesh=...` or `--rank-output=all|first`; false if it is none. `error` becomes
  /// what is wrong with its value, or null.
  bool take(const char *argument, const char *&error);
};

/// Runs `arguments`, the first of which is the program's file and the last null, once for each rank, and waits for all
/// of them. Their standard error comes out with the rank before each line. The first that fails ends the others.
/// `status` becomes its exit status, or 0. An error is that ranks could not be started, or that a signal has ended one,
/// which thus has not told why.
Status startRanks(const RankOptions &options, char *const *arguments, int &status);
} // namespace lispier::runtime

/// Called by executables with the arguments of C's main: removes those of RankOptions among the first ones, and returns
/// how many are left. With `--ranks` it starts the ranks and ends with their status.
extern "C" int32_t lispier_rt_comm_arguments(int32_t count, char **arguments, int32_t isForDevice);
#endif
