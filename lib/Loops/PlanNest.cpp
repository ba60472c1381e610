//===- PlanNest.cpp - how to vectorise a structured op --------------------===//
#include "VectorNest.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/ByteSize.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
/// The expression's coefficient of the dimension, if it is a sum of multiples of dimensions; else nothing.
std::optional<int64_t> coefficient(AffineExpr expression, unsigned dimension) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dim.getPosition() == dimension;
  if (isa<AffineConstantExpr>(expression))
    return 0;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> left = coefficient(binary.getLHS(), dimension),
                         right = coefficient(binary.getRHS(), dimension);
  if (!left || !right)
    return std::nullopt;
  if (expression.getKind() == AffineExprKind::Add)
    return *left + *right;
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (expression.getKind() == AffineExprKind::Mul && factor)
    return *left * factor.getValue();
  return std::nullopt;
}

/// Types whose vectors lie in memory as their elements do: i1 and narrower ones would be packed.
bool hasVectors(Type element) {
  if (element.isIndex())
    return true;
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.isSignless() && (integer.getWidth() == 8 || integer.getWidth() == 16 || integer.getWidth() == 32 ||
                                    integer.getWidth() == 64);
  return element.isF16() || element.isBF16() || element.isF32() || element.isF64();
}

bool isComputable(Type type) { return type.isInteger(1) || hasVectors(type); }

/// Whether each op of the body exists on vectors and has no effect.
bool hasVectorBody(linalg::GenericOp op) {
  for (Operation &inside : op.getBody()->without_terminator()) {
    if (isa<linalg::IndexOp, arith::ConstantOp>(inside) && isComputable(inside.getResult(0).getType()))
      continue;
    auto computable = [](Type type) { return isComputable(type); };
    if (!OpTrait::hasElementwiseMappableTraits(&inside) || !isPure(&inside) || inside.getNumResults() != 1 ||
        !llvm::all_of(inside.getOperandTypes(), computable) || !llvm::all_of(inside.getResultTypes(), computable))
      return false;
  }
  return llvm::all_of(op.getBody()->getTerminator()->getOperandTypes(), isComputable);
}

std::optional<vector::CombiningKind> kindOf(Operation *op) {
  using Kind = vector::CombiningKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddFOp, arith::AddIOp>([](auto) { return Kind::ADD; })
      .Case<arith::MulFOp, arith::MulIOp>([](auto) { return Kind::MUL; })
      .Case([](arith::MaximumFOp) { return Kind::MAXIMUMF; })
      .Case([](arith::MinimumFOp) { return Kind::MINIMUMF; })
      .Case([](arith::MaxNumFOp) { return Kind::MAXNUMF; })
      .Case([](arith::MinNumFOp) { return Kind::MINNUMF; })
      .Case([](arith::MaxSIOp) { return Kind::MAXSI; })
      .Case([](arith::MinSIOp) { return Kind::MINSI; })
      .Case([](arith::MaxUIOp) { return Kind::MAXUI; })
      .Case([](arith::MinUIOp) { return Kind::MINUI; })
      .Case([](arith::AndIOp) { return Kind::AND; })
      .Case([](arith::OrIOp) { return Kind::OR; })
      .Case([](arith::XOrIOp) { return Kind::XOR; })
      .Default([](Operation *) { return std::nullopt; });
}

NestReduction reductionOf(linalg::GenericOp op, unsigned output) {
  BlockArgument carried = op.getRegionOutputArgs()[output];
  Operation *combine = op.getBody()->getTerminator()->getOperand(output).getDefiningOp();
  if (!carried.hasOneUse() || !combine || combine->getBlock() != op.getBody() || *carried.user_begin() != combine)
    return {};
  std::optional<vector::CombiningKind> kind = kindOf(combine);
  std::optional<TypedAttr> neutral;
  if (kind)
    neutral = arith::getNeutralElement(combine);
  return neutral ? NestReduction{combine, *kind, *neutral} : NestReduction{};
}

