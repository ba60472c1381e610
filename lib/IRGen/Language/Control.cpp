//===- Control.cpp - if, for, fold, parallel, loop ------------------------===//
#include "Control.h"
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/LiteralValues.h"
#include "Core/Literals.h"
#include "Core/OpenTypes.h"
#include "Core/Operations.h"
#include "Core/RecordTypes.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Generator.h"
#include "Gradients.h"
#include "InPlace.h"
#include "Records.h"
#include "TensorSignatures.h"
#include "Values/TensorSizes.h"
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace llvm;

namespace lispier {
namespace {
std::string typeList(mlir::TypeRange types) {
  std::string text;
  for (mlir::Type type : types)
    text += (text.empty() ? "" : ", ") + typeText(type);
  return text.empty() ? "nothing" : text;
}
/// Whether a branch ends with an explicit (scf.yield ...), which needs an scf.if around it.
bool endsWithYield(const Form *branch) {
  while (branch->isCall("do") && branch->size() > 1)
    branch = branch->items().back();
  return branch->isCall(mlir::scf::YieldOp::getOperationName());
}
/// The type of a value that has one of two types: of tensors, with the sizes that both know; else the first.
mlir::Type common(mlir::Type a, mlir::Type b) {
  auto first = dyn_cast<mlir::RankedTensorType>(a), second = dyn_cast<mlir::RankedTensorType>(b);
  if (!first || !second || first.getRank() != second.getRank() || first.getElementType() != second.getElementType())
    return a;
  SmallVector<int64_t> shape(first.getShape());
  for (auto [size, other] : zip(shape, second.getShape()))
    size = size == other ? size : mlir::ShapedType::kDynamic;
  return first.clone(shape);
}
} // namespace

namespace {
/// Whether the form is made of literals alone, as a function's constants are: true, (= 2 1).
bool isOfLiterals(const Form *form) {
  if (form->isBool() || form->isNumber())
    return true;
  return form->isList() && form->size() > 1 && form->items().front()->isSymbol() &&
         all_of(form->items().drop_front(), isOfLiterals);
}
} // namespace

/// The branch that the constants of a tile program, or of a function, choose; the other one is not generated, so that
/// its tiles may have shapes that do not fit these constants. Null: there is no such branch.
mlir::FailureOr<Values> ControlFlow::emitKnownBranch(const Form *branch, std::optional<ArrayRef<mlir::Type>> wanted,
                                                     mlir::Type hint) {
  if (!branch)
    return Values{};
  Scope scope(gen.scope.scopes);
  auto values = gen.evaluator->emitBody(branch, wanted && wanted->size() == 1 ? wanted->front() : hint);
  if (failed(values))
    return values;
  if (!wanted || mlir::ValueRange(*values).getTypes() == mlir::TypeRange(*wanted))
    return values;
  error("type-mismatch", branch,
        "this branch of `if` gives " + typeList(mlir::ValueRange(*values).getTypes()) + ", not " + typeList(*wanted))
      .withHint("both branches of `if` have one type");
  return mlir::failure();
}

/// Drops the map before `items`, if there is one, and reads its `:result` into `types`.
bool ControlFlow::takeResultTypes(ArrayRef<const Form *> &items, std::optional<SmallVector<mlir::Type>> &types) {
  if (!items[0]->isMap())
    return true;
  if (const Form *given = items[0]->get("result")) {
    auto parsed = gen.types.parseTypes(given);
    if (failed(parsed))
      return false;
    types = std::move(*parsed);
  }
  items = items.drop_front();
  return true;
}

/// The i1 that decides: a scalar, or the only element of a tensor. Null after an error; `what` is the condition.
mlir::Value ControlFlow::truth(const Form *form, mlir::Value value, StringRef what) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(value.getType());
  if (mlir::getElementTypeOrSelf(value.getType()).isInteger(1) && tensor && tensor.hasStaticShape() &&
      tensor.getNumElements() == 1) {
    SmallVector<mlir::Value> zeros(tensor.getRank(), gen.literals.constantInt(form, builder.getIndexType(), 0));
    return make<mlir::tensor::ExtractOp>(form, value, zeros);
  }
  if (value.getType().isInteger(1))
    return value;
  error("type-mismatch", form, what + " is an i1, not " + typeText(value.getType()))
      .withHint(mlir::getElementTypeOrSelf(value.getType()).isInteger(1)
                    ? "(all x) and (any x) are one i1 for all elements"
                    : "compare it: (!= value 0)");
  return {};
}

