//===- Ranks.cpp - which rank of a program this process is ----------------===//
#include "Ranks.h"
#include <cstdlib>

namespace lispier::runtime {
namespace {
/// In the order in which they are tried: `lispier run --ranks` may itself start mpirun, and srun the others.
constexpr Launcher kLaunchers[] = {
    {"--ranks", "LISPIER_RANK", "LISPIER_RANKS", "LISPIER_LOCAL_RANK", nullptr, false},
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", true},
    {"MPICH", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", true},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", false},
    // SLURM_NTASKS is also set in a batch script that srun has not started.
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr, true},
};

const char *valueOf(const char *variable) {
  const char *value = variable ? getenv(variable) : nullptr;
  return value && *value ? value : nullptr;
}

bool readNumber(const char *text, int &number) {
  char *end = nullptr;
  long read = strtol(text, &end, 10);
  number = int(read);
  return *end == '\0' && read == number && read >= 0;
}
} // namespace

Status findRanks(Ranks &found) {
  found = Ranks();
  for (const Launcher &launcher : kLaunchers) {
    const char *rank = valueOf(launcher.rank), *ranks = valueOf(launcher.ranks);
    if (!rank || !ranks)
      continue;
    if (!readNumber(rank, found.rank) || !readNumber(ranks, found.ranks) || found.rank >= found.ranks)
      return Status("ranks", 0, "%s=%s and %s=%s, set by %s, are no rank among ranks", launcher.rank, rank,
                    launcher.ranks, ranks, launcher.name);
    found.launcher = &launcher;
    const char *local = valueOf(launcher.localRank);
    if (!local || !readNumber(local, found.localRank))
      found.localRank = found.rank;
    return Status();
  }
  return Status();
}
} // namespace lispier::runtime
