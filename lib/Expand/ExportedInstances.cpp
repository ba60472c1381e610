//===- ExportedInstances.cpp - generic functions with types ---------------===//
//
// (export (softmax (tensor n c f32) :axis 0 :as softmax0)) exports a function of one
// type: (defn export/softmax0 [(: x (tensor n c f32))] (softmax x :axis 0)). The core
// form is (export [softmax0 export/softmax0]).
//
//===----------------------------------------------------------------------===//
#include "Expander.h"
#include "Shapes.h"
#include "lispier/Expand/TensorLibrary.h"

using namespace llvm;

namespace lispier {
namespace {
const Form *definitionOf(StringRef name, const Program &program) {
  auto defines = [&](const Form *form, StringRef name) {
    return form->isCall("defn") && form->size() > 2 && (*form)[1]->isSymbol(name);
  };
  for (const Form *form : program.forms)
    if (defines(form, name))
      return form;
  for (const Form *form : program.library)
    if (defines(form, (kTensorLibrary + name).str()))
      return form;
  return nullptr;
}

/// The names of the parameters that are not keywords.
SmallVector<StringRef> parameterNames(const Form *definition) {
  SmallVector<StringRef> names;
  auto *vector = find_if(definition->items().drop_front(2), [](const Form *form) { return form->isVector(); });
  if (vector != definition->items().end())
    for (const Form *parameter : (*vector)->items()) {
      if (parameter->isSymbol("&"))
        break;
      names.push_back(parameter->isCall(":") ? (*parameter)[1]->text() : parameter->text());
    }
  return names;
}
} // namespace

const Form *Expander::exportedInstance(const Form *item, Program &program, std::vector<const Form *> &functions) {
  if (item->isSymbol())
    return item;
  const Form *function = (*item)[0], *name = function;
  SMRange range = item->range();
  ArrayRef<const Form *> rest = item->items().drop_front();
  ArrayRef<const Form *> types = rest.take_until([](const Form *form) { return form->isKeyword(); });
  SmallVector<const Form *> call{function}, parameters;
  const Form *definition = definitionOf(function->text(), program);
  SmallVector<StringRef> names;
  if (definition)
    names = parameterNames(definition);
  if (definition && names.size() != types.size()) {
    error("export-types", item,
          "`" + function->text() + "` has " + Twine(names.size()) + " parameter" + (names.size() == 1 ? "" : "s") +
              ", and there " + (types.size() == 1 ? "is 1 type" : "are " + std::to_string(types.size()) + " types"))
        .note(definition->range(), "`" + function->text() + "` is defined here")
        .withHint("(export (" + function->text() + " type ...)) has a type for each parameter");
    return nullptr;
  }
  for (auto [i, type] : enumerate(types)) {
    const Form *own = arena.symbol(definition ? names[i].str() : "x" + std::to_string(i), type->range());
    parameters.push_back(arena.list({arena.symbol(":", range), own, type}, type->range()));
    call.push_back(own);
  }
  for (rest = rest.drop_front(types.size()); !rest.empty(); rest = rest.drop_front(2))
    if (rest[0]->isKeyword("as"))
      name = rest[1];
    else
      append_range(call, rest.take_front(2));
  const Form *symbol = arena.symbol(("export/" + name->text()).str(), name->range());
  functions.push_back(arena.list(
      {arena.symbol("defn", range), symbol, arena.vector(parameters, range), arena.list(call, range)}, range));
  if (definition)
    if (auto doc = program.docs.find((*definition)[1]->text()); doc != program.docs.end())
      program.docs[symbol->text()] = doc->second;
  return arena.vector({name, symbol}, range);
}

void Expander::addExportedInstances(Program &program) {
  if (!context.exports.empty()) {
    llvm::erase_if(program.forms, [](const Form *form) { return form->isCall("export"); });
    for (const Form *form : context.exports)
      if (const SpecialFormInfo *info = findSpecialForm("export"); checkShape(*info, form, diags))
        program.forms.push_back(form);
  }
  std::vector<const Form *> functions;
  for (const Form *&form : program.forms) {
    if (!form->isCall("export"))
      continue;
    SmallVector<const Form *> items{(*form)[0]};
    for (const Form *item : form->items().drop_front())
      if (const Form *exported = exportedInstance(item, program, functions))
        items.push_back(exported);
    form = arena.list(items, form->range(), form->expansion());
  }
  append_range(program.forms, functions);
}
} // namespace lispier
