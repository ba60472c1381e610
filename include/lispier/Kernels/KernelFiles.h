//===- KernelFiles.h - the text of kernel implementations ------*- C++ -*-===//
#ifndef LISPIER_KERNELS_KERNELFILES_H
#define LISPIER_KERNELS_KERNELFILES_H

#include "lispier/Expand/Expand.h"

namespace lispier {
/// lib/Kernels: files of templates, and of the macros that they share.
llvm::ArrayRef<PreludeFile> preludeKernelFiles();

/// The files that may have a template for one of the ops, "nn.linear" and its like: they name it. Those for GPUs are
/// called gpu-*.lisp.
std::vector<llvm::StringRef> kernelFilesFor(llvm::ArrayRef<llvm::StringRef> ops, bool forGpu);

/// Serves those files, below `kKernelFolder`, as if they were on disk: with every dialect required
/// that kernels use, and the macros of floats.lisp.
class KernelFiles : public FileLoader {
public:
  std::unique_ptr<llvm::MemoryBuffer> load(llvm::StringRef path, std::string &why) override;
  std::string canonical(llvm::StringRef path) override { return path.str(); }
};
inline constexpr llvm::StringLiteral kKernelFolder = "prelude/kernels/";
} // namespace lispier
#endif
