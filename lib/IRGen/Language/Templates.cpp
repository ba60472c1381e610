//===- Templates.cpp - functions that lower an op on a target -------------===//
#include "Core/Attributes.h"
#include "Core/FunctionTable.h"
#include "Core/Operations.h"
#include "Core/Types.h"
#include "Functions.h"
#include "Generator.h"
#include "lispier/NN/GroupKinds.h"
#include "lispier/NN/TemplateAttributes.h"

using namespace llvm;

namespace lispier {
namespace {
/// Reads `:sizes` as arrays of numbers, with the parameter's index in place of its name. False: malformed, or there is
/// no such dimension.
bool templateSizes(const Form *given, const Form *parameters, ArrayRef<mlir::Type> types, mlir::Builder &builder,
                   SmallVectorImpl<mlir::Attribute> &sizes) {
  if (given && !given->isVector())
    return false;
  for (const Form *known : given ? given->items() : ArrayRef<const Form *>()) {
    if (!known->isVector() || known->size() < 3)
      return false;
    auto *parameter =
        find_if(parameters->items(), [&](const Form *parameter) { return equal((*parameter)[1], (*known)[0]); });
    SmallVector<int64_t> numbers{parameter - parameters->items().begin()};
    for (const Form *number : known->items().drop_front())
      if (!number->isNumber() || number->text().getAsInteger(10, numbers.emplace_back()))
        return false;
    auto type = numbers[0] < int64_t(types.size()) ? dyn_cast<mlir::ShapedType>(types[numbers[0]]) : nullptr;
    if (!type || !type.hasRank() || numbers[1] < 0 || numbers[1] >= type.getRank())
      return false;
    sizes.push_back(builder.getDenseI64ArrayAttr(numbers));
  }
  return true;
}

/// The first name of `:groups` that is no kind of group that the op computes; null if there is none.
const Form *wrongGroup(const Form *given, StringRef op) {
  for (const Form *name : !given ? ArrayRef<const Form *>() : given->isVector() ? given->items() : ArrayRef(given)) {
    std::optional<nn::GroupKind> kind = nn::groupKindOf(name->text());
    if (!kind || nn::describe(*kind).op != op)
      return name;
  }
  return nullptr;
}

/// What to write instead of such a name.
std::string hintForGroup(StringRef name, StringRef op) {
  std::vector<std::string> known = nn::groupKindsOf(op);
  if (known.empty())
    return ("no group of tensor ops becomes `" + op + "`: leave `:groups` out").str();
  std::string near = didYouMean(name, known);
  return near.empty() ? "its kinds are " + join(known, ", ") : near;
}
} // namespace

/// (deftemplate nn.linear {:for [cpu] :attrs [name ...] :values [name ...]} [(: p T) ...] body ...): a private function
/// whose parameters are the op's operands, then the named attributes (f32 for float attributes, i64 for all others).
/// `:sizes [[p dimension size ...] ...]`: if that dimension of parameter p is static, it has one of these sizes.
/// `:groups [product ...]`: the kinds of groups of tensor ops (GroupKinds.h) for which it replaces a generated kernel.
void FunctionGenerator::defineTemplate(const Form *form) {
  const Form *head = (*form)[1], *map = (*form)[2], *parameters = (*form)[3];
  auto shape = [&](const Form *at, const Twine &message) {
    error("macro-shape", at, message)
        .withHint("write (deftemplate dialect.op {:for [cpu]} [(: parameter type) ...] body ...)");
  };
  if (!head->isSymbol() || !map->isMap() || !parameters->isVector())
    return shape(form, "`deftemplate` takes an op, a map and parameters");
  std::optional<mlir::RegisteredOperationName> op = gen.ops.registeredOp(head, head->text());
  if (!op)
    return;
  SmallVector<StringRef> targets, attributeNames, values, groups;
  auto words = [&](StringRef key, SmallVectorImpl<StringRef> &out) {
    const Form *given = map->get(key);
    for (const Form *word : !given ? ArrayRef<const Form *>() : given->isVector() ? given->items() : ArrayRef(given))
      if (word->isSymbol() || word->isKeyword() || word->isString())
        out.push_back(word->text());
      else
        shape(word, "`:" + key + "` is a vector of names");
  };
  words("for", targets);
  words("attrs", attributeNames);
  words("values", values);
  words("groups", groups);
  attributeNames.append(values);
  if (targets.empty())
    return shape(map, "`:for` names the targets of the template");
  if (const Form *wrong = wrongGroup(map->get("groups"), head->text())) {
    error("group-unknown", wrong,
          "`" + wrong->text() + "` is no kind of group of tensor ops that `" + head->text() + "` computes")
        .withHint(hintForGroup(wrong->text(), head->text()));
    return;
  }
  for (size_t i = 0; i < map->size(); i += 2)
    if (!is_contained({"for", "attrs", "values", "sizes", "groups"}, (*map)[i]->text()))
      shape((*map)[i], "`deftemplate` does not know `:" + (*map)[i]->text() + "`");

  SmallVector<mlir::Type> types;
  SmallVector<const Form *> names;
  bool ok = true;
  for (const Form *parameter : parameters->items()) {
    if (!parameter->isCall(":") || parameter->size() != 3 || !(*parameter)[1]->isSymbol()) {
      error("parse-block-arg", parameter, "a parameter is (: name type)");
      ok = false;
      continue;
    }
    names.push_back(parameter);
    types.push_back(gen.types.parseType((*parameter)[2]));
    ok &= bool(types.back());
  }
  if (!ok)
    return;
  SmallVector<mlir::Attribute> sizes;
  if (!templateSizes(map->get("sizes"), parameters, types, builder, sizes))
    return shape(map, "`:sizes` is [[parameter dimension size ...] ...]");
  SmallVector<std::pair<StringRef, mlir::Type>> constants;
  for (StringRef name : attributeNames) {
    if (!gen.attributes.isInherent(*op, name)) {
      SmallVector<std::string> known;
      for (mlir::StringAttr attribute : op->getAttributeNames())
        known.push_back(attribute.str());
      error("attr-unknown", map, "`" + head->text() + "` has no attribute `" + name + "`")
          .withHint(didYouMean(name, known));
      return;
    }
    bool isFloat = gen.attributes.accepts(*op, name, builder.getF32FloatAttr(1)) &&
                   !gen.attributes.accepts(*op, name, builder.getI64IntegerAttr(1));
    mlir::Type type = isFloat ? mlir::Type(builder.getF32Type()) : mlir::Type(builder.getI64Type());
    constants.push_back({name, type});
    types.push_back(type);
  }
  std::string symbol;
  unsigned number = 0;
  do
    symbol = nn::kTemplatePrefix.str() + head->text().str() + "_" + std::to_string(number++);
  while (gen.functionTable.find(symbol) || module->lookupSymbol(symbol));
  auto function = mlir::func::FuncOp::create(builder, location(form), symbol, builder.getFunctionType(types, {}));
  function.setPrivate();
  function->setAttr(nn::kTemplate, builder.getStringAttr(head->text()));
  function->setAttr(nn::kTemplateTargets, builder.getStrArrayAttr(targets));
  if (!attributeNames.empty())
    function->setAttr(nn::kTemplateAttributes, builder.getStrArrayAttr(attributeNames));
  if (!sizes.empty())
    function->setAttr(nn::kTemplateSizes, builder.getArrayAttr(sizes));
  if (!values.empty())
    function->setAttr(nn::kTemplateValues, builder.getStrArrayAttr(values));
  if (!groups.empty())
    function->setAttr(nn::kTemplateGroups, builder.getStrArrayAttr(groups));
  functionBody(function, parameters->items(), function.getArgumentTypes().take_front(parameters->size()),
               form->items().drop_front(4), form, /*results=*/nullptr,
               /*infersResults=*/false, constants);
}
} // namespace lispier
