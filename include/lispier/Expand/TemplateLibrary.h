//===- TemplateLibrary.h - lazily expanded templates ------------*- C++ -*-===//
#ifndef LISPIER_EXPAND_TEMPLATELIBRARY_H
#define LISPIER_EXPAND_TEMPLATELIBRARY_H

#include "lispier/Expand/Expand.h"

namespace lispier {
class Expander;

/// The target that bodies are expanded for, as far as macros can query it during expansion.
struct MacroMachine {
  /// The abilities of the target ("wgmma", "dependent-launch", "warp32"), and all names of abilities, so that
  /// `target-has?` can reject an unknown one.
  std::vector<std::string> abilities, known;
  /// Map form with the target's tuning parameters (lib/Kernels/tuning.lisp).
  const Form *tuning = nullptr;
  /// Multiprocessors, or compute units, of a GPU; 0 for a CPU.
  int64_t multiprocessors = 0;
};

/// Files of kernel implementations. The constructor expands everything but the bodies of `deftemplate` forms, so that
/// the heads can be indexed; `expand` expands the bodies that a program needs, for one target.
class TemplateLibrary {
public:
  /// Expands the file in buffer `bufferId` and all files that it requires. Reports errors to `context.diags`, as does
  /// `expand`.
  TemplateLibrary(unsigned bufferId, const ExpandContext &context);
  ~TemplateLibrary();

  /// The forms (deftemplate op map parameters body ...) in file order, with unexpanded bodies.
  llvm::ArrayRef<const Form *> templates() const { return heads; }
  /// Returns the core forms of `chosen`, a subsequence of templates(), and of all other forms in the files that have
  /// one of them.
  Program expand(llvm::ArrayRef<const Form *> chosen, const MacroMachine &machine);

private:
  ExpandContext context;
  std::unique_ptr<Expander> expander;
  std::vector<const Form *> heads;
};
} // namespace lispier
#endif
