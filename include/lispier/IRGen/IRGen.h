//===- IRGen.h - core forms to an MLIR module ------------------*- C++ -*-===//
//
// The component that makes MLIR of Expand's forms. Ops of all registered dialects are
// built by one generic path; special forms are a switch over the table in
// Expand/SpecialForms.def.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_IRGEN_IRGEN_H
#define LISPIER_IRGEN_IRGEN_H

#include "lispier/Expand/Expand.h"
#include "mlir/IR/BuiltinOps.h" // Generated owns a ModuleOp.
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
class Location;
} // namespace mlir

namespace lispier {
/// One `(pass name {options})`; `options` is spelled as in MLIR's textual pass pipelines.
struct RecipePass {
  std::string name, options;
  llvm::SMRange range;
  std::string fault =
      {}; ///< What is wrong with its options as they are written, at `faultRange`: checkRecipe reports it.
  llvm::SMRange faultRange = {};
};
/// Consecutive passes that are nested on one kind of op, in source order.
struct RecipeGroup {
  enum Scope { Module, Function, GpuModule } scope = Module;
  std::vector<RecipePass> passes;
};
/// The pass pipeline of one compilation form. Its syntax has been checked; its pass names have not.
struct Recipe {
  std::string backend; ///< "cpu", "cuda" or "rocm".
  std::vector<RecipeGroup> groups;
  llvm::SMRange range;
};

/// (link-library "path"), as the program spells it.
struct LinkedLibrary {
  std::string path;
  llvm::SMRange range;
};

/// The result of `generate`.
struct Generated {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< Null after an error.
  std::vector<Recipe> recipes;
  std::vector<LinkedLibrary> libraries;

  Generated clone() const { return {module.get().clone(), recipes, libraries}; }
};

struct GenerateOptions {
  /// For `lispier tune`: the number of the combination of values from a deftile's `:tune` that its launches take,
  /// modulo the number of combinations. Nothing: what `(tuned ...)` says for the target.
  std::optional<unsigned> tuneCandidate;
  /// The compiler as `(tuned program {:compiler "..."})` names it; what another one has measured is not used.
  std::string compiler;
  /// Export the typed functions of the main file if the program has no `export`.
  bool isLibrary = false;
};

/// Generates the module of `program`, without running the verifier on it. Reports errors to `diags`; `module` of the
/// result is then null.
Generated generate(const Program &program, mlir::MLIRContext &context, DiagSink &diags,
                   const GenerateOptions &options = {});

/// Reports the first vector type that is too large for LLVM to compile in reasonable time. `generate` checks its own
/// modules; call this for modules read from MLIR text.
void checkVectorSizes(mlir::ModuleOp module, DiagSink &diags);

/// Converts a location into a range of a buffer of `sources`; invalid if it names none of them.
llvm::SMRange sourceRange(mlir::Location location, llvm::SourceMgr &sources);
/// Returns the range that starts at `line` and `column` (from 1) of the buffer called `buffer`; invalid if there is
/// none.
llvm::SMRange sourceRange(llvm::StringRef buffer, unsigned line, unsigned column, llvm::SourceMgr &sources);
} // namespace lispier
#endif
