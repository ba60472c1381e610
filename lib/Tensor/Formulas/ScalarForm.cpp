//===- ScalarForm.cpp - the normal form of formulas -----------------------===//
#include "ScalarForm.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;

namespace lispier {
using Ref = ScalarForm::Ref;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

void ScalarForm::Profile(llvm::FoldingSetNodeID &id) const {
  id.AddInteger(unsigned(kind));
  id.AddPointer(type.getAsOpaquePointer());
  id.AddString(name);
  id.AddPointer(attribute.getAsOpaquePointer());
  id.AddPointer(value.getAsOpaquePointer());
  id.AddPointer(owner);
  id.AddInteger(number);
  for (Ref operand : operands)
    id.AddPointer(operand);
}

std::optional<double> ScalarForm::constant() const {
  auto known = kind == Kind::Constant ? dyn_cast<FloatAttr>(attribute) : FloatAttr();
  return known ? std::optional(known.getValueAsDouble()) : std::nullopt;
}

std::optional<int64_t> ScalarForm::integer() const {
  auto known = kind == Kind::Constant ? dyn_cast<IntegerAttr>(attribute) : IntegerAttr();
  if (!known || known.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return known.getType().isInteger(1) ? int64_t(known.getValue().getBoolValue()) : known.getValue().getSExtValue();
}

Ref ScalarForms::unique(const ScalarForm &node) {
  llvm::FoldingSetNodeID id;
  node.Profile(id);
  void *position;
  if (ScalarForm *known = nodes.FindNodeOrInsertPos(id, position))
    return known;
  auto *made = new (memory.Allocate<ScalarForm>()) ScalarForm(node);
  made->operands = ArrayRef<Ref>(node.operands).copy(memory);
  made->id = count++;
  nodes.InsertNode(made, position);
  return made;
}

Ref ScalarForms::place(unsigned dimension) {
  ScalarForm node;
  node.kind = ScalarForm::Kind::Place, node.type = IndexType::get(context), node.number = dimension;
  return unique(node);
}

SmallVector<Ref> ScalarForms::places(unsigned rank) {
  return llvm::map_to_vector(llvm::seq<unsigned>(0, rank), [&](unsigned at) { return place(at); });
}

Ref ScalarForms::constant(TypedAttr value) {
  ScalarForm node;
  node.kind = ScalarForm::Kind::Constant, node.type = value.getType(), node.attribute = value;
  return unique(node);
}

Ref ScalarForms::index(int64_t value) { return constant(IntegerAttr::get(IndexType::get(context), value)); }
Ref ScalarForms::constant(Type type, double value) { return constant(FloatAttr::get(type, value)); }

Ref ScalarForms::unknown(Type type) {
  ScalarForm node;
  node.kind = ScalarForm::Kind::Unknown, node.type = type, node.number = count;
  return unique(node);
}

SmallVector<Ref> ScalarForms::nodesOf(Ref form) {
  llvm::SetVector<Ref> found;
  auto visit = [&](auto &self, Ref node) -> void {
    if (found.contains(node))
      return;
    for (Ref operand : node->operands)
      self(self, operand);
    found.insert(node);
  };
  visit(visit, form);
  return found.takeVector();
}

Ref ScalarForms::replace(Ref form, const llvm::DenseMap<Ref, Ref> &others) {
  llvm::DenseMap<Ref, Ref> made;
  for (Ref node : nodesOf(form)) {
    if (Ref other = others.lookup(node)) {
      made[node] = other;
      continue;
    }
    auto operands = llvm::map_to_vector(node->operands, [&](Ref operand) { return made[operand]; });
    if (llvm::equal(operands, node->operands)) {
      made[node] = node;
    } else if (node->kind == ScalarForm::Kind::Apply) {
      made[node] = apply(node->name, node->type, operands, node->attribute);
    } else {
      ScalarForm changed = *node;
      changed.operands = operands;
      made[node] = unique(changed);
    }
  }
  return made[form];
}

//===----------------------------------------------------------------------===//
// Exact identities
//===----------------------------------------------------------------------===//

namespace {
bool isCommutative(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"arith.addf", "arith.mulf", "arith.addi", "arith.muli", "arith.andi", "arith.ori", "arith.xori"}, true)
      .Cases({"arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"}, true)
      .Cases({"arith.maxsi", "arith.minsi", "arith.maxui", "arith.minui"}, true)
      .Default(false);
}

template <typename Op> bool isOp(StringRef name) { return name == Op::getOperationName(); }
bool isOf(Ref form, double number) { return form->constant() == number; }
bool isZero(Ref form, bool negative) { return isOf(form, 0) && std::signbit(*form->constant()) == negative; }

/// 1 / x if that and all products with it are exact up to the one rounding that the division has.
std::optional<double> exactReciprocal(Ref form) {
  std::optional<double> x = form->constant();
  int exponent;
  bool isPower = x && std::isfinite(*x) && std::fabs(std::frexp(*x, &exponent)) == 0.5;
  return isPower && std::abs(exponent) < 100 ? std::optional(1 / *x) : std::nullopt;
}

/// The predicate with its operands exchanged.
template <typename Predicate>
Predicate exchanged(Predicate predicate, ArrayRef<std::pair<Predicate, Predicate>> opposites) {
  for (auto [a, b] : opposites)
    if (predicate == a || predicate == b)
      return predicate == a ? b : a;
  return predicate;
}
Attribute exchangedFloats(Attribute predicate) {
  using P = arith::CmpFPredicate;
  P found = cast<arith::CmpFPredicateAttr>(predicate).getValue();
  std::pair<P, P> opposites[] = {{P::OGT, P::OLT}, {P::OGE, P::OLE}, {P::UGT, P::ULT}, {P::UGE, P::ULE}};
  return arith::CmpFPredicateAttr::get(predicate.getContext(), exchanged<P>(found, opposites));
}
Attribute exchangedIntegers(Attribute predicate) {
  using P = arith::CmpIPredicate;
  P found = cast<arith::CmpIPredicateAttr>(predicate).getValue();
  std::pair<P, P> opposites[] = {{P::sgt, P::slt}, {P::sge, P::sle}, {P::ugt, P::ult}, {P::uge, P::ule}};
  return arith::CmpIPredicateAttr::get(predicate.getContext(), exchanged<P>(found, opposites));
}

/// Whether the integer is made of indices, sizes and positions alone, which are below 2^31 in every program.
bool isOfIndices(Ref form) {
  if (form->kind == ScalarForm::Kind::Apply)
    return llvm::all_of(form->operands, isOfIndices) && form->type.isIntOrIndex() && !form->type.isInteger(1);
  return form->kind == ScalarForm::Kind::Place || form->kind == ScalarForm::Kind::Reduced || form->integer() ||
         form->kind == ScalarForm::Kind::Number;
}

bool isWidening(StringRef op) {
  return isOp<arith::ExtFOp>(op) || isOp<arith::ExtSIOp>(op) || isOp<arith::ExtUIOp>(op);
}
} // namespace

