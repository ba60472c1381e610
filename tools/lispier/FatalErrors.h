//===- FatalErrors.h - errors of LLVM that end the process ------*- C++ -*-===//
#ifndef LISPIER_TOOLS_LISPIER_FATALERRORS_H
#define LISPIER_TOOLS_LISPIER_FATALERRORS_H

namespace lispier {
/// Ends the process with `status` and one line on stderr, after removing partially written files, whenever LLVM reports
/// a fatal error. Its code generators do so for input that they do not support: without a location, from code that
/// cannot return. Call it once, before anything else of LLVM.
void exitOnFatalErrors(int status);
} // namespace lispier
#endif
