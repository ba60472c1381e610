//===- SplitColumnSums.h - kernels of rows that sum columns ----*- C++ -*-===//
#ifndef LISPIER_LIB_SCHEDULE_SPLITCOLUMNSUMS_H
#define LISPIER_LIB_SCHEDULE_SPLITCOLUMNSUMS_H

#include "lispier/Tensor/Groups/ColumnSums.h"

namespace lispier {
/// Replaces a kernel on memrefs by two: one that makes the rows, and sums of each part of these, and one that adds the
/// sums, which memory has between them.
void splitColumnSums(group::KernelOp kernel, const ColumnSums &sums);
} // namespace lispier
#endif