Ref ScalarForms::folded(StringRef op, Type type, ArrayRef<Ref> operands, Attribute attribute) {
  if (isOp<arith::CmpIOp>(op) && operands[0]->integer() && operands[1]->integer()) {
    auto predicate = cast<arith::CmpIPredicateAttr>(attribute).getValue();
    APInt a(64, *operands[0]->integer(), true), b(64, *operands[1]->integer(), true);
    return constant(BoolAttr::get(context, arith::applyCmpPredicate(predicate, a, b)));
  }
  if (operands.size() == 2 && operands[0]->integer() && operands[1]->integer()) {
    int64_t a = *operands[0]->integer(), b = *operands[1]->integer(), made;
    bool overflows = isOp<arith::AddIOp>(op)   ? llvm::AddOverflow(a, b, made)
                     : isOp<arith::SubIOp>(op) ? llvm::SubOverflow(a, b, made)
                     : isOp<arith::MulIOp>(op) ? llvm::MulOverflow(a, b, made)
                                               : true;
    bool fits = !overflows && (type.isIndex() || llvm::isIntN(type.getIntOrFloatBitWidth(), made));
    return fits ? constant(IntegerAttr::get(type, made)) : nullptr;
  }
  if ((isOp<arith::SIToFPOp>(op) || isOp<arith::UIToFPOp>(op)) && operands[0]->integer())
    return constant(type, double(*operands[0]->integer()));
  // In double, which rounds these ops of F32 and less once.
  if (!type.isF32() || !llvm::all_of(operands, [](Ref each) { return each->constant(); }))
    return nullptr;
  double a = *operands[0]->constant(), b = operands.size() > 1 ? *operands[1]->constant() : 0;
  return isOp<arith::AddFOp>(op)   ? constant(type, a + b)
         : isOp<arith::SubFOp>(op) ? constant(type, a - b)
         : isOp<arith::MulFOp>(op) ? constant(type, a * b)
         : isOp<arith::DivFOp>(op) ? constant(type, a / b)
         : isOp<math::SqrtOp>(op)  ? constant(type, std::sqrt(a))
         : isOp<math::RsqrtOp>(op) ? constant(type, 1 / std::sqrt(a))
                                   : nullptr;
}

