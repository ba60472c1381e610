//===- FunctionScope.cpp - names and labels of a function -----------------===//
#include "FunctionScope.h"

using namespace llvm;

namespace lispier {
FunctionScope::Separate::Separate(FunctionScope &scope) : scope(scope) { swap(); }
FunctionScope::Separate::~Separate() { swap(); }

void FunctionScope::Separate::swap() {
  std::swap(scopes, scope.scopes);
  std::swap(everDefined, scope.everDefined);
  std::swap(labels, scope.labels);
  std::swap(unused, scope.unused);
}

void FunctionScope::bind(const Form *name, Values values) {
  everDefined[name->text()] = name->range();
  scopes.insert(name->text(), Binding{std::move(values), name->range()});
}

void FunctionScope::foreseeNames(ArrayRef<const Form *> statements) {
  for (const Form *statement : statements) {
    if (!statement->isCall("def") || statement->size() < 2)
      continue;
    const Form *target = (*statement)[1];
    for (const Form *name : target->isVector() ? target->items() : ArrayRef<const Form *>(target))
      if (name->isSymbol())
        everDefined.try_emplace(name->text(), name->range());
  }
}
} // namespace lispier
