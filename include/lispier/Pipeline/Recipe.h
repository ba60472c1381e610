//===- Recipe.h - pass pipelines of compilation forms -----------*- C++ -*-===//
#ifndef LISPIER_PIPELINE_RECIPE_H
#define LISPIER_PIPELINE_RECIPE_H

#include "lispier/IRGen/IRGen.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lispier {
/// Checks the names and options of a recipe's passes, and reports each mistake at its form: as an error if the recipe
/// is to be executed (`followed`), else as a warning, since upstream may have renamed passes. Returns false on an
/// error.
bool checkRecipe(const Recipe &recipe, bool followed, mlir::MLIRContext &context, DiagSink &diags);

/// Adds the passes in source order; consecutive passes of one scope become one nested pass manager. `recipe` must have
/// passed checkRecipe.
void addRecipe(mlir::OpPassManager &pm, const Recipe &recipe);

/// Returns the passes that compile kernels for `backend` up to the LLVM dialect: from the recipe for this backend, else
/// from another vendor's, with each pass replaced by its counterpart and `chip` as its option, and with passes of ours
/// that the conversion needs. Passes from gpu-module-to-binary on are left out. Reports an error and returns nullopt if
/// all of `recipes`, which must not be empty, are for the CPU.
std::optional<Recipe> gpuRecipe(llvm::ArrayRef<Recipe> recipes, llvm::StringRef backend, llvm::StringRef chip,
                                DiagSink &diags);

/// Returns the passes of a GPU recipe before the first one that lowers kernels for a vendor; the simulator's own passes
/// follow them. Nullopt if there is no recipe for a GPU.
std::optional<Recipe> simRecipe(llvm::ArrayRef<Recipe> recipes);

/// Whether the recipe, a result of gpuRecipe, lowers kernels to the LLVM dialect.
bool lowersKernels(const Recipe &recipe);

/// Returns the recipe for the CPU; null if there is none, with an error if there are recipes for other targets.
/// `target`: "cpu" or "sim", for the message.
const Recipe *cpuRecipe(llvm::ArrayRef<Recipe> recipes, llvm::StringRef target, DiagSink &diags);
} // namespace lispier
#endif
