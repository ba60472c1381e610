//===- Chips.h - what each NVIDIA chip can do ------------------*- C++ -*-===//
#ifndef LISPIER_TARGET_NVIDIA_CHIPS_H
#define LISPIER_TARGET_NVIDIA_CHIPS_H

#include "lispier/Target/Device/Backend.h"

namespace lispier {
llvm::ArrayRef<GpuChip> nvidiaChips();
} // namespace lispier
#endif