mlir::FailureOr<Values> ControlFlow::emitIf(const Form *form, mlir::Type hint) {
  ArrayRef<const Form *> items = form->items().drop_front();
  std::optional<SmallVector<mlir::Type>> wanted;
  if (!takeResultTypes(items, wanted))
    return mlir::failure();
  if (items.size() < 2 || items.size() > 3) {
    error("macro-arity", form, "`if` takes a condition and one or two branches")
        .withHint("write (if {:result type}? condition then else?)");
    return mlir::failure();
  }
  mlir::Value condition = gen.evaluator->emitValue(items[0], builder.getI1Type());
  condition = condition ? truth(items[0], condition, "a condition") : condition;
  if (!condition)
    return mlir::failure();
  ArrayRef<const Form *> branches = items.drop_front();
  bool choosesNow = (gen.scope.inTileProgram || isOfLiterals(items[0])) && none_of(branches, endsWithYield);
  if (std::optional<int64_t> known = choosesNow ? ConstantIntegers::known(condition) : std::nullopt)
    return emitKnownBranch(*known ? branches[0] : branches.size() == 2 ? branches[1] : nullptr, wanted, hint);
  CarriedTensors written(gen.inPlace, branches, /*repeats=*/false);
  SmallVector<Values, 2> after(2, Values(written.before()));
  auto untyped = make<mlir::scf::IfOp>(form, mlir::TypeRange(), condition, /*addThenBlock=*/true,
                                       /*addElseBlock=*/branches.size() == 2);
  mlir::Type branchHint = wanted && wanted->size() == 1 ? wanted->front() : hint;
  SmallVector<Values, 2> values(2);
  bool ok = true;
  // A bare number takes the type of the other branch, so that one is generated first.
  bool elseFirst = branches.size() == 2 && gen.literals.isLiteral(branches[0]);
  for (unsigned k = 0; k < branches.size(); ++k) {
    unsigned branch = elseFirst ? branches.size() - 1 - k : k;
    mlir::Block *block = &untyped->getRegion(branch).front();
    written.enter(block, written.before());
    auto emitted = gen.evaluator->emitInside(block, branches[branch], branchHint);
    after[branch] = written.current();
    if (failed(emitted)) {
      ok = false;
      continue;
    }
    values[branch] = *emitted;
    for (mlir::Value value : *emitted)
      ok &= gen.scope.unused == form || isPlain(branches[branch], value, "a branch of `if` gives");
    // A branch may end with an explicit (scf.yield v).
    if (!block->empty() && block->back().hasTrait<mlir::OpTrait::IsTerminator>()) {
      values[branch].assign(block->back().operand_begin(), block->back().operand_end());
      if (isa<mlir::scf::YieldOp>(block->back()))
        block->back().erase();
    }
    if (!branchHint && values[branch].size() == 1 && !gen.openTypes.isOpen(values[branch].front()) &&
        !gen.literalValues.isLiteral(values[branch].front()))
      branchHint = values[branch].front().getType();
  }
  for (auto [mine, other] : zip(values[0], values[1])) {
    mlir::Value both[] = {mine, other};
    ok &= gen.literalValues.agree(both);
    if (!ok)
      break;
    mine = both[0];
    other = both[1];
    gen.openTypes.unify(mine, other);
    gen.openTypes.settle(mine, branchHint);
    gen.openTypes.settle(other, branchHint);
  }
  builder.setInsertionPointAfter(untyped);
  if (!ok) {
    gen.ops.discard(untyped);
    return mlir::failure();
  }
  SmallVector<mlir::Type> types;
  if (branches.size() == 2 && (wanted || (!values[0].empty() && !values[1].empty()))) {
    types = wanted ? *wanted : SmallVector<mlir::Type>(mlir::ValueRange(values[0]).getTypes());
    if (!wanted)
      for (auto [type, other] : zip(types, values[1]))
        type = common(type, other.getType());
    for (unsigned branch = 0; branch < 2; ++branch) {
      mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(&untyped->getRegion(branch).front());
      for (auto [value, type] : zip(values[branch], types))
        value = gen.signatures.fitted(branches[branch], value, type, "this branch of `if`");
      if (mlir::ValueRange(values[branch]).getTypes() != mlir::TypeRange(types)) {
        if (!wanted && gen.scope.unused == form) { // The value is discarded, so the types of the branches may differ.
          types.clear();
          break;
        }
        error("type-mismatch", branches[branch],
              Twine("this branch of `if` gives ") + typeList(mlir::ValueRange(values[branch]).getTypes()) + ", not " +
                  typeList(types))
            .withHint("both branches of `if` have one type");
        gen.ops.discard(untyped);
        return mlir::failure();
      }
    }
  } else if (wanted && !wanted->empty()) {
    error("op-regions", form, "an `if` with a result needs both branches");
    gen.ops.discard(untyped);
    return mlir::failure();
  }
  size_t own = types.size();
  append_range(types, mlir::ValueRange(written.before()).getTypes());
  bool hasElse = branches.size() == 2 || written.size();
  auto typed = make<mlir::scf::IfOp>(form, types, condition, true, hasElse);
  for (unsigned branch = 0; branch < (hasElse ? 2 : 1); ++branch) {
    mlir::Region &region = typed->getRegion(branch);
    if (branch < branches.size()) {
      region.getBlocks().clear();
      region.takeBody(untyped->getRegion(branch));
    }
    mlir::Block *block = &region.front();
    if (!block->empty() && block->back().hasTrait<mlir::OpTrait::IsTerminator>())
      continue;
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    Values yielded = own ? values[branch] : Values();
    append_range(yielded, after[branch]);
    make<mlir::scf::YieldOp>(branch < branches.size() ? branches[branch] : form, yielded);
  }
  untyped->erase();
  written.leave(typed.getResults().drop_front(own));
  return Values(typed.getResults().take_front(own));
}

