//===- Passes.h - the passes of the device dialect -------------*- C++ -*-===//
#ifndef LISPIER_DEVICE_PASSES_H
#define LISPIER_DEVICE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace lispier {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lispier/Device/Passes.h.inc"
} // namespace lispier
#endif