class Planner {
public:
  Planner(VectorNest &nest, VectorMachine machine) : nest(nest), machine(machine) {}

  bool plan() {
    if (!chooseVectors())
      return false;
    chooseTile();
    if (machine.pairs && multipliesPairs()) {
      nest.inPairs = true;
      nest.lanes *= 2;
    }
    return true;
  }

private:
  /// Cost of vectors along the dimension, in strided accesses; nothing if outputs could not be written.
  std::optional<double> cost(unsigned dimension) const {
    double cost = 0;
    if (nest.isParallel(dimension)) {
      if (!llvm::all_of(nest.outputs, [&](const NestAccess &out) { return out.isContiguousAlong(dimension); }))
        return std::nullopt;
    } else {
      if (!llvm::all_of(nest.reductions, [](const NestReduction &reduction) { return reduction.combine; }))
        return std::nullopt;
      cost += 0.25; // For the sum of the lanes.
    }
    for (const NestAccess &input : nest.inputs)
      if (input.dependsOn(dimension) && !input.isContiguousAlong(dimension))
        cost += 1;
    if (int64_t size = nest.staticSizes[dimension]; !ShapedType::isDynamic(size) && size < nest.lanes)
      cost += double(nest.lanes) / std::max<int64_t>(1, size) - 1; // Idle lanes.
    return cost;
  }

  bool chooseVectors() {
    std::optional<double> least;
    for (unsigned dimension = 0; dimension < nest.rank(); ++dimension)
      if (std::optional<double> here = cost(dimension); here && (!least || *here <= *least)) {
        least = here;
        nest.vectorDim = dimension;
      }
    return least.has_value();
  }

  bool isReused(const NestAccess &input, unsigned dimension) const { return !input.dependsOn(dimension); }

  /// The last parallel dimension other than `vectorDim` and `taken` along which a vector is reused: an operand that
  /// `matters` is invariant.
  std::optional<unsigned> reuseDim(std::optional<unsigned> taken,
                                   llvm::function_ref<bool(const NestAccess &)> matters) const {
    for (unsigned d = nest.rank(); d-- > 0;)
      if (d != nest.vectorDim && d != taken && nest.isParallel(d) &&
          (ShapedType::isDynamic(nest.staticSizes[d]) || nest.staticSizes[d] > kFewRows) &&
          llvm::any_of(nest.inputs, [&](const NestAccess &input) {
            return input.isMemory() && matters(input) && !input.dependsOn(d);
          }))
        return d;
    return std::nullopt;
  }

  /// Whether all that is read number by number along the vectors is reused along the dimension.
  bool reusesStrided(unsigned dimension) const {
    return !nest.reducesVectors() && llvm::all_of(nest.inputs, [&](const NestAccess &input) {
      return !input.dependsOn(nest.vectorDim) || input.isContiguousAlong(nest.vectorDim) || !input.dependsOn(dimension);
    });
  }

  void setTile(unsigned dimension, int64_t count) {
    int64_t size = nest.staticSizes[dimension], unit = dimension == nest.vectorDim ? nest.lanes : 1;
    if (!ShapedType::isDynamic(size)) {
      count = std::min<int64_t>(count, std::max<int64_t>(1, size / unit));
      if (unit == 1 && size > 0) // Tiles of equal size.
        count = llvm::divideCeil(size, llvm::divideCeil(size, count));
    }
    nest.tile[dimension] = count;
  }

