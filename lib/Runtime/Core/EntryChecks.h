//===- EntryChecks.h - what exported functions ask of arguments -*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_CORE_ENTRYCHECKS_H
#define LISPIER_LIB_RUNTIME_CORE_ENTRYCHECKS_H

#include "lispier/Runtime/Core/EntryCall.h"

namespace lispier::runtime {
// Each fails with one message, in the words of the entry's definition, unless the arguments can be used.

/// Whether the first `count` arguments are as the entry's values say: type, rank, sizes, order and place in memory.
/// Returns the device that all tensors are on; the host if there is none.
DLDevice checkArguments(const lispier_rt_entry &entry, void *const *arguments, int32_t count);
/// The number of the library's target for tensors on that device.
int32_t chooseTarget(const lispier_rt_entry &entry, void *const *arguments, DLDevice device);
inline bool isOnHost(DLDevice device) { return device.device_type == kDLCPU; }
/// Whether the memory of the results has the sizes that the function computes for these parameters.
void checkResultSizes(const lispier_rt_entry &entry, void *const *arguments, const int64_t *sizes);
/// Whether what the function writes is apart from all other arguments.
void checkOverlaps(const lispier_rt_entry &entry, void *const *arguments);
/// Whether a tensor that the function has returned has the sizes of its result's memory.
void checkReturned(const lispier_rt_entry &entry, int32_t value, const int64_t *returned, const int64_t *sizes);
/// Whether there are results or tensors that the function writes, and none of them has an element.
bool writesNothing(const lispier_rt_entry &entry, void *const *arguments);

/// Sets what lispier_rt_entry_error returns.
void setEntryError(const char *message);
} // namespace lispier::runtime
#endif
