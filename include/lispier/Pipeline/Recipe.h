//===- Recipe.h - pipelines that the source asks for -----------*- C++ -*-===//
#ifndef LISPIER_PIPELINE_RECIPE_H
#define LISPIER_PIPELINE_RECIPE_H

#include "lispier/IRGen/IRGen.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lispier {
/// Checks the names and options of a recipe's passes; every mistake is reported at its form, as a warning unless the
/// recipe is to be followed: a program outlives the names that passes had when it was written.
bool checkRecipe(const Recipe &recipe, bool followed, mlir::MLIRContext &context, DiagSink &diags);

/// Adds the passes in the order of the source, each run of equal scope as one nested pipeline. The
/// recipe has been checked.
void addRecipe(mlir::OpPassManager &pm, const Recipe &recipe);

/// The part of a recipe that makes kernels for `backend`, up to the LLVM dialect: its own, else another vendor's with
/// each pass's counterpart. Nothing when there are only recipes for the CPU, which is an error.
std::optional<Recipe> gpuRecipe(llvm::ArrayRef<Recipe> recipes, llvm::StringRef backend, llvm::StringRef chip,
                                DiagSink &diags);

/// The part of a GPU's recipe up to the first pass that lowers kernels for a vendor: what follows is the simulator's.
/// Nothing when there is no recipe for a GPU.
std::optional<Recipe> simRecipe(llvm::ArrayRef<Recipe> recipes);

/// Whether the recipe, from gpuRecipe, brings kernels to the LLVM dialect.
bool lowersKernels(const Recipe &recipe);

/// The recipe for the CPU; null when there is none, which is an error when there are others. `target`: cpu or sim.
const Recipe *cpuRecipe(llvm::ArrayRef<Recipe> recipes, llvm::StringRef target, DiagSink &diags);
} // namespace lispier
#endif