  void chooseTile() {
    bool reduces = nest.isReducing(), many = machine.hasManyRegisters();
    int64_t work = bodyCost(nest.op);
    unsigned v = nest.vectorDim;
    auto isVector = [&](const NestAccess &input) { return input.dependsOn(v); };
    bool strided = llvm::any_of(
        nest.inputs, [&](const NestAccess &input) { return input.dependsOn(v) && !input.isContiguousAlong(v); });
    if (!reduces) {
      if (strided && chooseTransposition())
        return;
      setTile(v, strided || work > 8 ? 1 : 4);
      return;
    }
    std::optional<unsigned> rows = reuseDim(std::nullopt, isVector);
    if (work > 12 || (strided && !(rows && reusesStrided(*rows))))
      return setTile(v, strided ? 1 : 2);
    if (strided) { // A vector that is read number by number serves many rows.
      setTile(v, 1);
      return setTile(*rows, 12);
    }
    if (!rows) { // Independent sums, as many as hide the latency of an addition.
      narrowStreams();
      return setTile(v, many ? 8 : 4);
    }
    if (!nest.reducesVectors()) {
      // Half of the 32 registers, or 12 of 16, for sums; the others for factors.
      setTile(v, many ? 8 : 4);
      if (ShapedType::isDynamic(nest.staticSizes[*rows])) {
        nest.rowDim = rows;
        nest.wideTile = nest.tile[v];
      }
      setTile(v, 2);
      if (nest.tile[v] == 1) // Few columns.
        setTile(*rows, many ? 12 : 8);
      else
        setTile(*rows, many ? 8 : 6);
      return;
    }
    // Along the reduced dimension each of the sums is a register: 4 rows of both factors, or 2 by 4.
    auto isOther = [&](const NestAccess &input) { return input.dependsOn(v) && input.dependsOn(*rows); };
    std::optional<unsigned> others = reuseDim(rows, isOther);
    if (!others)
      return setTile(*rows, many ? 8 : 4);
    if (!many && bytesOf(*rows) < bytesOf(*others)) // What is widened serves four of the others.
      std::swap(rows, others);
    setTile(*rows, 4);
    setTile(*others, many ? 4 : 2);
  }

  /// Of the elements of the inputs that depend on the dimension.
  int64_t bytesOf(unsigned dimension) const {
    int64_t bytes = 0;
    for (const NestAccess &input : nest.inputs)
      if (input.dependsOn(dimension))
        bytes = std::max(bytes, byteSize(getElementTypeOrSelf(input.value.getType())));
    return bytes;
  }

  /// Whether sums of a tile that shares its factors are of products of BF16 numbers, side by side in memory.
  bool multipliesPairs() const {
    return nest.reducesVectors() && nest.hasRows() && nest.inputs.size() == 2 && nest.outputs.size() == 1 &&
           multipliesAndAdds(nest.op) && getElementTypeOrSelf(nest.outputs[0].value.getType()).isF32() &&
           llvm::all_of(nest.inputs, [&](const NestAccess &factor) {
             return factor.dependsOn(nest.vectorDim) && factor.isContiguousAlong(nest.vectorDim) &&
                    getElementTypeOrSelf(factor.value.getType()).isBF16();
           });
  }

  /// Reads what is read once, along the vectors and not from a cache, by loads of at most 32 bytes: with two loads for
  /// each cache line the processor's own prefetching stays ahead of them.
  void narrowStreams() {
    constexpr int64_t kStreamBytes = 32;
    if (!nest.reducesVectors() || isInsideThread(nest.op) || nest.op->hasAttr(device::kCached))
      return;
    int64_t widest = 1;
    for (const NestAccess &input : nest.inputs)
      if (input.isMemory() && input.dependsOn(nest.vectorDim))
        widest = std::max(widest, byteSize(cast<MemRefType>(input.value.getType()).getElementType()));
    nest.lanes = std::min(nest.lanes, kStreamBytes / widest);
  }

  /// Chooses the dimension along which all inputs that are strided along `vectorDim` are contiguous.
  bool chooseTransposition() {
    for (unsigned d = 0; d < nest.rank(); ++d) {
      bool suits = d != nest.vectorDim && llvm::all_of(nest.inputs, [&](const NestAccess &input) {
                     return !input.dependsOn(nest.vectorDim) || input.isContiguousAlong(nest.vectorDim) ||
                            input.isContiguousAlong(d);
                   });
      if (!suits)
        continue;
      nest.transposedDim = d;
      nest.lanes = std::min<int64_t>(nest.lanes, 16);
      return true;
    }
    return false;
  }

