//===- Operations.cpp - ops of any dialect --------------------------------===//
#include "Operations.h"
#include "AttributeReadings.h"
#include "Attributes.h"
#include "CoreParts.h"
#include "FormEvaluator.h"
#include "Linalg.h"
#include "LiteralValues.h"
#include "OpDraft.h"
#include "OpTraits.h"
#include "OpVerifier.h"
#include "OpenTypes.h"
#include "Regions.h"
#include "Results.h"
#include "Segments.h"
#include "Sugar.h"
#include "Types.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace llvm;

namespace lispier {
std::optional<mlir::RegisteredOperationName> OpGenerator::registeredOp(const Form *head, StringRef name) {
  auto [dialect, rest] = name.split('.');
  if (auto found = mlir::RegisteredOperationName::lookup(name, &context))
    return found;
  bool isDialect = context.getOrLoadDialect(dialect) != nullptr;
  if (auto found = mlir::RegisteredOperationName::lookup(name, &context))
    return found;
  if (!isDialect) {
    std::vector<std::string> names;
    for (StringRef available : context.getAvailableDialects())
      names.push_back(available.str());
    error("op-unregistered", head, "unknown dialect `" + dialect + "`").withHint(didYouMean(dialect, names));
    return std::nullopt;
  }
  std::vector<std::string> names;
  // Not getRegisteredOperationsByDialect: LLVM 22's returns nothing for some dialects.
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    if (op.getDialectNamespace() == dialect)
      names.push_back(op.getStringRef().str());
  std::string hint = didYouMean(name, names);
  if (hint.empty() && names.size() <= 40)
    hint = "its ops are: " + join(names, ", ");
  error("op-unknown", head, "`" + dialect + "` has no op `" + rest + "`").withHint(hint);
  return std::nullopt;
}

bool OpGenerator::splitOp(const Form *form, OpDraft &draft) {
  ArrayRef<const Form *> items = form->items().drop_front();
  if (!items.empty() && items[0]->isMap()) {
    draft.map = items[0];
    items = items.drop_front();
  }
  bool ok = true;
  for (const Form *item : items) {
    if (item->isCall("region") || item->isCall("do"))
      draft.regionForms.push_back(item);
    else if (item->isSymbol() && item->text().starts_with("^"))
      draft.successors.push_back({item, {}});
    else if (item->isMap()) {
      error("parse-head", item, "the attribute map comes first")
          .withHint("write (" + draft.name + " {:key value} operand ...)");
      ok = false;
    } else if (item->isCall("block")) {
      error("parse-head", item, "a block stands in a region").withHint("write (region (block ...))");
      ok = false;
    } else if (draft.successors.empty())
      draft.operandForms.push_back(item);
    else
      draft.successors.back().operandForms.push_back(item);
  }
  return ok;
}

/// The type of the carried value that operand `index` of a loop initializes; null if the body determines it, nullopt if
/// the operand initializes no carried value.
std::optional<mlir::Type> OpGenerator::startType(const OpDraft &draft, unsigned index, unsigned count) {
  bool isFor = draft.is<mlir::scf::ForOp>(); // After the bounds and the step.
  unsigned first = isFor ? 3 : draft.is<mlir::scf::ParallelOp>() ? gen.grouper.parallelBounds(draft) : count;
  if (index < first)
    return std::nullopt;
  if (draft.resultTypes)
    return index - first < draft.resultTypes->size() ? (*draft.resultTypes)[index - first] : mlir::Type();
  const Form *region = draft.regionForms.empty() ? nullptr : draft.regionForms[0];
  for (const Form *item : region &&isFor ? region->items() : ArrayRef<const Form *>())
    if (item->isCall("block"))
      for (const Form *arguments : item->items().take_front(3))
        if (unsigned at = index - first + 1; arguments->isVector() && at < arguments->size())
          if (const Form *argument = (*arguments)[at]; argument->isCall(":") && argument->size() == 3)
            return gen.types.parseType((*argument)[2]);
  return mlir::Type();
}

bool OpGenerator::operands(OpDraft &draft) {
  SmallVector<const Form *> flat;
  auto add = [&](ArrayRef<const Form *> items, bool isSuccessor) {
    int32_t before = flat.size();
    for (const Form *item : items) {
      if (!isSuccessor)
        before = flat.size();
      if (item->isVector()) {
        append_range(flat, item->items());
        draft.hasVectorGroups = true;
      } else
        flat.push_back(item);
      if (!isSuccessor)
        draft.groups.push_back(flat.size() - before);
    }
    if (isSuccessor)
      draft.groups.push_back(flat.size() - before);
  };
  add(draft.operandForms, /*isSuccessor=*/false);
  for (OpDraft::Successor &successor : draft.successors)
    add(successor.operandForms, /*isSuccessor=*/true);

  bool ok = true;
  SmallVector<mlir::Value> values(flat.size()), open(flat.size());
  for (const auto &[i, item] : enumerate(flat)) {
    if (item->isNumber() || item->isBool())
      continue;
    if (item->isString() || item->isKeyword() || item->isNil() || item->isMap()) {
      error("op-operands", item, Twine(describe(item->kind())) + " cannot be an operand of `" + draft.name + "`")
          .withHint(item->isString() ? "(cstring \"text\") is a pointer to a text" : "");
      ok = false;
      continue;
    }
    mlir::Type hint =
        item->isList() ? gen.inference.literalHint(draft, flat, values, i, /*isNumber=*/false) : mlir::Type();
    mlir::Value value = gen.evaluator->emitOpenValue(item, hint);
    ok &= bool(value);
    (gen.openTypes.isOpen(value) ? open : values)[i] = value;
  }
  if (!ok || !gen.literalValues.agreeWith(values, [&](size_t i) {
        return startType(draft, i, flat.size()) ? mlir::Type()
                                                : gen.inference.literalHint(draft, flat, values, i, /*isNumber=*/true);
      }))
    return false;
  for (const auto &[i, item] : enumerate(flat)) {
    if (values[i])
      continue;
    std::optional<mlir::Type> start = startType(draft, i, flat.size());
    if (start && !*start && !item->isBool()) {
      values[i] =
          open[i] ? open[i] : gen.openTypes.openValue(item, {}, i + 1 == flat.size() ? draft.hint : mlir::Type());
      continue;
    }
    mlir::Type type = start ? *start : gen.inference.literalHint(draft, flat, values, i, /*isNumber=*/true);
    if (open[i]) {
      gen.openTypes.settle(open[i], type);
      values[i] = open[i];
      continue;
    }
    mlir::Type element = type;
    if (auto shaped = dyn_cast_if_present<mlir::ShapedType>(type); shaped && !isa<mlir::BaseMemRefType>(type))
      element = shaped.getElementType();
    if (type && !element.isIntOrIndexOrFloat()) {
      error("type-literal-range", item,
            "`" + item->str() + "` needs a type: its neighbour has type " + mlir::debugString(type))
          .withHint("write (: " + item->str() + " i64), or the type that is meant");
      ok = false;
      continue;
    }
    auto value = gen.evaluator->emit(item, type);
    if (failed(value))
      ok = false;
    else
      values[i] = value->front();
  }
  draft.operands.append(values.begin(), values.end());
  draft.places.append(flat.begin(), flat.end());
  return ok;
}

bool OpGenerator::checkOperandCount(OpDraft &draft, mlir::RegisteredOperationName op) {
  size_t given = draft.operands.size();
  std::optional<size_t> exact = gen.linalg.linalgOperandCount(draft);
  StringRef code = exact ? "linalg-counts" : "op-operands";
  // Report at the first excess operand.
  auto complain = [&](const Twine &wanted, size_t most = ~size_t(0)) {
    const Form *place = most < given && draft.places.size() == given ? draft.places[most] : draft.form;
    error(code, place, "`" + draft.name + "` takes " + wanted + ", not " + Twine(given));
    return false;
  };
  auto plural = [](size_t n) { return (n == 1 ? "1 operand" : Twine(n) + " operands").str(); };
  std::optional<ods::Op> row = ods::Op::find(draft.name);
  if (!row)
    return true; // The op's verifier checks the count.
  size_t least = count_if(row->operands(), [](const ods::ValueRow &r) { return r.arity == ods::Arity::One; });
  if (!exact && least == row->operands().size())
    exact = least;
  if (exact && given != *exact)
    return complain(plural(*exact), *exact);
  if (given < least)
    return complain("at least " + plural(least));
  return true;
}

mlir::Operation *OpGenerator::create(OpDraft &draft, mlir::RegisteredOperationName op, ArrayRef<mlir::Type> types,
                                     mlir::BlockRange successors, unsigned regions) {
  mlir::NamedAttrList inherent, discardable;
  bool hasProperties = op.getOpPropertyByteSize() != 0;
  for (mlir::NamedAttribute attribute : draft.attributes)
    (hasProperties && gen.attributes.isInherent(op, attribute.getName()) ? inherent : discardable).push_back(attribute);
  PropertyStorage properties(op);
  mlir::LogicalResult fits = mlir::success();
  Captured why = capture([&] { fits = properties.set(inherent.getDictionary(&context)); });
  if (failed(fits)) {
    gen.verifier.reportInvalid(draft.name, draft.form, why, nullptr, draft.places);
    return nullptr;
  }
  if (hasProperties)
    op.populateDefaultProperties(properties.get());
  return mlir::Operation::create(location(draft.form), op, types, draft.operands, std::move(discardable),
                                 properties.get(), successors, regions);
}

mlir::Operation *OpGenerator::build(OpDraft &draft, mlir::RegisteredOperationName op) {
  unsigned wanted = regionCount(op, draft.regionForms.size());
  if (draft.regionForms.size() > wanted) {
    error("op-regions", draft.regionForms[wanted],
          "`" + draft.name + "` has " + Twine(wanted) + (wanted == 1 ? " region" : " regions") + ", not " +
              Twine(draft.regionForms.size()));
    return nullptr;
  }
  if (!checkOperandCount(draft, op) || !gen.grouper.segments(draft, op) || !gen.linalg.linalgOutputs(draft))
    return nullptr;
  if (!gen.inference.results(draft, op))
    return nullptr;
  SmallVector<mlir::Block *> successors;
  for (OpDraft::Successor &successor : draft.successors) {
    mlir::Block *block = gen.regions.findLabel(successor.label);
    if (!block)
      return nullptr;
    successors.push_back(block);
  }
  bool typesKnown = draft.resultTypes.has_value();
  mlir::Operation *created = create(
      draft, op, typesKnown ? ArrayRef<mlir::Type>(*draft.resultTypes) : ArrayRef<mlir::Type>(), successors, wanted);
  if (!created)
    return nullptr;
  builder.insert(created);
  bool ok = wanted == 0 ? gen.regions.regions(draft, created) : buildRegions(draft, created);
  if (ok && !typesKnown) {
    SmallVector<mlir::Type> types;
    if (gen.inference.resultsFromRegions(created, types) && !types.empty()) {
      mlir::Operation *typed = create(draft, op, types, successors, wanted);
      for (unsigned i = 0; i < wanted; ++i)
        typed->getRegion(i).takeBody(created->getRegion(i));
      builder.setInsertionPointAfter(created);
      builder.insert(typed);
      created->erase();
      created = typed;
    }
  }
  if (!ok || !gen.verifier.verifyNow(created, draft.form, draft.places)) {
    discard(created);
    return nullptr;
  }
  return !draft.regionForms.empty() && draft.isOf<mlir::linalg::LinalgDialect>() ? gen.linalg.demoteNamed(created)
                                                                                 : created;
}

/// A loop's results have the types of its initial values, which may be open.
bool OpGenerator::buildRegions(OpDraft &draft, mlir::Operation *created) {
  if (!gen.verifier.readyForRegions(created, draft))
    return false;
  auto loop = dyn_cast<mlir::LoopLikeOpInterface>(created);
  if (auto parallel = dyn_cast<mlir::scf::ParallelOp>(created)) // Its results reduce, which no interface states.
    for (auto [result, init] : zip(created->getResults(), parallel.getInitVals()))
      gen.openTypes.unify(result, init);
  else if (std::optional<mlir::ResultRange> results = loop ? loop.getLoopResults() : std::nullopt)
    for (auto [result, init] : zip(*results, loop.getInits()))
      gen.openTypes.unify(result, init);
  return gen.regions.regions(draft, created) && gen.openTypes.settleStarts(created);
}

void OpGenerator::discard(mlir::Operation *op) {
  gen.openTypes.forgetOpen(op);
  builder.setInsertionPointAfter(op);
  // Its regions may contain uses in any order, so all uses are dropped first.
  if (op->getNumRegions())
    op->dropAllReferences();
  op->dropAllUses();
  op->erase();
}

mlir::FailureOr<Values> OpGenerator::emitOp(const Form *form, mlir::Type hint, StringRef spelled) {
  OpDraft draft;
  draft.form = form;
  draft.name = (spelled.empty() ? form->head() : spelled).str();
  // Accept (scf.yield) at the end of scf.parallel, as in older versions of MLIR.
  mlir::Block *block = builder.getInsertionBlock();
  mlir::Operation *parent = block ? block->getParentOp() : nullptr;
  if (draft.name == mlir::scf::YieldOp::getOperationName() && form->size() == 1 &&
      isa_and_present<mlir::scf::ParallelOp>(parent))
    draft.name = mlir::scf::ReduceOp::getOperationName();
  std::optional<mlir::RegisteredOperationName> op = registeredOp((*form)[0], draft.name);
  if (!op)
    return mlir::failure();
  draft.op = op;
  if (!splitOp(form, draft))
    return mlir::failure();
  bool ok = gen.attributes.attributes(draft);
  if (!ok)
    return mlir::failure();
  if (auto done = gen.sugar.sugarBefore(draft, hint))
    return *done;
  OpenTypes opened(gen.openTypes);
  draft.hint = hint;
  if (!operands(draft))
    return mlir::failure();
  if (draft.is<mlir::scf::YieldOp>() || draft.is<mlir::scf::ReduceOp>())
    for (const auto &[i, operand] :
         enumerate(ArrayRef(draft.operands).take_front(parent ? parent->getNumResults() : 0)))
      gen.openTypes.unify(operand, parent->getResult(i));
  if (!gen.sugar.sugarAfter(draft))
    return mlir::failure();
  mlir::Operation *created = build(draft, *op);
  if (!created)
    return mlir::failure();
  return Values(created->getResults());
}
} // namespace lispier
