//===- Output.h - where results are written -------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_OUTPUT_H
#define LISPIER_TOOLS_LISPIER_OUTPUT_H
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lispier {
class Session;
}

/// Lets `write` fill the file `path`; `-` is standard output. A regular file is replaced only by a whole new one, with
/// the same permissions; a link stays, and what it points to is replaced; devices and pipes are written to. False,
/// after a message: `write` failed, or the file cannot be written.
bool writeOutput(const std::string &path, lispier::Session &session,
                 llvm::function_ref<bool(llvm::raw_pwrite_stream &)> write);

/// Whether a file that the session has read may not become its output `path`, which is then an error.
bool overwritesSource(lispier::Session &session, llvm::StringRef path);

/// False, after a message: standard output took less than what was printed.
bool flushStandardOutput();
#endif
