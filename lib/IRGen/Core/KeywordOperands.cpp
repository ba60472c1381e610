//===- KeywordOperands.cpp - (sum x :axis 0 :keep true) -------------------===//
#include "KeywordOperands.h"
#include "Messages.h"
#include "lispier/Expand/SpecialForms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
const Form *KeywordOperands::get(StringRef key) const {
  for (auto [name, value] : keywords)
    if (name == key)
      return value;
  return nullptr;
}

std::optional<KeywordOperands> splitKeywords(Messages &messages, const Form *form, ArrayRef<StringRef> known,
                                             size_t least, size_t most) {
  const SpecialFormInfo *info = findSpecialForm(form->head());
  auto fail = [&](const Form *at, StringRef code, const Twine &message) {
    Diag &diag = messages.error(code, at, message);
    if (info)
      diag.withHint("write " + info->syntax);
    return std::nullopt;
  };
  KeywordOperands split;
  ArrayRef<const Form *> items = form->items().drop_front();
  for (size_t i = 0; i < items.size(); ++i) {
    const Form *item = items[i];
    if (!item->isKeyword()) {
      split.operands.push_back(item);
      continue;
    }
    if (!is_contained(known, item->text()))
      return fail(item, "macro-shape",
                  "`" + form->head() + "` does not know `:" + item->text() + "`" +
                      (known.empty() ? "" : "; its keywords are :" + join(known, ", :")));
    if (split.get(item->text()))
      return fail(item, "macro-shape", "`:" + item->text() + "` is given twice");
    if (++i == items.size())
      return fail(item, "macro-shape", "`:" + item->text() + "` has no value");
    split.keywords.push_back({item->text(), items[i]});
  }
  if (split.operands.size() < least || split.operands.size() > most)
    return fail(form, "macro-arity",
                "`" + form->head() + "` takes " + Twine(least) + (most == least ? "" : " to " + utostr(most)) +
                    (most == 1 ? " operand, got " : " operands, got ") + Twine(split.operands.size()));
  return split;
}
} // namespace lispier
