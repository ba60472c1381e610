//===- KernelFiles.h - the text of kernel implementations ------*- C++ -*-===//
#ifndef LISPIER_KERNELS_KERNELFILES_H
#define LISPIER_KERNELS_KERNELFILES_H

#include "lispier/Expand/Expand.h"

namespace lispier {
/// lib/Kernels: files of implementations, and of the macros that they share.
llvm::ArrayRef<PreludeFile> preludeKernelFiles();

/// Where they are for `require`.
inline constexpr llvm::StringLiteral kKernelFolder = "prelude/kernels/";

/// A file that requires all implementations.
std::string requireAllKernels();

/// What is chosen by measuring, for each machine: forms (tuning ability {:key value ...}), the general ones first.
PreludeFile kernelTuning();

/// Serves the files, below `kKernelFolder`, as if they were on disk: with every dialect required that kernels use, and
/// the macros that all share, which are those of floats.lisp and `definitions`.
class KernelFiles : public FileLoader {
public:
  /// `definitions`: (defmacro ...) forms on one line.
  explicit KernelFiles(std::string definitions) : definitions(std::move(definitions)) {}
  std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef path, std::string &why) override;
  std::string canonical(llvm::StringRef path) override { return path.str(); }

private:
  std::string definitions;
};
} // namespace lispier
#endif
