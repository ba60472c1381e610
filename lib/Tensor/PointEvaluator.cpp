//===- PointEvaluator.cpp - elements of tensors, by interpretation --------===//
#include "PointEvaluator.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace lispier {
namespace {
using Number = PointEvaluator::Number;
using Operands = ArrayRef<double>;

/// A reduction of more elements is not evaluated, as it would take longer than compiling what it is part of.
constexpr int64_t kMostIterations = 1 << 14;

template <typename T> bool compare(T a, T b, bool less, bool equal, bool greater) {
  return (less && a < b) || (equal && a == b) || (greater && a > b);
}

bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  static_assert(uint64_t(P::OEQ) == 1 && uint64_t(P::OGT) == 2 && uint64_t(P::OLT) == 4 && uint64_t(P::UEQ) == 8);
  bool unordered = predicate >= P::UEQ;
  if (std::isnan(a) || std::isnan(b))
    return unordered;
  if (predicate == P::AlwaysTrue || predicate == P::UNO)
    return predicate == P::AlwaysTrue;
  uint64_t bits = static_cast<uint64_t>(predicate) - (unordered ? 7 : 0); // 1: equal, 2: greater, 4: less.
  return compare(a, b, bits & 4, bits & 1, bits & 2);
}

bool compareIntegers(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
  case P::ult:
    return a < b;
  case P::sle:
  case P::ule:
    return a <= b;
  case P::sgt:
  case P::ugt:
    return a > b;
  case P::sge:
  case P::uge:
    return a >= b;
  }
  llvm_unreachable("all cases return");
}

/// The value of an op on numbers; nothing for ops without a rule. Unsigned ops are for what is not negative.
Number apply(Operation *op, Operands x) {
  auto integers = [&](auto f) { return double(f(int64_t(x[0]), int64_t(x[1]))); };
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case<arith::AddFOp, arith::AddIOp>([&](auto) { return x[0] + x[1]; })
      .Case<arith::SubFOp, arith::SubIOp>([&](auto) { return x[0] - x[1]; })
      .Case<arith::MulFOp, arith::MulIOp>([&](auto) { return x[0] * x[1]; })
      .Case<arith::DivFOp>([&](auto) { return x[0] / x[1]; })
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return int64_t(x[1]) ? Number(std::trunc(x[0] / x[1])) : std::nullopt; })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return int64_t(x[1]) ? Number(std::fmod(x[0], x[1])) : std::nullopt; })
      .Case<arith::NegFOp>([&](auto) { return -x[0]; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return std::max(x[0], x[1]); })
      .Case<arith::MinimumFOp, arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return std::min(x[0], x[1]); })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
            arith::IndexCastUIOp, arith::SIToFPOp, arith::UIToFPOp>([&](auto) { return x[0]; })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto) { return std::trunc(x[0]); })
      .Case<arith::AndIOp>([&](auto) { return integers([](int64_t a, int64_t b) { return a & b; }); })
      .Case<arith::OrIOp>([&](auto) { return integers([](int64_t a, int64_t b) { return a | b; }); })
      .Case<arith::XOrIOp>([&](auto) { return integers([](int64_t a, int64_t b) { return a ^ b; }); })
      .Case<arith::SelectOp>([&](auto) { return x[0] != 0 ? x[1] : x[2]; })
      .Case<arith::CmpFOp>([&](auto cmp) { return double(compareFloats(cmp.getPredicate(), x[0], x[1])); })
      .Case<arith::CmpIOp>([&](auto cmp) { return double(compareIntegers(cmp.getPredicate(), x[0], x[1])); })
      .Case<math::ExpOp>([&](auto) { return std::exp(x[0]); })
      .Case<math::Exp2Op>([&](auto) { return std::exp2(x[0]); })
      .Case<math::LogOp>([&](auto) { return std::log(x[0]); })
      .Case<math::TanhOp>([&](auto) { return std::tanh(x[0]); })
      .Case<math::ErfOp>([&](auto) { return std::erf(x[0]); })
      .Case<math::SqrtOp>([&](auto) { return std::sqrt(x[0]); })
      .Case<math::RsqrtOp>([&](auto) { return 1 / std::sqrt(x[0]); })
      .Case<math::AbsFOp>([&](auto) { return std::fabs(x[0]); })
      .Case<math::PowFOp, math::FPowIOp>([&](auto) { return std::pow(x[0], x[1]); })
      .Case<math::FmaOp>([&](auto) { return x[0] * x[1] + x[2]; })
      .Default([](Operation *) { return std::nullopt; });
}
} // namespace