Ref ScalarForms::simplified(StringRef op, Type type, ArrayRef<Ref> operands, Attribute attribute) {
  if (Ref known = folded(op, type, operands, attribute))
    return known;
  Ref x = operands.empty() ? nullptr : operands[0], y = operands.size() > 1 ? operands[1] : nullptr;
  if (isWidening(op) && !x->type.isInteger(1))
    return x;
  if (isOp<arith::TruncFOp>(op)) // Of a number that was widened.
    return x->type == type ? x : nullptr;
  if (isOp<arith::IndexCastOp>(op) || isOp<arith::IndexCastUIOp>(op) || isOp<arith::TruncIOp>(op)) {
    bool isLong = type.isIndex() || type.getIntOrFloatBitWidth() >= 32;
    bool widens =
        type.isIndex() || (!x->type.isIndex() && x->type.getIntOrFloatBitWidth() <= type.getIntOrFloatBitWidth());
    return isLong && (widens || isOfIndices(x)) ? x : nullptr;
  }
  if (isOp<arith::NegFOp>(op)) {
    if (x->is<arith::NegFOp>())
      return x->operands[0];
    return x->constant() ? constant(type, -*x->constant()) : nullptr;
  }
  if (isOp<arith::AddFOp>(op)) {
    if (isZero(y, /*negative=*/true))
      return x;
    if (isZero(x, /*negative=*/true))
      return y;
    if (y->is<arith::NegFOp>())
      return apply<arith::SubFOp>(type, {x, y->operands[0]});
    return x->is<arith::NegFOp>() ? apply<arith::SubFOp>(type, {y, x->operands[0]}) : nullptr;
  }
  if (isOp<arith::SubFOp>(op)) {
    if (isZero(y, /*negative=*/false))
      return x;
    if (isZero(x, /*negative=*/true))
      return negated(y);
    if (y->constant())
      return apply<arith::AddFOp>(type, {x, negated(y)});
    return y->is<arith::NegFOp>() ? apply<arith::AddFOp>(type, {x, y->operands[0]}) : nullptr;
  }
  if (isOp<arith::MulFOp>(op)) {
    for (auto [factor, other] : {std::pair(x, y), std::pair(y, x)}) {
      if (isOf(factor, 1))
        return other;
      if (isOf(factor, -1))
        return negated(other);
      if (factor->is<arith::NegFOp>())
        return negated(apply(op, type, {factor->operands[0], other}));
    }
    return nullptr;
  }
  if (isOp<arith::DivFOp>(op)) {
    if (std::optional<double> reciprocal = exactReciprocal(y))
      return apply<arith::MulFOp>(type, {x, constant(type, *reciprocal)});
    if (x->is<arith::NegFOp>())
      return negated(apply(op, type, {x->operands[0], y}));
    return y->is<arith::NegFOp>() ? negated(apply(op, type, {x, y->operands[0]})) : nullptr;
  }
  if (isOp<math::PowFOp>(op)) {
    if (isOf(y, 2))
      return apply<arith::MulFOp>(type, {x, x});
    return isOf(y, 1) ? x : nullptr;
  }
  if (isOp<arith::SelectOp>(op)) {
    if (std::optional<int64_t> known = x->integer())
      return operands[*known ? 1 : 2];
    return operands[1] == operands[2] ? operands[1] : nullptr;
  }
  if (isOp<arith::AndIOp>(op) || isOp<arith::OrIOp>(op))
    for (auto [bit, other] : {std::pair(x, y), std::pair(y, x)})
      if (std::optional<int64_t> known = bit->type.isInteger(1) ? bit->integer() : std::nullopt)
        return bool(*known) == isOp<arith::AndIOp>(op) ? other : bit;
  if (isOp<arith::XOrIOp>(op) && type.isInteger(1))
    for (auto [bit, other] : {std::pair(x, y), std::pair(y, x)})
      if (std::optional<int64_t> known = bit->integer()) {
        if (!*known)
          return other;
        if (other->integer())
          return constant(BoolAttr::get(context, !*other->integer()));
      }
  for (auto [zero, other] : {std::pair(y, x), std::pair(x, y)}) {
    bool isSum = isOp<arith::AddIOp>(op) || (isOp<arith::SubIOp>(op) && zero == y);
    if (isSum && zero->integer() == 0)
      return other;
  }
  return nullptr;
}

Ref ScalarForms::apply(StringRef op, Type type, ArrayRef<Ref> given, Attribute attribute) {
  SmallVector<Ref> operands(given);
  bool isComparison = isOp<arith::CmpFOp>(op) || isOp<arith::CmpIOp>(op);
  if (!asWritten && (isCommutative(op) || isComparison) && operands[0]->id > operands[1]->id) {
    std::swap(operands[0], operands[1]);
    if (isComparison)
      attribute = isOp<arith::CmpFOp>(op) ? exchangedFloats(attribute) : exchangedIntegers(attribute);
  }
  if (Ref simple = asWritten ? nullptr : simplified(op, type, operands, attribute))
    return simple;
  ScalarForm node;
  node.kind = ScalarForm::Kind::Apply, node.type = type, node.name = op, node.attribute = attribute;
  node.operands = operands;
  return unique(node);
}
} // namespace lispier
