//===- WindowViews.h - windows as views of memory --------------*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_WINDOWVIEWS_H
#define LISPIER_LIB_SCHEDULE_WINDOWVIEWS_H

#include "lispier/Group/Group.h"

namespace lispier::tensors {
/// Reads of an input of the kernel, a memref of known strides, at sums of multiples of loops, such as 2 p + i, become
/// reads at p, i of a view with a dimension for each loop, whose elements overlap: for the rest of a schedule windows
/// are tensors like others.
void viewWindows(group::KernelOp kernel);
} // namespace lispier::tensors
#endif
