//===- Gradients.cpp - value-and-grad, grad, vjp, stop-gradient -----------===//
#include "Gradients.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/FunctionTable.h"
#include "Core/Messages.h"
#include "Core/RecordTypes.h"
#include "Core/ValueTypes.h"
#include "Functions.h"
#include "Generics.h"
#include "InPlace.h"
#include "Records.h"
#include "TensorSignatures.h"
#include "Values/TensorForms.h"
#include "Values/TensorSizes.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Syntax/OtherNames.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
namespace {
bool hasGradient(mlir::Type type) {
  return (isTensor(type) || isa<mlir::FloatType>(type)) && isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
}

/// A tensor without dimensions, or a number.
bool isOneFloat(mlir::Type type) {
  auto tensor = dyn_cast<mlir::RankedTensorType>(type);
  return hasGradient(type) && (!tensor || tensor.getRank() == 0);
}
} // namespace

/// Splits the operands. False after an error.
bool Gradients::read(const Form *form, SpecialForm kind, Request &request) {
  request.form = form;
  ArrayRef<const Form *> items = form->items().drop_front();
  request.function = items.front();
  items = items.drop_front();
  for (size_t i = 0; i < items.size(); ++i) {
    const Form **option = nullptr;
    if (items[i]->isKeyword())
      option = items[i]->text() == "wrt"                                 ? &request.wrt
               : items[i]->text() == "recompute"                         ? &request.recompute
               : items[i]->text() == "into" && kind != SpecialForm::Grad ? &request.into
               : items[i]->text() == "seed" && kind == SpecialForm::Vjp  ? &request.seed
                                                                         : nullptr;
    if (!option) {
      request.arguments.push_back(items[i]);
      continue;
    }
    if (*option || i + 1 == items.size()) {
      error("macro-shape", items[i], "`:" + items[i]->text() + (*option ? "` is given twice" : "` has no value"));
      return false;
    }
    *option = items[++i];
  }
  if (kind == SpecialForm::Vjp && !request.seed) {
    error("macro-shape", form, "`vjp` needs :seed, the cotangent of the function's result");
    return false;
  }
  return true;
}

/// Whether the gradient of a function can be computed at its calls.
bool Gradients::checkFunction(const Request &request, const Form *definition) {
  auto shape = definition && definition->isCall("defn") ? gen.functions.shapeOfDefn(definition) : std::nullopt;
  if (!shape)
    return true;
  SmallVector<unsigned> written = InPlace::inoutParameters(shape->parameters->items());
  if (written.empty())
    return true;
  error("grad-function", request.function, "`" + request.name() + "` writes an argument, and has no gradient")
      .note((*shape->parameters)[written.front()]->range(), "the argument is `inout`")
      .withHint("return the new value instead");
  return false;
}

/// Generates the call. nullopt after an error.
std::optional<Gradients::Called> Gradients::emitCall(const Request &request) {
  StringRef name = request.function->isSymbol() ? request.name() : StringRef();
  bool isValue = name.empty() || gen.scope.scopes.count(name);
  GenericFunction *generic = isValue ? nullptr : gen.generics.find(name);
  FunctionInfo *known = isValue || generic ? nullptr : gen.functionTable.find(name);
  if (!generic && !(known && known->hasBody && !known->isLlvm)) {
    StringRef head = request.form->head();
    error("grad-function", request.function,
          "`" + head + "` takes the name of a function of the program, which `" + request.function->str() + "` is not")
        .withHint("write (" + head + " f argument ...), with (defn f [argument ...] ...)");
    return std::nullopt;
  }
  if (!checkFunction(request, generic ? generic->form : known->form))
    return std::nullopt;
  std::string symbol(nameOfSymbol(generic ? generic->name : known->name)); // Of the library: tensor/gelu.
  auto values = generic ? gen.generics.emitCall(request.form, *generic, request.arguments, {})
                        : gen.functions.emitCall(request.form, *known, request.arguments);
  if (failed(values))
    return std::nullopt;
  Called called;
  called.results = *values;
  mlir::Block *block = builder.getInsertionBlock();
  for (auto op = builder.getInsertionPoint(); !called.call && op != block->begin();)
    if (!(called.call = dyn_cast<mlir::func::CallOp>(*--op)))
      called.after.insert(called.after.begin(), &*op);
  if (!called.call || called.results.empty() || nameOfSymbol(called.call.getCallee()) != symbol) {
    error("grad-value", request.form, "the value of `" + name + "` depends on none of its arguments");
    return std::nullopt;
  }
  if (generic)
    copy_if(gen.generics.lastTypes, std::back_inserter(called.arguments), [](mlir::Type type) { return bool(type); });
  else
    called.arguments = gen.functionTable.find(name)->inputs;
  if (called.arguments.empty())
    append_range(called.arguments, called.call.getOperandTypes());
  return called;
}

