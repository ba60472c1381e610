//===- Engines.h - start of a program with ranks ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_ENGINES_H
#define LISPIER_LIB_RUNTIME_ENGINES_H

#include "ProgramMemory.h"

namespace lispier::runtime {
/// The engine for memory of the host, LISPIER_COMM or MPI, with its library open. Null if it cannot be used; `why` is
/// then what is missing.
const CommTable *chooseHostEngine(Status &why);

/// lispier_rt_comm_mesh for memory of the host or of a device. `prepare` runs before ranks join, if there are several.
void startRanks(const char *mesh, const char *first, const char *program, int64_t digest, const char *site,
                const ProgramMemory &memory, Status (*prepare)(const Ranks &ranks),
                const CommTable *(*choose)(Status &why));
} // namespace lispier::runtime
#endif
