//===- TemplateLibrary.h - templates whose bodies wait ---------*- C++ -*-===//
#ifndef LISPIER_EXPAND_TEMPLATELIBRARY_H
#define LISPIER_EXPAND_TEMPLATELIBRARY_H

#include "lispier/Expand/Expand.h"

namespace lispier {
class Expander;

/// The machine that bodies are expanded for: what their macros may ask of it while they run.
struct MacroMachine {
  /// What it can do, and all that there is to ask for: "wgmma", "dependent-launch", "warp32".
  std::vector<std::string> abilities, known;
  /// A map of what is chosen by measuring on such machines.
  const Form *tuning = nullptr;
};

/// Files of kernel implementations. What surrounds a `deftemplate` is expanded when the library is made, so that its
/// head can be read; its body when it is asked for, for a machine.
class TemplateLibrary {
public:
  /// Expands the file in buffer `bufferId` and all it requires. Errors go to the sink, here and in `expand`.
  TemplateLibrary(unsigned bufferId, const ExpandContext &context);
  ~TemplateLibrary();

  /// In the order of the files: (deftemplate op map parameters body ...), the body as it was written.
  llvm::ArrayRef<const Form *> templates() const { return heads; }
  /// Core forms of these, which are some of templates() in their order, and of all else in their files.
  Program expand(llvm::ArrayRef<const Form *> chosen, const MacroMachine &machine);

private:
  ExpandContext context;
  std::unique_ptr<Expander> expander;
  std::vector<const Form *> heads;
};
} // namespace lispier
#endif
