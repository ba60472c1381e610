//===- Expander.cpp - forms to core forms ---------------------------------===//
#include "lispier/Expand/Expand.h"

using namespace llvm;

namespace lispier {
namespace {
/// `module` and `do` only group; require-dialect has done its work in the reader.
void splice(ArrayRef<const Form *> forms, std::vector<const Form *> &out) {
  for (const Form *form : forms)
    if (form->isCall("module") || form->isCall("do"))
      splice(form->items().drop_front(), out);
    else if (!form->isCall("require-dialect"))
      out.push_back(form);
}
} // namespace

Program expand(unsigned bufferId, ExpandContext &context) {
  Program program;
  splice(readForms(bufferId, context.arena, context.diags, ReadOptions{context.dialects}), program.forms);
  return program;
}
} // namespace lispier