bool Gradients::field(const Form *name, Target &target) {
  auto record = dyn_cast<RecordType>(target.type);
  const RecordInfo::Field *found =
      record && name->isKeyword() ? gen.recordTypes.findField(record, name->text()) : nullptr;
  if (!found) {
    if (record && name->isKeyword())
      gen.records.unknownField(name, *gen.recordTypes.find(record.record()));
    else
      error("grad-wrt", name, "`" + name->str() + "` is a field of no record");
    return false;
  }
  target.type = RecordTypes::inLists(found->type, record.lists());
  auto part = dyn_cast<RecordType>(target.type);
  size_t count = part ? part.parts().size() : 1;
  SmallVector<mlir::Type> parts(ArrayRef(target.parts).slice(found->first, count));
  target.first += found->first;
  target.parts = parts;
  return true;
}

/// An argument by its number, the first of `path`, or else argument 0, and a field of it by the keywords that follow.
bool Gradients::target(const Request &request, const Form *place, ArrayRef<const Form *> path, const Called &called,
                       SmallVectorImpl<Target> &found) {
  ArrayRef<mlir::Type> arguments = called.arguments;
  size_t number = 0;
  if (!path.empty() && !path[0]->isKeyword()) {
    if (!path[0]->isNumber() || path[0]->text().getAsInteger(10, number) || number >= arguments.size()) {
      error("grad-wrt", path[0], "`" + request.name() + "` has no argument " + path[0]->str())
          .withHint("write :wrt [0 2] for arguments 0 and 2, :wrt [[0 :field]] for a field of a record");
      return false;
    }
    path = path.drop_front();
  }
  if (arguments.empty()) {
    error("grad-wrt", place, "`" + request.name() + "` has no argument to take a gradient by");
    return false;
  }
  Target target{place, arguments[number], 0, {}};
  SmallVector<mlir::Type> before, parts;
  RecordTypes::flatten(arguments.take_front(number), before);
  RecordTypes::flatten(arguments[number], parts);
  target.first = before.size();
  mlir::func::CallOp call = called.call;
  append_range(target.parts, call.getOperands().slice(before.size(), parts.size()).getTypes());
  for (const Form *name : path)
    if (!field(name, target))
      return false;
  if (none_of(target.parts, hasGradient)) {
    error("grad-wrt", place,
          "argument " + Twine(number) + " is " + typeText(target.type) + ": only floats have gradients")
        .withHint(":wrt numbers the arguments to take gradients by");
    return false;
  }
  found.push_back(std::move(target));
  return true;
}

bool Gradients::targets(const Request &request, const Called &called, SmallVectorImpl<Target> &found) {
  if (!request.wrt)
    return target(request, request.form, {}, called, found);
  if (!request.wrt->isVector())
    return target(request, request.wrt, request.wrt, called, found);
  if (request.wrt->size() == 0)
    error("grad-wrt", request.wrt, "`:wrt` names no argument");
  return request.wrt->size() && all_of(request.wrt->items(), [&](const Form *place) {
           return target(request, place, place->isVector() ? place->items() : ArrayRef(place), called, found);
         });
}

/// Whether the first result has a gradient: one float, or with a seed any.
bool Gradients::checkValue(const Request &request, mlir::Type type) {
  if (request.seed ? hasGradient(type) : isOneFloat(type))
    return true;
  Diag &diag = error("grad-value", request.form,
                     "the first result of `" + request.name() + "` is " + typeText(type) +
                         (request.seed ? ", and not floats" : ", and not one float"));
  if (hasGradient(type))
    diag.withHint("return its mean or its sum, or write (vjp f argument ... :seed dy), dy like the result");
  return false;
}