/// [i lo hi step?], or [element list ...], which `isElements` says or the value of the second item.
bool ControlFlow::loopRange(const Form *form, bool isElements, Range &range) {
  if (!form->isVector() || form->size() < 2 || !(*form)[0]->isSymbol()) {
    error("macro-shape", form, "a loop's range is [name low high step?]");
    return false;
  }
  mlir::Value first = gen.evaluator->emitValue((*form)[1], builder.getIndexType());
  if (!first)
    return false;
  auto tensor = dyn_cast<mlir::RankedTensorType>(first.getType());
  if (isElements || (tensor && tensor.getRank()) || isa<RecordType>(first.getType()))
    return elements(form, first, range);
  if (form->size() < 3 || form->size() > 4) {
    error("macro-shape", form, "a loop's range is [name low high step?], or [element list ...] of lists and tensors");
    return false;
  }
  range.name = (*form)[0];
  range.low = gen.evaluator->toLoopBound((*form)[1], first);
  range.high = range.low ? gen.evaluator->emitLoopBound((*form)[2]) : mlir::Value();
  range.step = form->size() == 4 ? gen.evaluator->emitLoopBound((*form)[3])
                                 : gen.literals.constantInt(form, builder.getIndexType(), 1);
  if (!range.low || !range.high || !range.step)
    return false;
  auto cast = range.step.getDefiningOp<mlir::arith::IndexCastOp>();
  if (std::optional<int64_t> known = mlir::getConstantIntValue(cast ? cast.getIn() : range.step);
      known && *known <= 0) {
    error("type-literal-range", (*form)[3], "the step of a loop is positive, not " + Twine(*known))
        .withHint(*known < 0 ? "count up, and compute the falling number in the body" : "without a step it is 1");
    return false;
  }
  return true;
}

