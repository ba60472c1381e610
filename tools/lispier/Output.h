//===- Output.h - write output files --------------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_OUTPUT_H
#define LISPIER_TOOLS_LISPIER_OUTPUT_H
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lispier {
class Session;
}

/// Calls `write` to produce the file `path`; `-` is standard output. A regular file is replaced atomically and keeps
/// its permissions; a symbolic link is kept and its target replaced; devices and pipes are written in place. Returns
/// false, after reporting an error, if `write` failed or the file cannot be written.
bool writeOutput(const std::string &path, lispier::Session &session,
                 llvm::function_ref<bool(llvm::raw_pwrite_stream &)> write);

/// Whether the output `path` is a file that the session has read; if so, reports an error.
bool overwritesSource(lispier::Session &session, llvm::StringRef path);

/// Flushes standard output. Returns false, after reporting it, if there was a write error.
bool flushStandardOutput();
#endif