bool Gradients::seed(const Request &request, mlir::Type type, Values &values) {
  if (!request.seed)
    return true;
  mlir::Value value = gen.evaluator->emitValue(request.seed, type);
  if (value && isTensor(value) && isTensor(type))
    value = gen.signatures.fitted(request.seed, value, type, "the seed");
  if (value && value.getType() != type)
    error("grad-value", request.seed,
          "the seed is " + typeText(value.getType()) + ", and the first result of `" + request.name() + "` is " +
              typeText(type));
  values.push_back(value);
  return value && value.getType() == type;
}

/// The place of one gradient, that of `argument`.
bool Gradients::intoPart(const Form *place, mlir::Value argument, const InPlace::Argument &part, Into &into) {
  mlir::Type type = argument.getType(), element = mlir::getElementTypeOrSelf(part.value.getType()), wanted = element;
  if (auto tensor = dyn_cast<mlir::RankedTensorType>(type))
    wanted = tensor.clone(element);
  bool fits =
      isTensor(part.value) == isTensor(type) && (element == mlir::getElementTypeOrSelf(type) || element.isF32());
  mlir::Value value = fits && isTensor(type) ? gen.signatures.fitted(place, part.value, wanted, "`:into`") : part.value;
  if (fits && !value)
    return false;
  if (!fits || value.getType() != wanted) {
    error("grad-into", place,
          "the gradient of " + typeText(type) + " does not go into " + typeText(part.value.getType()));
    return false;
  }
  if (isTensor(type) && !gen.sizes.checkEqual(place, value, "`:into`", argument, "the gradient"))
    return false;
  into.values.push_back(value);
  into.written.push_back(part);
  return true;
}

bool Gradients::into(const Request &request, ArrayRef<Target> targets, mlir::ValueRange arguments, Into &into) {
  if (!request.into)
    return true;
  ArrayRef<const Form *> places = request.into->isVector() ? request.into->items() : ArrayRef(request.into);
  if (places.size() != targets.size()) {
    error("grad-into", request.into,
          "`:into` names " + Twine(places.size()) + (places.size() == 1 ? " place for " : " places for ") +
              Twine(targets.size()) + " gradients");
    return false;
  }
  for (auto [place, target] : zip(places, targets)) {
    SmallVector<InPlace::Argument> parts;
    mlir::Value value = gen.inPlace.argument(place, request.form->head(), 0, parts);
    if (!value)
      return false;
    if (parts.size() != target.parts.size()) {
      error("grad-into", place,
            "the gradient of " + typeText(target.type) + " does not go into " + typeText(value.getType()));
      return false;
    }
    for (auto [argument, part] : zip(arguments.slice(target.first, parts.size()), parts))
      if (hasGradient(argument.getType()) && !intoPart(place, argument, part, into))
        return false;
  }
  return true;
}

/// The zero that a record of gradients has in the place of a part that has no gradient, such as an integer.
mlir::Value Gradients::zeroLike(const Form *form, mlir::Value part) {
  mlir::Type type = part.getType(), element = mlir::getElementTypeOrSelf(type);
  if (!element.isIntOrIndexOrFloat())
    return part;
  mlir::Value zero = make<arith::ConstantOp>(form, cast<mlir::TypedAttr>(builder.getZeroAttr(element)));
  if (!isTensor(type))
    return zero;
  mlir::Value filled = gen.tensors.filled(form, gen.sizes.sizes(form, part), zero);
  return gen.signatures.fitted(form, filled, type, "the gradient");
}

/// The gradients as values of the types of what they are taken by.
Values Gradients::gradientsOf(const Form *form, ArrayRef<Target> targets, mlir::ValueRange arguments,
                              mlir::ValueRange gradients) {
  Values found;
  for (const Target &target : targets) {
    Values parts;
    for (auto [i, type] : enumerate(target.parts)) {
      if (!hasGradient(type)) {
        parts.push_back(zeroLike(form, arguments[target.first + i]));
        continue;
      }
      parts.push_back(gradients.front());
      gradients = gradients.drop_front();
    }
    auto record = dyn_cast<RecordType>(target.type);
    found.push_back(record ? gen.recordTypes.pack(form, record, parts) : parts.front());
  }
  return found;
}