/// [element list ...]: all lists have one length.
bool ControlFlow::elements(const Form *form, mlir::Value first, Range &range) {
  Size count;
  for (size_t i = 0; i + 1 < form->size(); i += 2) {
    const Form *list = (*form)[i + 1];
    mlir::Value value = i ? gen.evaluator->emitValue(list) : first;
    if (!value)
      return false;
    auto record = dyn_cast<RecordType>(value.getType());
    auto tensor = dyn_cast<mlir::RankedTensorType>(value.getType());
    if (record ? record.lists() == 0 : !tensor || tensor.getRank() == 0) {
      error("tensor-operand", list,
            "a loop over elements takes lists of records and tensors, and this is " + typeText(value.getType()))
          .withHint(record ? "a list is a field [name (list " + record.record() + ")]" : "");
      return false;
    }
    mlir::Value sized = RecordTypes::flatten(value).front();
    Size here = gen.sizes.size(list, sized, 0);
    std::optional<int64_t> a = count ? TensorSizes::known(count) : std::nullopt, b = TensorSizes::known(here);
    if (a && b && *a != *b) {
      error("tensor-size", list,
            "the loop walks over " + Twine(*a) + " elements of the list before, and this has " + Twine(*b))
          .note((*form)[1]->range(), "the first list is here");
      return false;
    }
    if (count)
      gen.sizes.check(list, count, here, "tensor-size",
                      "the loop walks over %ld elements of the list before, and this has %ld", {count, here});
    else
      count = here;
    range.elements.push_back({(*form)[i], list, value, {}});
    range.aliases.push_back({(*form)[i]->text(), list});
  }
  mlir::Type index = builder.getIndexType();
  range.low = gen.literals.constantInt(form, index, 0);
  range.high = gen.sizes.value(form, count);
  range.step = gen.literals.constantInt(form, index, 1);
  return true;
}

/// Binds the number, or the elements, in the body of the loop.
bool ControlFlow::begin(const Form *form, Range &range, mlir::Value index) {
  if (range.name)
    gen.scope.bind(range.name, Values{index});
  SmallVector<mlir::Value> bound;
  for (Range::Element &element : range.elements) {
    InPlace::Target target = element.list->isCall("at") ? InPlace::Target() : gen.inPlace.resolve(element.list);
    // What the body writes has a new value in each iteration.
    mlir::Value list = target.type ? gen.evaluator->emitValue(element.list) : element.value;
    if (!list)
      return false;
    mlir::Value value = gen.records.element(element.list, list, index);
    Values parts = RecordTypes::flatten(value);
    for (auto [i, whole] : enumerate(target.parts))
      if (Storage *storage = gen.inPlace.find(target, whole); storage && !storage->isMemref())
        element.written.push_back(
            {storage, &gen.inPlace.addElement(element.name, isa<RecordType>(value.getType()), parts[i], *storage)});
    bound.push_back(value);
  }
  for (auto [element, value] : zip(range.elements, bound))
    gen.scope.bind(element.name, Values{value});
  return true;
}

/// Gives the lists the elements that the body has written.
bool ControlFlow::end(const Form *form, Range &range, mlir::Value index) {
  for (Range::Element &element : range.elements)
    for (auto [whole, part] : element.written)
      if (part->written)
        gen.inPlace.store(part->written, {whole, {Size(index)}}, part->current);
  return true;
}

mlir::FailureOr<Values> ControlFlow::emitFor(const Form *form) {
  Range range;
  if (!loopRange((*form)[1], form->isCall("for-each"), range))
    return mlir::failure();
  ArrayRef<const Form *> body = form->items().drop_front(2);
  CarriedTensors written(gen.inPlace, body, /*repeats=*/true, range.aliases);
  auto loop = make<mlir::scf::ForOp>(form, range.low, range.high, range.step, written.before());
  Scope scope(gen.scope.scopes);
  written.enter(loop.getBody(), loop.getRegionIterArgs());
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    written.size() ? builder.setInsertionPointToEnd(loop.getBody())
                   : builder.setInsertionPoint(loop.getBody()->getTerminator());
    if (!begin(form, range, loop.getInductionVar()) || failed(gen.evaluator->emitInside(loop.getBody(), body)))
      return mlir::failure();
    if (written.size()) {
      builder.setInsertionPointToEnd(loop.getBody());
      end(form, range, loop.getInductionVar());
      make<mlir::scf::YieldOp>(form, written.current());
    }
  }
  written.leave(loop.getResults());
  return Values{};
}

