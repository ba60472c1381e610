//===- Program.h - top-level forms ------------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_PROGRAM_H
#define LISPIER_LIB_IRGEN_LANGUAGE_PROGRAM_H

#include "Generator.h"

namespace lispier {
/// The two walks over top-level forms: collect structs and functions, then make ops.
class ProgramGenerator : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// Implements `generate` (IRGen.h).
  Generated run(const Program &program);
  /// Generates a form at the top level.
  void topLevel(const Form *form);
  /// (use-dialect name ...)
  void useDialect(const Form *form);
  /// (link-library name)
  void linkLibrary(const Form *form);
  /// Generates other ops in a `module` form. MLIR accepts any op there except terminators; none of them is executed.
  void moduleStatements(const Form *form);

  /// The dialects whose ops may be written without the dialect's name.
  llvm::SmallVector<std::string> usedDialects;

private:
  void collect(const Program &program);
  void collectNested(const Form *form);
  void moduleAttributes(const Form *map);
};
} // namespace lispier
#endif
