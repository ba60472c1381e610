//===- IRGen.h - core forms to an MLIR module ------------------*- C++ -*-===//
//
// The only room that knows both forms and MLIR. Any op of any registered
// dialect is made the same way; special forms are a switch over the table.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_IRGEN_IRGEN_H
#define LISPIER_IRGEN_IRGEN_H

#include "lispier/Expand/Expand.h"
#include "mlir/IR/BuiltinOps.h" // Generated owns a ModuleOp.
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
class Location;
} // namespace mlir

namespace lispier {
/// One `(pass name {options})`, in the text form of MLIR's pipelines.
struct RecipePass {
  std::string name, options;
  llvm::SMRange range;
};
/// A run of passes of one scope; order is the file's.
struct RecipeGroup {
  enum Scope { Module, Function, GpuModule } scope = Module;
  std::vector<RecipePass> passes;
};
/// A compilation form of the source, checked for shape, not yet for pass names.
struct Recipe {
  std::string backend; ///< "cpu", "cuda" or "rocm".
  std::vector<RecipeGroup> groups;
  llvm::SMRange range;
};

/// (link-library "path")
struct LinkedLibrary {
  std::string path;
  llvm::SMRange range;
};

struct Generated {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< Null after an error.
  std::vector<Recipe> recipes;
  std::vector<LinkedLibrary> libraries;

  Generated clone() const { return {module.get().clone(), recipes, libraries}; }
};

/// Makes the module; it is not yet verified. Errors go to the sink.
Generated generate(const Program &program, mlir::MLIRContext &context, DiagSink &diags);

/// Refuses vectors that LLVM would take hours for, once. For modules that `generate` did not make.
void checkVectorSizes(mlir::ModuleOp module, DiagSink &diags);

/// The source range behind an op's location, invalid when there is none.
llvm::SMRange sourceRange(mlir::Location location, llvm::SourceMgr &sources);
/// Of a place in the buffer of that name, invalid when there is none.
llvm::SMRange sourceRange(llvm::StringRef buffer, unsigned line, unsigned column, llvm::SourceMgr &sources);
} // namespace lispier
#endif
