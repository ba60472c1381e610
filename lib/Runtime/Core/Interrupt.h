//===- Interrupt.h - calls that a host can end ------------------*- C++ -*-===//
#ifndef LISPIER_LIB_RUNTIME_CORE_INTERRUPT_H
#define LISPIER_LIB_RUNTIME_CORE_INTERRUPT_H

namespace lispier::runtime {
/// Enclose a guarded call that lispier_rt_interrupt ends. When none is left, the interrupt is over.
void beginInterruptible();
void endInterruptible();
} // namespace lispier::runtime
#endif