/// (fold [acc init ...] [i lo hi step?] body ... next)
mlir::FailureOr<Values> ControlFlow::emitFold(const Form *form, mlir::Type hint) {
  OpenTypes opened(gen.openTypes);
  const Form *carried = (*form)[1];
  SmallVector<const Form *> names;
  Values inits;
  if (!carriedValues(carried, {}, hint, names, inits))
    return mlir::failure();
  Range range;
  if (!loopRange((*form)[2], /*isElements=*/false, range))
    return mlir::failure();
  ArrayRef<const Form *> body = form->items().drop_front(3);
  mlir::IntegerAttr recompute;
  if (body.size() > 2 && body[0]->isKeyword() && body[0]->text() == "recompute") {
    if (!(recompute = gen.gradients.every(body[1])))
      return mlir::failure();
    body = body.drop_front(2);
  }
  CarriedTensors written(gen.inPlace, body, /*repeats=*/true, range.aliases);
  Values starts(inits);
  append_range(starts, written.before());
  auto loop = make<mlir::scf::ForOp>(form, range.low, range.high, range.step, starts);
  if (recompute)
    loop->setAttr(grad::kRecompute, recompute);
  Scope scope(gen.scope.scopes);
  for (const auto &[accumulator, argument, init, result] :
       zip(names, loop.getRegionIterArgs(), inits, loop.getResults())) {
    gen.openTypes.unify(argument, init);
    gen.openTypes.unify(result, init);
    gen.scope.bind(accumulator, Values{argument});
  }
  mlir::Type wanted = inits.size() != 1 ? mlir::Type() : gen.openTypes.isOpen(inits[0]) ? hint : inits[0].getType();
  written.enter(loop.getBody(), loop.getRegionIterArgs().drop_front(inits.size()));
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    if (!begin(form, range, loop.getInductionVar()))
      return mlir::failure();
  }
  auto next = gen.evaluator->emitInside(loop.getBody(), body, wanted);
  if (failed(next))
    return mlir::failure();
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  if (!carriesOn(form->items().back(), *next, loop.getRegionIterArgs().take_front(inits.size()), "fold") ||
      !gen.openTypes.settleStarts(loop))
    return mlir::failure();
  end(form, range, loop.getInductionVar());
  append_range(*next, written.current());
  make<mlir::scf::YieldOp>(form->items().back(), mlir::ValueRange(*next));
  written.leave(loop.getResults().drop_front(inits.size()));
  return Values(loop.getResults().take_front(inits.size()));
}

/// Emits [name init ...]. A bare number takes its type from `wanted`, else from `hint` (single values), else it is
/// open.
bool ControlFlow::carriedValues(const Form *carried, ArrayRef<mlir::Type> wanted, mlir::Type hint,
                                SmallVectorImpl<const Form *> &names, Values &inits) {
  if (!carried->isVector() || carried->size() % 2 || carried->size() == 0) {
    error("macro-shape", carried, "carried values are [name initial-value ...]");
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i + 1 < carried->size(); i += 2) {
    if (!(*carried)[i]->isSymbol()) {
      error("macro-shape", (*carried)[i], Twine("expected a name, found ") + describe((*carried)[i]->kind()));
      ok = false;
      continue;
    }
    names.push_back((*carried)[i]);
    const Form *init = (*carried)[i + 1];
    mlir::Type known = i / 2 < wanted.size() ? wanted[i / 2] : mlir::Type();
    mlir::Type expected = carried->size() == 2 ? hint : mlir::Type();
    bool isNumber = gen.literals.isLiteral(init) && !init->isBool() && !known;
    mlir::Value start = isNumber ? mlir::Value() : gen.evaluator->emitOpenValue(init, known);
    if (!known && start && start.getType().isIntOrIndexOrFloat() && gen.literalValues.isLiteral(start))
      start = gen.openTypes.openValue(init, start, expected);
    inits.push_back(isNumber ? gen.openTypes.openValue(init, {}, expected) : start);
    ok &= bool(inits.back()) && isPlain(init, inits.back(), "a loop carries");
  }
  return ok;
}