  VectorNest &nest;
  VectorMachine machine;
};
} // namespace

int64_t bodyCost(linalg::GenericOp op) {
  int64_t cost = 0;
  for (Operation &inside : op.getBody()->without_terminator())
    cost += isa<arith::ConstantOp>(inside)                                                                       ? 0
            : isa_and_nonnull<math::MathDialect>(inside.getDialect()) && !isa<math::FmaOp, math::AbsFOp>(inside) ? 15
                                                                                                                 : 1;
  return cost;
}

bool NestAccess::isContiguousAlong(unsigned dimension) const {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type || map.getNumResults() == 0)
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1 ||
      coefficient(map.getResults().back(), dimension) != 1)
    return false;
  return llvm::none_of(map.getResults().drop_back(),
                       [&](AffineExpr result) { return result.isFunctionOfDim(dimension); });
}

Value linearIndex(OpBuilder &b, Location loc, AffineExpr expression, ArrayRef<Value> at) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return at[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return arith::ConstantIndexOp::create(b, loc, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value left = linearIndex(b, loc, binary.getLHS(), at), right = linearIndex(b, loc, binary.getRHS(), at);
  return expression.getKind() == AffineExprKind::Add ? b.createOrFold<arith::AddIOp>(loc, left, right)
                                                     : b.createOrFold<arith::MulIOp>(loc, left, right);
}

SmallVector<Value> loopSizes(OpBuilder &b, linalg::LinalgOp op) {
  return llvm::map_to_vector(op.createLoopRanges(b, op.getLoc()), [&](const Range &range) {
    return getValueOrCreateConstantIndexOp(b, op.getLoc(), range.size);
  });
}

std::optional<VectorNest> planNest(linalg::GenericOp op, VectorMachine machine) {
  if (!op.hasPureBufferSemantics() || op.getNumLoops() == 0 || !hasVectorBody(op))
    return std::nullopt;
  VectorNest nest;
  nest.op = op;
  int64_t widest = 1;
  auto prefetched = op->getAttrOfType<IntegerAttr>(device::kPrefetch);
  int64_t read = op.getNumDpsInputs() - (prefetched ? prefetched.getInt() : 0);
  for (OpOperand &operand : op->getOpOperands()) {
    NestAccess access{operand.get(), op.getMatchingIndexingMap(&operand)};
    access.isPrefetched = operand.getOperandNumber() >= read && op.isDpsInput(&operand);
    if (access.isPrefetched) {
      nest.inputs.push_back(access);
      continue;
    }
    if (!hasVectors(getElementTypeOrSelf(access.value.getType())) && access.isMemory())
      return std::nullopt;
    for (AffineExpr result : access.map.getResults())
      if (!coefficient(result, 0))
        return std::nullopt;
    if (auto memory = dyn_cast<MemRefType>(access.value.getType()))
      widest = std::max(widest, byteSize(memory.getElementType()));
    else if (!isComputable(access.value.getType()))
      return std::nullopt;
    (op.isDpsInput(&operand) ? nest.inputs : nest.outputs).push_back(access);
  }
  nest.lanes = machine.vectorBytes / widest;
  nest.staticSizes = op.getStaticLoopRanges();
  nest.kinds = op.getIteratorTypesArray();
  nest.tile.assign(nest.rank(), 1);
  if (op.getNumReductionLoops() > 0)
    for (unsigned i = 0; i < nest.outputs.size(); ++i)
      nest.reductions.push_back(reductionOf(op, i));
  // An output that is read elsewhere cannot be kept in registers.
  for (const NestAccess &input : nest.inputs)
    for (const NestAccess &output : nest.outputs)
      if (input.isMemory() && input.value == output.value && (input.map != output.map || op.getNumReductionLoops() > 0))
        return std::nullopt;
  return Planner(nest, machine).plan() ? std::optional(std::move(nest)) : std::nullopt;
}
} // namespace lispier
