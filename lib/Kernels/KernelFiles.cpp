//===- KernelFiles.cpp - the text of kernel implementations ---------------===//
#include "lispier/Kernels/KernelFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
namespace {
/// Files that contain macros only, prepended to every other file. A later definition replaces an earlier one.
constexpr StringLiteral kShared[] = {"floats.lisp", "tiles.lisp"};

/// Data, not part of a program.
constexpr StringLiteral kTuning = "tuning.lisp";

constexpr StringRef kDialects[] = {"amx",  "arith",  "builtin", "cf",   "func", "gpu",    "linalg",   "llvm",
                                   "math", "memref", "nn",      "nvvm", "scf",  "vector", "x86vector"};

/// Prepended to the first line, so that line numbers do not change.
std::string requireDialects() { return "(require-dialect " + join(kernelDialects(), " ") + ") "; }

/// The shared files that precede `file`.
std::string requiredMacros(StringRef file) {
  std::string text;
  for (StringRef shared : kShared) {
    if (shared == file)
      break;
    text += ("(require-macros \"" + shared + "\") ").str();
  }
  return text;
}
} // namespace

ArrayRef<StringRef> kernelDialects() { return kDialects; }

ArrayRef<PreludeFile> preludeKernelFiles() {
  static const std::vector<PreludeFile> files = {
#define FILE(name, text) {StringLiteral(name), StringLiteral(text)},
#include "Kernels.inc"
#undef FILE
  };
  return files;
}

PreludeFile kernelTuning() {
  return *find_if(preludeKernelFiles(), [](const PreludeFile &file) { return file.name == kTuning; });
}

std::string requireAllKernels() {
  std::string text;
  for (const PreludeFile &file : preludeKernelFiles())
    if (file.name != kTuning && !is_contained(kShared, file.name))
      text += ("(require [\"" + kKernelFolder + file.name + "\" :as " + file.name.split('.').first + "])\n").str();
  return text;
}

std::unique_ptr<MemoryBuffer> KernelFiles::load(StringRef path, std::string &why) {
  if (path.consume_front(kKernelFolder))
    for (const PreludeFile &file : preludeKernelFiles())
      if (file.name == path)
        return MemoryBuffer::getMemBufferCopy(
            (requireDialects() + definitions + requiredMacros(path) + file.text).str(), path);
  why = "there is no such file of kernels";
  return nullptr;
}
} // namespace lispier
