//===- Output.h - where results are written -------------------------------===//
#ifndef LISPIER_TOOLS_LISPIER_OUTPUT_H
#define LISPIER_TOOLS_LISPIER_OUTPUT_H
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lispier {
class DiagSink;
}

/// Lets `write` fill the file `path`, which stays only if that succeeds; `-` is standard output. False: it did not, or
/// the file cannot be written, which `diags` then says.
bool writeOutput(const std::string &path, lispier::DiagSink &diags,
                 llvm::function_ref<bool(llvm::raw_pwrite_stream &)> write);

/// False, after a message: standard output took less than what was printed.
bool flushStandardOutput();
#endif
