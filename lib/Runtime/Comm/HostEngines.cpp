//===- HostEngines.cpp - collectives on memory of the host ----------------===//
#include "Engines.h"
#include "MpiComm.h"
#include "lispier/Runtime/Core/Failure.h"
#include "lispier/Runtime/Core/Runtime.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace lispier::runtime {
double Deadline::seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double patience() {
  const char *text = getenv("LISPIER_COMM_TIMEOUT");
  return text && *text ? strtod(text, nullptr) : 60;
}

Deadline::Deadline() {
  double wait = patience();
  end = wait > 0 ? seconds() + wait : HUGE_VAL;
}

bool Deadline::hasPassed() const { return seconds() > end; }

Status timeout() { return Status("wait", kTimeout, "the other ranks have not come in %g s", patience()); }

const ProgramMemory kHostMemory = {
    [](int64_t bytes, const char *) { return lispier_rt_alloc(bytes); },
    [](void *memory, const char *) { lispier_rt_free(memory); },
    [](void *to, int64_t toPitch, const void *from, int64_t fromPitch, int64_t rowBytes, int64_t rows, const char *) {
      for (int64_t row = 0; row < rows; ++row)
        memcpy(static_cast<char *>(to) + row * toPitch, static_cast<const char *>(from) + row * fromPitch, rowBytes);
    },
    [](void *memory, int64_t bytes, const char *) { memset(memory, 0, bytes); },
    [](const CollectiveWork &work, const char *) { return work.issue(); }};

const CommTable *chooseHostEngine(Status &why) {
  const char *wish = getenv("LISPIER_COMM");
  if (wish && strcmp(wish, "fake") == 0)
    return &kFakeComm;
  if (wish && strcmp(wish, "mpi") != 0) {
    why = Status("comm", 0, "LISPIER_COMM to be mpi or fake on a CPU, and not %s", wish);
    return nullptr;
  }
  why = kMpiComm.absent();
  return why.ok() ? &kMpiComm : nullptr;
}
} // namespace lispier::runtime
