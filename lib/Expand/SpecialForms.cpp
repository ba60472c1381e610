//===- SpecialForms.cpp - lookup in the table of special forms ------------===//
#include "lispier/Expand/SpecialForms.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace lispier {
namespace {
constexpr SpecialFormInfo kForms[] = {
#define FORM(Kind, name, min, max, stage, place, first, operands, syntax, doc)                                         \
  {SpecialForm::Kind,     StringLiteral(name), min,   max,                                                             \
   FormStage::stage,      FormPlace::place,    first, FormOperands::operands,                                          \
   StringLiteral(syntax), StringLiteral(doc)},
#include "lispier/Expand/SpecialForms.def"
};
} // namespace

ArrayRef<SpecialFormInfo> specialForms() { return kForms; }

const SpecialFormInfo *findSpecialForm(StringRef name) {
  static const StringMap<const SpecialFormInfo *> table = [] {
    StringMap<const SpecialFormInfo *> map;
    for (const SpecialFormInfo &info : kForms)
      map[info.name] = &info;
    return map;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

bool SpecialFormInfo::reserved() const {
  return name == "module" || name == "def" || name == "let" || name == "block" || name == "region" ||
         name == "use-dialect" || name == "defmacro" || name == "link-library" || name.starts_with("require") ||
         name.starts_with("extern") || name.starts_with("compilation");
}

bool SpecialFormInfo::yields() const {
  return (form >= SpecialForm::Exp && form <= SpecialForm::NextPowerOf2) || form == SpecialForm::ProgramId ||
         form == SpecialForm::Host || form == SpecialForm::SaveNpy || form == SpecialForm::LoadNpy ||
         form == SpecialForm::NumPrograms || (form >= SpecialForm::Rank && form <= SpecialForm::FromRank);
}
} // namespace lispier
