//===- KernelLibrary.h - the implementations that come with us -*- C++ -*-===//
#ifndef LISPIER_LIB_SESSION_KERNELLIBRARY_H
#define LISPIER_LIB_SESSION_KERNELLIBRARY_H

#include "lispier/Expand/TemplateLibrary.h"
#include "lispier/Kernels/KernelFiles.h"
#include "lispier/Kernels/KernelIndex.h"
#include "lispier/Pipeline/Pipeline.h"

namespace lispier {
/// The texts of lib/Kernels and the index of their heads, read once. The bodies wait until they are asked for.
class KernelLibrary {
public:
  /// Errors, which only an author of kernels can make, go to the sink.
  KernelLibrary(mlir::MLIRContext &context, FormArena &arena, DiagSink &diags, const DialectNames &dialects);

  /// In the order in which they are considered.
  llvm::ArrayRef<kernels::Implementation> index() const { return heads; }
  /// Core forms of those of the index that are flagged. An implementation turns out here to leave its op to others.
  Program expand(const llvm::BitVector &chosen, const KernelTarget &target);

private:
  void readTuning(const DialectNames &dialects);
  const Form *tuningFor(const KernelTarget &target);
  kernels::Implementation read(const Form *form, mlir::MLIRContext &context);

  FormArena &arena;
  DiagSink &diags;
  KernelFiles files;
  std::unique_ptr<TemplateLibrary> texts;
  std::vector<kernels::Implementation> heads; ///< Of texts->templates().
  std::vector<const Form *> tunings;          ///< (tuning ability {...})
};
} // namespace lispier
#endif
