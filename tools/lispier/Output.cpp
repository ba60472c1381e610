//===- Output.cpp - where results are written -----------------------------===//
#include "Output.h"
#include "lispier/Syntax/Diag.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace lispier;

bool writeOutput(const std::string &path, DiagSink &diags, function_ref<bool(raw_pwrite_stream &)> write) {
  std::error_code error;
  ToolOutputFile file(path, error, sys::fs::OF_None);
  bool ok = !error && write(file.os());
  if (!error) {
    file.os().flush();
    error = file.os().error();
    file.os().clear_error(); // Else its destructor ends the process.
  }
  if (error)
    diags.error("", SMRange(), "cannot write " + path + ": " + error.message());
  if (!ok || error)
    return false;
  file.keep();
  return true;
}

bool flushStandardOutput() {
  outs().flush();
  if (!outs().has_error())
    return true;
  errs() << "error: cannot write to standard output: " << outs().error().message() << '\n';
  outs().clear_error(); // Else its destructor ends the process.
  return false;
}
