//===- FatalErrors.cpp - errors of LLVM that end the process --------------===//
#include "FatalErrors.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <cstdlib>

using namespace llvm;

namespace lispier {
static void printAndExit(void *status, const char *reason, bool) {
  outs().flush();
  errs() << "error: LLVM's code generator cannot go on: " << reason << '\n';
  sys::RunInterruptHandlers(); // Deletes partially written files.
  std::_Exit(int(reinterpret_cast<intptr_t>(status)));
}

void exitOnFatalErrors(int status) {
  install_fatal_error_handler(printAndExit, reinterpret_cast<void *>(intptr_t(status)));
}
} // namespace lispier
