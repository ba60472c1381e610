//===- KernelFiles.h - the text of kernel implementations ------*- C++ -*-===//
#ifndef LISPIER_KERNELS_KERNELFILES_H
#define LISPIER_KERNELS_KERNELFILES_H

#include "lispier/Expand/Expand.h"

namespace lispier {
/// The embedded files of lib/Kernels: implementations, macros that they share, and tuning.lisp.
llvm::ArrayRef<PreludeFile> preludeKernelFiles();

/// The dialects whose ops the files use.
llvm::ArrayRef<llvm::StringRef> kernelDialects();

/// The folder under which `require` finds the embedded files.
inline constexpr llvm::StringLiteral kKernelFolder = "prelude/kernels/";

/// Returns the text of a program that requires all files of implementations.
std::string requireAllKernels();

/// Returns tuning.lisp: forms (tuning ability {:key value ...}), general entries before specific ones.
PreludeFile kernelTuning();

/// Loads the embedded files from the virtual folder `kKernelFolder`. Prepends to each file's first line
/// `require-dialect` for all dialects that kernels use, `definitions`, and `require-macros` of floats.lisp and
/// tiles.lisp: to tiles.lisp only of floats.lisp, to floats.lisp of neither.
class KernelFiles : public FileLoader {
public:
  /// `definitions`: (defmacro ...) forms without a line break, so that the files' line numbers stay.
  explicit KernelFiles(std::string definitions) : definitions(std::move(definitions)) {}
  std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef path, std::string &why) override;
  std::string canonical(llvm::StringRef path) override { return path.str(); }

private:
  std::string definitions;
};
} // namespace lispier
#endif
