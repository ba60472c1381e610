//===- MpiComm.h - MPI as an engine -----------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_MPICOMM_H
#define LISPIER_LIB_RUNTIME_MPICOMM_H

#include "CommTable.h"

namespace lispier::runtime {
/// Any MPI with one of three ABIs, opened at run time.
extern const CommTable kMpiComm;

/// The command that starts the processes of the library that would be opened, and the arguments that it needs: null
/// terminated, at most `kMostMpiArguments`. False if there is no library; `why` says what is missing.
constexpr int kMostMpiArguments = 8;
bool mpiCommand(const char *arguments[kMostMpiArguments], Status &why);
} // namespace lispier::runtime
#endif
