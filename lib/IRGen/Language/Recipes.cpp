//===- Recipes.cpp - compilation forms ------------------------------------===//
#include "Recipes.h"
#include "Generator.h"
#include "lispier/TargetInfo/TargetNames.h"

using namespace llvm;

namespace lispier {
namespace {
/// The scope of a pass in the form `compilation`, which has no groups: it follows from the name.
RecipeGroup::Scope scopeOfPass(StringRef name) {
  if (is_contained({"gpu-map-parallel-loops", "scf-parallel-loop-tiling", "convert-linalg-to-affine-loops",
                    "affine-loop-tile", "affine-parallelize", "convert-affine-for-to-gpu"},
                   name))
    return RecipeGroup::Function;
  if (is_contained({"convert-gpu-to-rocdl", "convert-gpu-to-nvvm"}, name))
    return RecipeGroup::GpuModule;
  return RecipeGroup::Module;
}

void append(Recipe &recipe, RecipeGroup::Scope scope, RecipePass pass) {
  if (recipe.groups.empty() || recipe.groups.back().scope != scope)
    recipe.groups.push_back({scope, {}});
  recipe.groups.back().passes.push_back(std::move(pass));
}
} // namespace

/// (pass name {:option value ...})
std::optional<RecipePass> RecipeReader::recipePass(const Form *form) {
  auto shape = [&](const Form *at, const Twine &message) {
    error("macro-shape", at, message).withHint("write (pass name {:option value})");
    return std::nullopt;
  };
  if (!form->isCall("pass"))
    return shape(form, "expected a pass, found " + form->str());
  if (form->size() < 2)
    return shape(form, "a pass has a name");
  if (!(*form)[1]->isSymbol())
    return shape((*form)[1], Twine("the name of a pass is a symbol, not ") + describe((*form)[1]->kind()));
  RecipePass pass{(*form)[1]->text().str(), "", form->range()};
  if (form->size() == 2)
    return pass;
  // Options in a map, or directly as keys and values.
  const Form *first = (*form)[2];
  ArrayRef<const Form *> options = first->isKeyword() ? form->items().drop_front(2) : first->items();
  auto fault = [&](const Form *at, const Twine &message) {
    pass.fault = message.str();
    pass.faultRange = at->range();
    return pass;
  };
  if (!first->isKeyword() && (form->size() > 3 || !first->isMap()))
    return fault(first, "the options of a pass are one map");
  for (size_t i = 0; i < options.size(); i += 2) {
    if (!options[i]->isKeyword())
      return fault(options[i], "expected an option's name, `:name`");
    if (i + 1 == options.size())
      return fault(options[i], "the option `:" + options[i]->text() + "` has no value");
    const Form *value = options[i + 1];
    std::string text;
    if (value->isBool())
      text = value->boolean() ? "true" : "false";
    else if (value->isString() || value->isNumber() || value->isSymbol() || value->isKeyword())
      text = value->text().str();
    else
      return fault(value, "an option of a pass is a number, a text, a word, true or false");
    if (value->isString() && StringRef(text).contains(' '))
      text = "\"" + text + "\"";
    pass.options += (pass.options.empty() ? "" : " ") + options[i]->text().str() + "=" + text;
  }
  return pass;
}

bool RecipeReader::recipeGroup(const Form *group, RecipeGroup::Scope scope, Recipe &recipe) {
  bool ok = true;
  for (const Form *item : group->items().drop_front()) {
    std::optional<RecipePass> pass = recipePass(item);
    ok &= pass.has_value();
    if (pass)
      append(recipe, scope, std::move(*pass));
  }
  return ok;
}

void RecipeReader::chooseRecipe(const Program &program) {
  for (StringRef kind : {"compilation-gpu", "compilation-cpu", "compilation"})
    for (const Form *form : program.forms)
      if (form->isCall(kind)) {
        chosen = form;
        return;
      }
}

void RecipeReader::compilation(const Form *form, SpecialForm kind) {
  if (form != chosen) {
    warning("macro-shape", form, "only one compilation form is used, and not this one")
        .note(chosen->range(), "this one is");
    return;
  }
  ArrayRef<const Form *> items = form->items().drop_front();
  auto backend = [&](const Form *name) {
    // The simulator has none of its own: it runs the passes of a GPU.
    constexpr StringRef kBackends[] = {kCpuName.name, kCudaName.name, kRocmName.name};
    bool ok = name->isSymbol() && is_contained(kBackends, name->text());
    if (!ok)
      error("target-mismatch", name, "unknown backend " + name->str())
          .withHint("the backends are " + join(ArrayRef(kBackends).drop_back(), ", ") + " and " +
                    ArrayRef(kBackends).back());
    return ok;
  };
  if (kind == SpecialForm::Compilation) {
    for (const Form *target : items) {
      if (!target->isCall("target") || target->size() < 2) {
        error("macro-shape", target, "expected a target").withHint("write (target backend (pass name {options}) ...)");
        continue;
      }
      Recipe recipe;
      recipe.range = target->range();
      if (!backend((*target)[1]))
        continue;
      recipe.backend = (*target)[1]->text().str();
      for (const Form *item : target->items().drop_front(2))
        if (std::optional<RecipePass> pass = recipePass(item)) {
          RecipeGroup::Scope scope = scopeOfPass(pass->name);
          append(recipe, scope, std::move(*pass));
        }
      gen.result.recipes.push_back(std::move(recipe));
    }
    return;
  }
  Recipe recipe;
  recipe.range = form->range();
  recipe.backend = "cpu";
  if (kind == SpecialForm::CompilationGpu) {
    if (!backend(items[0]))
      return;
    recipe.backend = items[0]->text().str();
    items = items.drop_front();
  }
  for (const Form *group : items) {
    if (group->isCall("passes"))
      recipeGroup(group, RecipeGroup::Module, recipe);
    else if (group->isCall("func-passes"))
      recipeGroup(group, RecipeGroup::Function, recipe);
    else if (group->isCall("gpu-passes") && kind == SpecialForm::CompilationGpu)
      recipeGroup(group, RecipeGroup::GpuModule, recipe);
    else
      error("macro-shape", group,
            group->isCall("gpu-passes") ? "a CPU has no gpu-passes" : "expected a group of passes")
          .withHint("write (passes (pass name) ...) or (func-passes ...)");
  }
  gen.result.recipes.push_back(std::move(recipe));
}
} // namespace lispier
