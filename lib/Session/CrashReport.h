//===- CrashReport.h - what a program that dies leaves behind --*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_CRASHREPORT_H
#define LISPIER_LIB_SESSION_CRASHREPORT_H

#include "lispier/Target/Cpu/CodeMap.h"

namespace lispier {
/// While this exists, a signal that ends the process for what its code did (SIGSEGV, SIGBUS, SIGFPE, SIGILL) first
/// prints what the program had printed, and one line with the function of `code` that was running. One at a time.
class CrashReport {
public:
  explicit CrashReport(const CodeMap &code);
  ~CrashReport();
  CrashReport(const CrashReport &) = delete;
};
} // namespace lispier
#endif
