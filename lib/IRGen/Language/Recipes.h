//===- Recipes.h - compilation forms ----------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_RECIPES_H
#define LISPIER_LIB_IRGEN_LANGUAGE_RECIPES_H

#include "Generator.h"

namespace lispier {
/// Reads a program's compilation forms (`compilation`, `compilation-gpu`, `compilation-cpu`) into recipes, its own pass
/// pipelines.
class RecipeReader : public LanguagePart {
public:
  using LanguagePart::LanguagePart;
  /// Chooses the form to use: compilation-gpu before compilation-cpu before compilation, and the first of its kind.
  void chooseRecipe(const Program &program);
  /// Adds the recipes of a compilation form to the generated program; of one that is not chosen, warns. `kind` is the
  /// form's own.
  void compilation(const Form *form, SpecialForm kind);

private:
  bool recipeGroup(const Form *group, RecipeGroup::Scope scope, Recipe &recipe);
  std::optional<RecipePass> recipePass(const Form *form);

  const Form *chosen = nullptr; ///< The compilation form that is used; others are ignored.
};
} // namespace lispier
#endif