mlir::FailureOr<Values> Gradients::emit(const Form *form, SpecialForm kind) {
  Request request;
  if (!read(form, kind, request))
    return mlir::failure();
  std::optional<Called> called = emitCall(request);
  if (!called)
    return mlir::failure();
  mlir::IntegerAttr recompute = request.recompute ? every(request.recompute) : mlir::IntegerAttr();
  if (request.recompute && !recompute)
    return mlir::failure();
  mlir::func::CallOp call = called->call;
  mlir::Type type = call.getResult(0).getType();
  SmallVector<Target> wanted;
  Values seeds;
  Into into;
  if (!checkValue(request, type) || !targets(request, *called, wanted) || !seed(request, type, seeds) ||
      !this->into(request, wanted, call.getOperands(), into))
    return mlir::failure();

  SmallVector<int64_t> wrt;
  SmallVector<mlir::Type> types(call.getResultTypes());
  for (const Target &target : wanted)
    for (auto [i, part] : enumerate(target.parts))
      if (hasGradient(part)) {
        types.push_back(into.values.empty() ? part : into.values[wrt.size()].getType());
        wrt.push_back(target.first + i);
      }
  auto gradient = make<grad::CallOp>(form, types, call.getCallee(), call.getOperands(), seeds, into.values, wrt);
  if (recompute)
    gradient->setAttr(grad::kRecompute, recompute);
  if (request.seed && isTensor(type) &&
      !gen.sizes.checkEqual(request.seed, seeds.front(), "the seed", call.getResult(0),
                            "the first result of `" + request.name() + "`"))
    return mlir::failure();
  mlir::Operation *last = gradient;
  for (mlir::Operation *op : called->after) {
    op->moveAfter(last);
    last = op;
  }
  call.replaceAllUsesWith(gradient.valueResults());
  Values found;
  for (mlir::Value value : called->results) {
    bool isResult = value.getDefiningOp() == call;
    found.push_back(isResult ? gradient.getResult(cast<mlir::OpResult>(value).getResultNumber()) : value);
  }
  call.erase();
  if (kind == SpecialForm::Grad)
    found.clear();
  if (request.into)
    gen.inPlace.storeResults(form, into.written, gradient.gradients());
  else
    append_range(found, gradientsOf(form, wanted, gradient.getInputs(), gradient.gradients()));
  return found;
}

mlir::FailureOr<Values> Gradients::emitStop(const Form *form) {
  mlir::Value value = gen.evaluator->emitValue((*form)[1]);
  if (!value)
    return mlir::failure();
  auto record = dyn_cast<RecordType>(value.getType());
  if (!record)
    return Values{make<grad::StopOp>(form, value)};
  Values parts;
  for (mlir::Value part : RecordTypes::partsOf(value))
    parts.push_back(make<grad::StopOp>(form, part));
  return Values{gen.recordTypes.pack(form, record, parts)};
}

mlir::IntegerAttr Gradients::every(const Form *number) {
  int64_t every = 0;
  if (!number->isNumber() || number->text().getAsInteger(10, every) || every < 1) {
    error("grad-recompute", number, "`:recompute` is a number of iterations, not `" + number->str() + "`")
        .withHint("1 keeps what each iteration begins with, 2 what every second one does");
    return {};
  }
  return builder.getI64IntegerAttr(every);
}

mlir::FailureOr<Values> Gradients::emitRecompute(const Form *form) {
  if (CarriedTensors(gen.inPlace, {(*form)[1]}, /*repeats=*/false).size()) {
    error("grad-recompute", form, "`recompute` is of a value, and this writes an `inout` parameter")
        .withHint("write it outside, with the value");
    return mlir::failure();
  }
  mlir::Region region;
  mlir::Block *block = &region.emplaceBlock();
  auto placeholder = make<grad::RecomputeOp>(form, mlir::TypeRange());
  placeholder.getBody().takeBody(region);
  auto values = gen.evaluator->emitInside(block, {(*form)[1]});
  if (failed(values))
    return mlir::failure();
  Values parts = RecordTypes::flatten(*values);
  {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    make<grad::YieldOp>(form, parts);
  }
  auto op = make<grad::RecomputeOp>(form, mlir::ValueRange(parts).getTypes());
  op.getBody().takeBody(placeholder.getBody());
  placeholder.erase();
  return gen.recordTypes.grouped(form, op.getResults(), llvm::to_vector(mlir::ValueRange(*values).getTypes()));
}
} // namespace lispier
