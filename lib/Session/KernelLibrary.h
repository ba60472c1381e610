//===- KernelLibrary.h - the library of kernel implementations -*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_KERNELLIBRARY_H
#define LISPIER_LIB_SESSION_KERNELLIBRARY_H

#include "lispier/Expand/TemplateLibrary.h"
#include "lispier/Kernels/KernelFiles.h"
#include "lispier/Kernels/KernelIndex.h"
#include "lispier/Pipeline/Pipeline.h"

namespace lispier {
/// The sources of lib/Kernels and an index of their heads, read once. Bodies are expanded on request.
class KernelLibrary {
public:
  /// Reports errors in the library's own files to the sink.
  KernelLibrary(mlir::MLIRContext &context, FormArena &arena, DiagSink &diags, const DialectNames &dialects);

  /// In the order in which selection considers them.
  llvm::ArrayRef<kernels::Implementation> index() const { return heads; }
  /// A number, or those of a vector, in tuning.lisp; empty if the target has no such key.
  std::vector<int64_t> tuning(const KernelTarget &target, llvm::StringRef key);
  /// Expands the implementations whose index is set in `chosen` to core forms. Sets `leavesOp` of their heads.
  Program expand(const llvm::BitVector &chosen, const KernelTarget &target);

private:
  void readTuning(const DialectNames &dialects);
  const Form *tuningFor(const KernelTarget &target);
  kernels::Implementation read(const Form *form, mlir::MLIRContext &context);

  FormArena &arena;
  DiagSink &diags;
  KernelFiles files;
  std::unique_ptr<TemplateLibrary> texts;
  std::vector<kernels::Implementation> heads; ///< Heads of texts->templates().
  std::vector<const Form *> tunings;          ///< (tuning ability {...})
};
} // namespace lispier
#endif
