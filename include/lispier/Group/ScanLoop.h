//===- ScanLoop.h - a scan as a loop over slices ---------------*- C++ -*-===//
#ifndef LISPIER_GROUP_SCANLOOP_H
#define LISPIER_GROUP_SCANLOOP_H

#include "lispier/Group/Group.h"

namespace lispier::group {
/// Replaces the op by a loop over the dimension, whose steps combine a slice with what was combined so far.
void expandScan(ScanOp op);

/// The scan that the kernel computes; null for other kernels.
ScanOp scanIn(KernelOp kernel);
} // namespace lispier::group
#endif
