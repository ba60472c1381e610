//===- NcclComm.h - NCCL and RCCL as engines --------------------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_NCCLCOMM_H
#define LISPIER_LIB_RUNTIME_NCCLCOMM_H

#include "CommTable.h"

namespace lispier::runtime {
extern const CommTable kNcclComm;
/// Which library kNcclComm opens: RCCL for AMD's devices.
void useRccl();
/// An error of a collective that has been enqueued, such as a rank that has died.
Status ncclFailed();
} // namespace lispier::runtime
#endif
