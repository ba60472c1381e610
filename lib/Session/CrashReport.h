//===- CrashReport.h - report a crash of the running program ---*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_CRASHREPORT_H
#define LISPIER_LIB_SESSION_CRASHREPORT_H

#include "lispier/Target/Cpu/CodeMap.h"

namespace lispier {
/// While an instance exists, a signal caused by the program's code (SIGSEGV, SIGBUS, SIGFPE, SIGILL) flushes the
/// program's output and prints a line on stderr with the function of `code` that was running, before it ends the
/// process. Only one instance may exist; create it on the thread that calls `main`.
class CrashReport {
public:
  explicit CrashReport(const CodeMap &code);
  ~CrashReport();
  CrashReport(const CrashReport &) = delete;
};
} // namespace lispier
#endif
