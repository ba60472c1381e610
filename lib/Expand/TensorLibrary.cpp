//===- TensorLibrary.cpp - lib/Prelude/tensor, embedded -------------------===//
//
// Functions of the language written in itself. Their names begin with tensor/ in
// core forms, in calls of each other, too: a program's function of the same name
// changes the program's calls only.
//
//===----------------------------------------------------------------------===//
#include "lispier/Expand/TensorLibrary.h"
#include "Expander.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace lispier {
ArrayRef<PreludeFile> preludeTensorFiles() {
  static const PreludeFile files[] = {
#define FILE(name, text) {StringLiteral("prelude/tensor/" name), StringLiteral(text)},
#include "Tensor.inc"
#undef FILE
  };
  return files;
}

namespace {
/// The form with the names of the library in place of their short forms.
const Form *renamed(const Form *form, const StringSet<> &names, FormArena &arena) {
  if (form->isSymbol())
    return names.contains(form->text()) ? arena.symbol((kTensorLibrary + form->text()).str(), form->range()) : form;
  if (form->items().empty())
    return form;
  SmallVector<const Form *> items;
  for (const Form *item : form->items())
    items.push_back(renamed(item, names, arena));
  return form->isVector() ? arena.vector(items, form->range())
         : form->isMap()  ? arena.map(items, form->range())
                          : arena.list(items, form->range(), form->expansion());
}
} // namespace

std::vector<const Form *> Expander::expandLibrary() {
  ReadOptions options;
  options.allDialectsRequired = true;
  SmallVector<const Form *> forms;
  StringSet<> names;
  for (const PreludeFile &source : preludeTensorFiles()) {
    unsigned buffer =
        diags.sourceMgr().AddNewSourceBuffer(MemoryBuffer::getMemBuffer(source.text, source.name, false), SMLoc());
    append_range(forms, readForms(buffer, arena, diags, options));
  }
  SourceFile library;
  library.path = "prelude/tensor";
  SourceFile *outer = std::exchange(file, &library);
  isInLibrary = true;
  std::vector<const Form *> functions;
  for (const Form *form : forms) {
    assert(form->isCall("defn") && "the library of tensors has functions only");
    names.insert((*form)[1]->text());
  }
  for (const Form *form : forms)
    functions.push_back(renamed(expandDefn(form), names, arena));
  isInLibrary = false;
  file = outer;
  return functions;
}
} // namespace lispier