/// Reports a record where control flow passes values on.
bool ControlFlow::isPlain(const Form *form, mlir::Value value, StringRef what) {
  if (!isa<RecordType>(value.getType()))
    return true;
  error("type-mismatch", form, what + " tensors and numbers, and this is " + typeText(value.getType()))
      .withHint("name the parts that change: (:field record)");
  return false;
}

/// Gives a loop's next values the types of the carried ones: a tensor may know other sizes. False after an error.
bool ControlFlow::carriesOn(const Form *form, Values &next, mlir::ValueRange carried, StringRef what) {
  for (auto [value, before] : zip(next, carried)) {
    gen.openTypes.unify(value, before);
    gen.openTypes.settle(before);
    value = gen.signatures.fitted(form, value, before.getType(), "the next value of `" + what + "`");
  }
  if (mlir::ValueRange(next).getTypes() == carried.getTypes())
    return true;
  bool isOneNumber = any_of(zip(next, carried), [](auto each) {
    auto tensor = dyn_cast<mlir::RankedTensorType>(std::get<0>(each).getType());
    return tensor && tensor.getRank() == 0 && tensor.getElementType() == std::get<1>(each).getType();
  });
  bool grows = any_of(zip(next, carried), [](auto each) {
    auto after = dyn_cast<mlir::RankedTensorType>(std::get<0>(each).getType());
    auto before = dyn_cast<mlir::RankedTensorType>(std::get<1>(each).getType());
    return after && before && after.getElementType() == before.getElementType() && after != before;
  });
  error("type-mismatch", form,
        "the next value of `" + what + "` is " + typeList(mlir::ValueRange(next).getTypes()) + ", and it carries " +
            typeList(carried.getTypes()))
      .withHint(isOneNumber ? "(at value) is the number of a tensor without dimensions"
                : grows ? "a loop carries tensors of one shape: begin with the final size, (zeros type [size ...]), "
                          "and put each part in its place: (update tensor part [offset ...])"
                : carried.size() > 1 ? "end the body with a vector of all next values"
                                     : "");
  return false;
}

/// (parallel [i n j m ...] body ...)
mlir::FailureOr<Values> ControlFlow::emitParallel(const Form *form) {
  const Form *ranges = (*form)[1];
  if (!ranges->isVector() || ranges->size() % 2 || ranges->size() == 0) {
    error("macro-shape", ranges, "the ranges of `parallel` are [name count ...]");
    return mlir::failure();
  }
  SmallVector<const Form *> names;
  SmallVector<mlir::Value> lows, highs, steps;
  for (size_t i = 0; i + 1 < ranges->size(); i += 2) {
    if (!(*ranges)[i]->isSymbol()) {
      error("macro-shape", (*ranges)[i], Twine("expected a name, found ") + describe((*ranges)[i]->kind()));
      return mlir::failure();
    }
    names.push_back((*ranges)[i]);
    highs.push_back(gen.evaluator->emitLoopBound((*ranges)[i + 1]));
    if (!highs.back())
      return mlir::failure();
    lows.push_back(gen.literals.constantInt(ranges, builder.getIndexType(), 0));
    steps.push_back(gen.literals.constantInt(ranges, builder.getIndexType(), 1));
  }
  auto loop = make<mlir::scf::ParallelOp>(form, lows, highs, steps);
  Scope scope(gen.scope.scopes);
  for (const auto &[name, variable] : zip(names, loop.getInductionVars()))
    gen.scope.bind(name, Values{variable});
  if (failed(gen.evaluator->emitInside(loop.getBody(), form->items().drop_front(2))))
    return mlir::failure();
  return Values{};
}

