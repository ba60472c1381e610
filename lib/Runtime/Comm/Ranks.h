//===- Ranks.h - which rank of a program this process is --------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_RANKS_H
#define LISPIER_LIB_RUNTIME_RANKS_H

#include "lispier/Runtime/Core/Status.h"

namespace lispier::runtime {
/// What has started the processes of a program.
struct Launcher {
  const char *name;                   ///< As messages call it.
  const char *rank, *ranks;           ///< Variables of the environment, both of which it sets.
  const char *localRank, *localRanks; ///< The same among the processes of a host; null if it has none.
  bool isMpi;                         ///< Processes find each other by MPI.
};

struct Ranks {
  const Launcher *launcher = nullptr; ///< Null: the program runs as one process.
  int rank = 0, ranks = 1;
  int localRank = 0; ///< Among the ranks of this host.
};

/// Reads the environment. An error if a launcher's variables are no rank.
Status findRanks(Ranks &found);
} // namespace lispier::runtime
#endif
