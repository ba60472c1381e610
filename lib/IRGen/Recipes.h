//===- Recipes.h - compilation forms ----------------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_RECIPES_H
#define LISPIER_LIB_IRGEN_RECIPES_H

#include "Part.h"

namespace lispier {
/// Reads the compilation forms of a program into recipes.
class RecipeReader : public Part {
public:
  using Part::Part;
  void chooseRecipe(const Program &program);
  void compilation(const Form *form, SpecialForm kind);

private:
  bool recipeGroup(const Form *group, RecipeGroup::Scope scope, Recipe &recipe);
  std::optional<RecipePass> recipePass(const Form *form);

  const Form *chosen = nullptr; ///< The compilation form that is used; others are ignored.
};
} // namespace lispier
#endif