Number PointEvaluator::asked(Result result) {
  if (!result)
    return std::nullopt;
  use = std::max(use, result->use);
  return result->number;
}

Number PointEvaluator::at(Value tensor, ArrayRef<int64_t> index) { return asked(elementOf(tensor, index)); }

Number PointEvaluator::inRegion(linalg::LinalgOp op, ArrayRef<int64_t> loops, Value inside) {
  Iteration iteration(op, loops);
  return asked(value(iteration, inside));
}

Number PointEvaluator::number(Value value) { return asked(scalarOf(value)); }

PointEvaluator::Result PointEvaluator::ofConstant(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value)) {
    double known = number.getValueAsDouble(), size = std::fabs(known);
    if (size != 0 && std::isfinite(size))
      largest = std::max(largest, size), smallest = std::min(smallest, size);
    return Evaluated{known};
  }
  if (auto number = dyn_cast<IntegerAttr>(value))
    return Evaluated{number.getType().isInteger(1) ? double(number.getValue().getBoolValue())
                                                   : double(number.getValue().getSExtValue())};
  auto elements = dyn_cast<SplatElementsAttr>(value);
  return elements ? ofConstant(elements.getSplatValue<Attribute>()) : std::nullopt;
}

PointEvaluator::Result PointEvaluator::applied(Operation *op, ArrayRef<Evaluated> operands) {
  IndexUse most = IndexUse::None;
  bool isAffine = false;
  SmallVector<double> numbers;
  for (const Evaluated &operand : operands) {
    most = std::max(most, operand.use);
    isAffine |= operand.use == IndexUse::Affine;
    numbers.push_back(operand.number);
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (isAffine && most == IndexUse::Affine && compare) {
    Number made = compareIndices ? Number(compareIndices(compare.getPredicate(), int64_t(numbers[0] - numbers[1])))
                                 : apply(op, numbers);
    return Evaluated{*made, IndexUse::Piecewise};
  }
  bool isSum = isa<arith::AddIOp, arith::SubIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
                   arith::IndexCastUIOp>(op);
  if (isAffine && !(isSum && most == IndexUse::Affine))
    most = IndexUse::Other;
  Number made = apply(op, numbers);
  return made ? Result(Evaluated{*made, most}) : std::nullopt;
}

PointEvaluator::Result PointEvaluator::elementOf(Value tensor, ArrayRef<int64_t> index) {
  if (Number known = element ? element(tensor, index) : std::nullopt)
    return Evaluated{*known};
  Operation *made = tensor.getDefiningOp();
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(made))
    return elementOf(cast.getSource(), index);
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(made))
    return ofConstant(constant.getValue());
  auto op = dyn_cast_or_null<linalg::LinalgOp>(made);
  return op && op.hasPureTensorSemantics() ? evaluate(op, cast<OpResult>(tensor).getResultNumber(), index)
                                           : std::nullopt;
}

std::optional<int64_t> PointEvaluator::sizeOf(linalg::LinalgOp op, unsigned loop) {
  int64_t size = op.getStaticLoopRanges()[loop];
  if (!ShapedType::isDynamic(size))
    return size;
  return extent ? extent(op, loop) : std::nullopt;
}

PointEvaluator::Result PointEvaluator::evaluate(linalg::LinalgOp op, unsigned result, ArrayRef<int64_t> index) {
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return scalarOf(fill.getInputs()[0]);
  Index loops(op.getNumLoops(), -1);
  for (auto [expression, position] :
       llvm::zip(op.getMatchingIndexingMap(op.getDpsInitOperand(result)).getResults(), index)) {
    auto loop = dyn_cast<AffineDimExpr>(expression);
    if (!loop)
      return std::nullopt;
    loops[loop.getPosition()] = position;
  }
  SmallVector<unsigned> reduced;
  for (unsigned loop = 0; loop < loops.size(); ++loop)
    if (loops[loop] < 0)
      reduced.push_back(loop);
  if (reduced.empty()) {
    Iteration iteration(op, loops);
    return value(iteration, op.getBlock()->getTerminator()->getOperand(result));
  }
  auto key = std::pair(op->getResult(result).getAsOpaquePointer(), std::vector<int64_t>(index.begin(), index.end()));
  if (auto known = reductions.find(key); known != reductions.end())
    return known->second;
  Result made = reduce(op, result, loops, reduced);
  if (made)
    reductions[key] = *made;
  return made;
}

