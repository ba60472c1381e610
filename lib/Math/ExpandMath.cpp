//===- ExpandMath.cpp - math ops without a library ------------------------===//
//
// Before: math.exp, math.tanh ... on scalars and vectors, which a CPU lowers to
// one libm call for each lane and a GPU to its vendor's library. After: the
// formulas of ElementaryFunctions.h and DoubleFunctions.h. The GPU targets depend
// on this pass, since they link no device library.
//
//===----------------------------------------------------------------------===//
#include "lispier/Math/DoubleFunctions.h"
#include "lispier/Math/ElementaryFunctions.h"
#include "lispier/Math/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EXPANDMATH
#include "lispier/Math/Passes.h.inc"

namespace {
using EmitFunction = Value (*)(ImplicitLocOpBuilder &, ValueRange);
using EmitOfOne = Value (*)(ImplicitLocOpBuilder &, Value);

template <EmitOfOne emit> Value ofOne(ImplicitLocOpBuilder &b, ValueRange x) { return emit(b, x[0]); }
using EmitOfTwo = Value (*)(ImplicitLocOpBuilder &, Value, Value);
template <EmitOfTwo emit> Value ofTwo(ImplicitLocOpBuilder &b, ValueRange x) { return emit(b, x[0], x[1]); }

/// The formulas for f32, also used for narrower floats, and for f64; null if there is none.
struct Emitters {
  EmitFunction ofF32 = nullptr, ofF64 = nullptr;
};

/// The formula for f32 by instructions of GPUs; null where there is none.
EmitFunction emitterByInstruction(Operation *op) {
  return llvm::StringSwitch<EmitFunction>(op->getName().getStringRef())
      .Case("math.exp", ofOne<emitExpByInstruction>)
      .Case("math.exp2", ofOne<emitExp2ByInstruction>)
      .Case("math.tanh", ofOne<emitTanhByInstruction>)
      .Default(nullptr);
}

/// The formula for vectors of 16 f32 by instructions of AVX-512; null where there is none.
EmitFunction emitterByScaling(Operation *op) {
  return llvm::StringSwitch<EmitFunction>(op->getName().getStringRef())
      .Case("math.exp", ofOne<emitExpByScaling>)
      .Case("math.exp2", ofOne<emitExp2ByScaling>)
      .Default(nullptr);
}

Emitters emittersFor(Operation *op) {
  return llvm::StringSwitch<Emitters>(op->getName().getStringRef())
      .Case("math.exp", {ofOne<emitExp>, ofOne<f64::emitExp>})
      .Case("math.exp2", {ofOne<emitExp2>, ofOne<f64::emitExp2>})
      .Case("math.expm1", {ofOne<emitExpm1>, ofOne<f64::emitExpm1>})
      .Case("math.log", {ofOne<emitLog>, ofOne<f64::emitLog>})
      .Case("math.log2", {ofOne<emitLog2>, ofOne<f64::emitLog2>})
      .Case("math.log10", {ofOne<emitLog10>, ofOne<f64::emitLog10>})
      .Case("math.log1p", {ofOne<emitLog1p>, ofOne<f64::emitLog1p>})
      .Case("math.tanh", {ofOne<emitTanh>, ofOne<f64::emitTanh>})
      .Case("math.sinh", {ofOne<emitSinh>, ofOne<f64::emitSinh>})
      .Case("math.cosh", {ofOne<emitCosh>, ofOne<f64::emitCosh>})
      .Case("math.erf", {ofOne<emitErf>, ofOne<f64::emitErf>})
      .Case("math.erfc", {ofOne<emitErfc>, ofOne<f64::emitErfc>})
      .Case("math.rsqrt", {ofOne<emitRsqrt>, nullptr})
      .Case("math.cbrt", {ofOne<emitCbrt>, ofOne<f64::emitCbrt>})
      .Case("math.sin", {ofOne<emitSin>, ofOne<f64::emitSin>})
      .Case("math.cos", {ofOne<emitCos>, ofOne<f64::emitCos>})
      .Case("math.tan", {ofOne<emitTan>, ofOne<f64::emitTan>})
      .Case("math.asin", {ofOne<emitAsin>, ofOne<f64::emitAsin>})
      .Case("math.acos", {ofOne<emitAcos>, ofOne<f64::emitAcos>})
      .Case("math.atan", {ofOne<emitAtan>, ofOne<f64::emitAtan>})
      .Case("math.asinh", {ofOne<emitAsinh>, ofOne<f64::emitAsinh>})
      .Case("math.acosh", {ofOne<emitAcosh>, ofOne<f64::emitAcosh>})
      .Case("math.atanh", {ofOne<emitAtanh>, ofOne<f64::emitAtanh>})
      .Case("math.atan2", {ofTwo<emitAtan2>, ofTwo<f64::emitAtan2>})
      .Case("math.powf", {ofTwo<emitPow>, ofTwo<f64::emitPow>})
      .Default({});
}

/// The type in which an op is computed: f32 of the same shape for floats of up to 32 bits, f64 for f64. Null for types
/// that are not expanded, such as tensors, which become memrefs first.
Type computeType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector && isa<ShapedType>(type))
    return nullptr;
  Type element = getElementTypeOrSelf(type);
  if (element.isF64())
    return type;
  if (!element.isF32() && !element.isF16() && !element.isBF16())
    return nullptr;
  Type f32 = Float32Type::get(type.getContext());
  return vector ? Type(vector.clone(f32)) : f32;
}

