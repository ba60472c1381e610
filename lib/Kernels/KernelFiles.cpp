//===- KernelFiles.cpp - the text of kernel implementations ---------------===//
#include "lispier/Kernels/KernelFiles.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace lispier {
namespace {
/// Macros only, the later over the earlier; every other file may use them.
constexpr StringLiteral kShared[] = {"floats.lisp", "tiles.lisp"};

/// What the names of files for GPUs begin with.
constexpr StringLiteral kForGpu = "gpu-";

/// On the first line, which is a comment in each file, so that line numbers stay right.
constexpr StringLiteral kDialects =
    "(require-dialect amx arith builtin cf func gpu linalg llvm math memref nn nvvm scf vector x86vector) ";

/// The shared files that `file` may use.
std::string requiredMacros(StringRef file) {
  std::string text;
  for (StringRef shared : kShared) {
    if (shared == file)
      break;
    text += ("(require-macros \"" + shared + "\") ").str();
  }
  return text;
}

/// The op's name stands in the text: in a template's head, or in a call of a macro that makes templates.
bool mentions(StringRef text, StringRef op) {
  size_t at = 0;
  while ((at = text.find(op, at)) != StringRef::npos) {
    at += op.size();
    if (at < text.size() && isspace(static_cast<unsigned char>(text[at])))
      return true;
  }
  return false;
}
} // namespace

ArrayRef<PreludeFile> preludeKernelFiles() {
  static const std::vector<PreludeFile> files = {
#define FILE(name, text) {StringLiteral(name), StringLiteral(text)},
#include "Kernels.inc"
#undef FILE
  };
  return files;
}

std::vector<StringRef> kernelFilesFor(ArrayRef<StringRef> ops, bool forGpu) {
  std::vector<StringRef> names;
  for (const PreludeFile &file : preludeKernelFiles())
    if (file.name.starts_with(kForGpu) == forGpu && any_of(ops, [&](StringRef op) { return mentions(file.text, op); }))
      names.push_back(file.name);
  return names;
}

std::unique_ptr<MemoryBuffer> KernelFiles::load(StringRef path, std::string &why) {
  if (path.consume_front(kKernelFolder))
    for (const PreludeFile &file : preludeKernelFiles())
      if (file.name == path)
        return MemoryBuffer::getMemBufferCopy((kDialects + requiredMacros(path) + file.text).str(), path);
  why = "there is no such file of kernels";
  return nullptr;
}
} // namespace lispier