PointEvaluator::Result PointEvaluator::reduce(linalg::LinalgOp op, unsigned result, Index loops,
                                              ArrayRef<unsigned> reduced) {
  int64_t iterations = 1;
  SmallVector<int64_t> sizes;
  for (unsigned loop : reduced) {
    std::optional<int64_t> size = sizeOf(op, loop);
    if (!size || (iterations *= *size) > kMostIterations)
      return std::nullopt;
    sizes.push_back(*size);
    loops[loop] = 0;
  }
  Iteration iteration(op, loops);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    SmallVector<int64_t> place;
    for (AffineExpr expression : op.getMatchingIndexingMap(&init).getResults())
      place.push_back(loops[cast<AffineDimExpr>(expression).getPosition()]);
    Result first = elementOf(init.get(), place);
    if (!first)
      return std::nullopt;
    iteration.sums.push_back(*first);
  }
  for (int64_t i = 0; i < iterations; ++i) {
    int64_t rest = i;
    for (auto [loop, size] : llvm::zip(llvm::reverse(reduced), llvm::reverse(sizes))) {
      loops[loop] = rest % size;
      rest /= size;
    }
    iteration.loops = loops;
    iteration.known.clear();
    SmallVector<Evaluated> next;
    for (Value yielded : op.getBlock()->getTerminator()->getOperands()) {
      Result made = value(iteration, yielded);
      if (!made)
        return std::nullopt;
      next.push_back(*made);
    }
    iteration.sums = std::move(next);
  }
  return iteration.sums[result];
}

PointEvaluator::Result PointEvaluator::argument(Iteration &iteration, BlockArgument argument) {
  OpOperand *operand = iteration.op.getMatchingOpOperand(argument);
  if (iteration.op.isDpsInit(operand) && !iteration.sums.empty())
    return iteration.sums[operand->getOperandNumber() - iteration.op.getNumDpsInputs()];
  if (!isa<TensorType>(operand->get().getType()))
    return scalarOf(operand->get());
  Index index;
  for (AffineExpr expression : iteration.op.getMatchingIndexingMap(operand).getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expression);
    if (!loop)
      return std::nullopt;
    index.push_back(iteration.loops[loop.getPosition()]);
  }
  return elementOf(operand->get(), index);
}

PointEvaluator::Result PointEvaluator::value(Iteration &iteration, Value inside) {
  if (auto known = iteration.known.find(inside); known != iteration.known.end())
    return known->second;
  if (inside.getParentBlock() != iteration.op.getBlock())
    return scalarOf(inside);
  auto made = [&]() -> Result {
    if (auto own = dyn_cast<BlockArgument>(inside))
      return argument(iteration, own);
    Operation *op = inside.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return Evaluated{double(iteration.loops[index.getDim()]), IndexUse::Affine};
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return ofConstant(constant.getValue());
    auto gather = dyn_cast<tensor::ExtractOp>(op);
    SmallVector<Evaluated> operands;
    for (Value operand : gather ? ValueRange(gather.getIndices()) : ValueRange(op->getOperands())) {
      Result made = isa<TensorType>(operand.getType()) ? std::nullopt : value(iteration, operand);
      if (!made)
        return std::nullopt;
      operands.push_back(*made);
    }
    return gather ? gathered(gather, operands) : applied(op, operands);
  }();
  if (made)
    iteration.known[inside] = *made;
  return made;
}

PointEvaluator::Result PointEvaluator::gathered(tensor::ExtractOp op, ArrayRef<Evaluated> indices) {
  Index place;
  IndexUse most = IndexUse::None;
  for (const Evaluated &index : indices) {
    place.push_back(int64_t(index.number));
    most = std::max(most, index.use);
  }
  gathers |= most != IndexUse::None;
  Result made = elementOf(op.getTensor(), place);
  if (made && most > IndexUse::Affine)
    made->use = IndexUse::Other;
  return made;
}

PointEvaluator::Result PointEvaluator::scalarOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return ofConstant(constant.getValue());
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto kernel = dyn_cast<group::KernelOp>(argument.getOwner()->getParentOp()))
      return scalarOf(kernel->getOperand(argument.getArgNumber()));
  if (Number known = scalar ? scalar(value) : std::nullopt)
    return Evaluated{*known};
  if (!op || op->getNumRegions() || op->getNumResults() != 1)
    return std::nullopt;
  SmallVector<Evaluated> operands;
  for (Value operand : op->getOperands()) {
    Result made = isa<TensorType>(operand.getType()) ? std::nullopt : scalarOf(operand);
    if (!made)
      return std::nullopt;
    operands.push_back(*made);
  }
  return applied(op, operands);
}
} // namespace lispier