void expandFunction(Operation *op, EmitFunction emit, Type wideType) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  SmallVector<Value> operands(op->getOperands());
  Type type = operands[0].getType();
  if (type != wideType)
    for (Value &operand : operands)
      operand = arith::ExtFOp::create(b, wideType, operand);
  Value y = emit(b, operands);
  if (type != wideType)
    y = arith::TruncFOp::create(b, type, y);
  op->replaceAllUsesWith(ValueRange{y});
  op->erase();
}

/// Expands math.clampf. A NaN value stays NaN.
Value clamp(math::ClampFOp op) {
  OpBuilder b(op);
  Value low = arith::MaximumFOp::create(b, op.getLoc(), op.getValue(), op.getMin());
  return arith::MinimumFOp::create(b, op.getLoc(), low, op.getMax());
}

/// Expands ops that need no polynomial, for any float type: math.isnan and similar, math.clampf, math.rsqrt. Null for
/// other ops.
Value withoutPolynomial(Operation *op) {
  if (auto clamped = dyn_cast<math::ClampFOp>(op))
    return clamp(clamped);
  if (!isa<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp, math::IsNormalOp, math::RsqrtOp>(op))
    return nullptr;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value x = op->getOperand(0);
  if (isa<ShapedType>(x.getType()) && !isa<VectorType>(x.getType()))
    return nullptr;
  auto element = cast<FloatType>(getElementTypeOrSelf(x.getType()));
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  auto constant = [&](const APFloat &value) -> Value {
    TypedAttr attribute = b.getFloatAttr(element, value);
    if (auto shaped = dyn_cast<ShapedType>(x.getType()))
      attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
    return arith::ConstantOp::create(b, attribute);
  };
  auto against = [&](arith::CmpFPredicate predicate, const APFloat &value) -> Value {
    return arith::CmpFOp::create(b, predicate, math::AbsFOp::create(b, x), constant(value));
  };
  if (isa<math::RsqrtOp>(op))
    return !element.isF64() && computeType(x.getType())
               ? Value() // Narrower types are computed in f32, below.
               : arith::DivFOp::create(b, constant(APFloat::getOne(semantics)), math::SqrtOp::create(b, x));
  if (isa<math::IsNaNOp>(op))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  if (isa<math::IsInfOp>(op))
    return against(arith::CmpFPredicate::OEQ, APFloat::getInf(semantics));
  Value isFinite = against(arith::CmpFPredicate::OLT, APFloat::getInf(semantics));
  if (isa<math::IsFiniteOp>(op))
    return isFinite;
  Value isLarge = against(arith::CmpFPredicate::OGE, APFloat::getSmallestNormalized(semantics));
  return arith::AndIOp::create(b, isFinite, isLarge);
}

/// Whether math-expand-ops expands the power to products and square roots, because the exponent is constant.
bool isShort(Value exponent) {
  Attribute constant;
  if (!matchPattern(exponent, m_Constant(&constant)))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  if (isa<IntegerAttr>(constant))
    return true;
  auto number = dyn_cast<FloatAttr>(constant);
  return number && llvm::is_contained({-2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0}, number.getValueAsDouble());
}

/// The sign of a power by an integer. Its parity is computed from the integer, which a float may not represent exactly.
void expandIntegerPower(math::FPowIOp op) {
  Type type = op.getType(), wideType = computeType(type);
  if (!wideType)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value x = op.getLhs(), n = op.getRhs();
  if (type != wideType)
    x = arith::ExtFOp::create(b, wideType, x);
  auto constant = [&](Type of, TypedAttr scalar) -> Value {
    if (auto shaped = dyn_cast<VectorType>(of))
      scalar = DenseElementsAttr::get(shaped, Attribute(scalar));
    return arith::ConstantOp::create(b, scalar);
  };
  auto element = cast<FloatType>(getElementTypeOrSelf(wideType));
  Value exponent = arith::SIToFPOp::create(b, wideType, n);
  Value power = math::PowFOp::create(b, math::AbsFOp::create(b, x), exponent);
  Value one = constant(n.getType(), b.getIntegerAttr(getElementTypeOrSelf(n.getType()), 1));
  Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, arith::AndIOp::create(b, n, one), one);
  Value sign = arith::SelectOp::create(b, isOdd, x, constant(wideType, b.getFloatAttr(element, 1.0)));
  Value y = math::CopySignOp::create(b, power, sign);
  if (type != wideType)
    y = arith::TruncFOp::create(b, type, y);
  op.replaceAllUsesWith(y);
  op.erase();
}