/// (loop {:result type}? [v init ...] :while condition :do next)
mlir::FailureOr<Values> ControlFlow::emitLoop(const Form *form, mlir::Type hint) {
  ArrayRef<const Form *> items = form->items().drop_front();
  std::optional<SmallVector<mlir::Type>> wanted;
  if (!takeResultTypes(items, wanted))
    return mlir::failure();
  if (items.size() != 5 || !items[1]->isKeyword("while") || !items[3]->isKeyword("do")) {
    error("macro-shape", form, "`loop` does not have this shape")
        .withHint("write (loop {:result type}? [v init ...] :while condition :do next)");
    return mlir::failure();
  }
  SmallVector<const Form *> names;
  Values inits;
  OpenTypes opened(gen.openTypes);
  if (!carriedValues(items[0], wanted ? *wanted : ArrayRef<mlir::Type>(), hint, names, inits))
    return mlir::failure();
  if (wanted && mlir::ValueRange(inits).getTypes() != mlir::TypeRange(*wanted)) {
    error("op-results", items[0],
          "the loop carries " + typeList(mlir::ValueRange(inits).getTypes()) + ", and `:result` says " +
              typeList(*wanted));
    return mlir::failure();
  }
  size_t own = inits.size();
  CarriedTensors written(gen.inPlace, {items[2], items[4]}, /*repeats=*/true);
  append_range(inits, written.before());
  SmallVector<mlir::Type> types(mlir::ValueRange(inits).getTypes());
  auto loop = make<mlir::scf::WhileOp>(form, types, inits);
  SmallVector<mlir::Location> places(types.size(), location(items[0]));
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *before = builder.createBlock(&loop.getBefore(), {}, types, places);
  mlir::Block *after = builder.createBlock(&loop.getAfter(), {}, types, places);
  for (const auto &[init, first, second, result] :
       zip(inits, before->getArguments(), after->getArguments(), loop.getResults()))
    for (mlir::Value value : {mlir::Value(first), mlir::Value(second), mlir::Value(result)})
      gen.openTypes.unify(value, init);
  auto inBlock = [&](mlir::Block *block, const Form *body, mlir::Type bodyHint) {
    Scope scope(gen.scope.scopes);
    for (const auto &[name, argument] : zip(names, block->getArguments()))
      gen.scope.bind(name, Values{argument});
    written.enter(block, block->getArguments().drop_front(own));
    return gen.evaluator->emitInside(block, body, bodyHint);
  };
  auto condition = inBlock(before, items[2], builder.getI1Type());
  Values tested(before->getArguments().take_front(own));
  append_range(tested, written.current());
  auto next = inBlock(after, items[4],
                      own != 1                         ? mlir::Type()
                      : gen.openTypes.isOpen(inits[0]) ? hint
                                                       : inits[0].getType());
  bool ok = succeeded(condition) && succeeded(next);
  mlir::Value goesOn;
  if (ok && condition->empty()) {
    error("type-mismatch", items[2], "the condition of `loop` is an i1, not nothing");
  } else if (ok) {
    builder.setInsertionPointToEnd(before);
    goesOn = truth(items[2], condition->front(), "the condition of `loop`");
    builder.setInsertionPointToEnd(after);
  }
  if (!goesOn || !carriesOn(items[4], *next, after->getArguments().take_front(own), "loop") ||
      !gen.openTypes.settleStarts(loop))
    return mlir::failure();
  builder.setInsertionPointToEnd(before);
  make<mlir::scf::ConditionOp>(items[2], goesOn, tested);
  builder.setInsertionPointToEnd(after);
  append_range(*next, written.current());
  make<mlir::scf::YieldOp>(items[4], mlir::ValueRange(*next));
  written.leave(loop.getResults().drop_front(own));
  return Values(loop.getResults().take_front(own));
}
} // namespace lispier
