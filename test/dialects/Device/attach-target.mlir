// RUN: lispier-opt %s -lispier-attach-target=target=cuda | FileCheck %s --check-prefix=CUDA
// RUN: lispier-opt %s -lispier-attach-target=target=sim:64 | FileCheck %s --check-prefix=SIM
// RUN: lispier-opt %s -lispier-attach-target=target=rocm:gfx942 -lispier-attach-target=target=rocm:gfx942 | FileCheck %s --check-prefix=TWICE
// RUN: not lispier-opt %s -lispier-attach-target=target=rocm:gfx942 -lispier-attach-target=target=cuda 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not lispier-opt %s -lispier-attach-target=target=cuda:sm_90b 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// A vendor alone is its first chip, and is written in full.
// CUDA: module attributes {device.target = "cuda:sm_80"}
// SIM: module attributes {device.target = "sim:64"}
// TWICE: module attributes {device.target = "rocm:gfx942"}
// OTHER: error: is lowered for rocm:gfx942 already, and cannot be for cuda:sm_80
// UNKNOWN: error: no cuda chip `sm_90b`; did you mean `sm_90`
module {}