/// What GELU and its derivative are made of: 1 + tanh x, and 1 - tanh^2 x, both from 1 + tanh x alone.
struct TanhUses {
  llvm::SmallSetVector<arith::AddFOp, 1> sums;
  llvm::SmallSetVector<arith::SubFOp, 1> slopes;
};

bool isOne(Value value) { return matchPattern(value, m_OneFloat()); }

/// The uses of the tanh, if it has no others than these.
std::optional<TanhUses> usesBesideOne(math::TanhOp op) {
  if (!getElementTypeOrSelf(op.getType()).isF32())
    return std::nullopt;
  TanhUses found;
  for (Operation *user : op->getUsers()) {
    if (auto sum = dyn_cast<arith::AddFOp>(user); sum && (isOne(sum.getLhs()) || isOne(sum.getRhs()))) {
      found.sums.insert(sum);
      continue;
    }
    auto square = dyn_cast<arith::MulFOp>(user);
    if (!square || square.getLhs() != square.getRhs())
      return std::nullopt;
    for (Operation *rest : square->getUsers()) {
      auto slope = dyn_cast<arith::SubFOp>(rest);
      if (!slope || !isOne(slope.getLhs()))
        return std::nullopt;
      found.slopes.insert(slope);
    }
  }
  return found;
}

/// 1 - tanh^2 x = p (2 - p), where p = 1 + tanh x.
void expandBesideOne(math::TanhOp op, const TanhUses &uses) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value sum = emitOnePlusTanhByInstruction(b, op.getOperand());
  for (arith::AddFOp each : uses.sums) {
    each.replaceAllUsesWith(sum);
    each.erase();
  }
  for (arith::SubFOp each : uses.slopes) {
    ImplicitLocOpBuilder at(each.getLoc(), each);
    TypedAttr two = at.getFloatAttr(getElementTypeOrSelf(sum.getType()), 2.0);
    if (auto vector = dyn_cast<VectorType>(sum.getType()))
      two = DenseElementsAttr::get(vector, Attribute(two));
    Value rest = arith::SubFOp::create(at, arith::ConstantOp::create(at, two), sum);
    each.replaceAllUsesWith(arith::MulFOp::create(at, sum, rest).getResult());
    each.erase();
  }
  for (Operation *square : llvm::SmallSetVector<Operation *, 2>(op->user_begin(), op->user_end()))
    square->erase();
  op.erase();
}

struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    bool integerPowers = functions.empty() || llvm::is_contained(functions, "fpowi");
    getOperation()->walk([&](math::FPowIOp op) { // Becomes math.powf, which is expanded next.
      if (standalone && integerPowers && !isShort(op.getRhs()))
        expandIntegerPower(op);
    });
    SmallVector<std::pair<math::TanhOp, TanhUses>> besideOne;
    getOperation()->walk([&](math::TanhOp op) {
      if (isWanted(op) && emitterFor(op) == ofOne<emitTanhByInstruction>)
        if (std::optional<TanhUses> uses = usesBesideOne(op))
          besideOne.push_back({op, *uses});
    });
    for (auto &[op, uses] : besideOne)
      expandBesideOne(op, uses);
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (Value result = functions.empty() ? withoutPolynomial(op) : nullptr) {
        op->replaceAllUsesWith(ValueRange{result});
        op->erase();
        return;
      }
      if (isWanted(op))
        found.push_back(op);
    });
    for (Operation *op : found)
      if (EmitFunction emit = emitterFor(op))
        expandFunction(op, emit, computeType(op->getOperand(0).getType()));
  }

  bool isWanted(Operation *op) const {
    return functions.empty() || llvm::is_contained(functions, op->getName().stripDialect());
  }

  /// Null if the op is not expanded.
  EmitFunction emitterFor(Operation *op) const {
    Emitters emitters = emittersFor(op);
    if (!emitters.ofF32 && !emitters.ofF64)
      return nullptr;
    Type type = computeType(op->getOperand(0).getType());
    if (!type)
      return nullptr;
    if (isa<math::PowFOp>(op) && (!standalone || isShort(op->getOperand(1))))
      return nullptr;
    if (!getElementTypeOrSelf(type).isF64()) {
      auto vector = dyn_cast<VectorType>(type);
      EmitFunction byInstruction = nullptr;
      if (instructions && (!vector || vector.getRank() == 1))
        byInstruction = emitterByInstruction(op);
      else if (scaling && vector && vector.getShape() == ArrayRef<int64_t>{16})
        byInstruction = emitterByScaling(op);
      return byInstruction ? byInstruction : emitters.ofF32;
    }
    return standalone ? emitters.ofF64 : nullptr;
  }
};
} // namespace
} // namespace lispier
