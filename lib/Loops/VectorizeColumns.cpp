//===- VectorizeColumns.cpp - vectors along an outer loop -----------------===//
//
// Before: for j { for i (sum) { sum + x[i, j] } ... }, where LLVM would have to gather
// the elements of a column. After: the same on several columns at once.
//
//===----------------------------------------------------------------------===//
#include "VectorizeColumns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace lispier {
namespace {
/// A larger body is not copied for each width of vectors.
constexpr unsigned kMostOps = 256;
/// Vectors of one value, so that several sums are in flight and a row is read in long pieces.
constexpr unsigned kMostVectors = 8;

/// What a value is in the iterations of the loop.
enum class Lanes {
  Same,     ///< One value.
  Index,    ///< The loop's index plus a value that is the same: lane 0 stands for all.
  Different ///< A number for each iteration.
};

class ColumnLoop {
public:
  explicit ColumnLoop(scf::ForOp loop) : loop(loop) {}

  /// Whether all ops exist on vectors, and there is a reason for vectors.
  bool analyze() {
    kinds[loop.getInductionVar()] = Lanes::Index;
    return loop.getInitArgs().empty() && isConstantIntValue(loop.getStep(), 1) && visit(*loop.getBody()) &&
           hasInnerLoop && different > 0 && ops <= kMostOps;
  }

  void emit(unsigned vectorBytes, int64_t most) {
    // A register for each vector of a value; functions are long, and one vector of them suffices.
    unsigned vectors = hasFunctions ? 1 : std::max(1u, kMostVectors / std::max(1u, different / 4));
    int64_t lanes = int64_t(vectorBytes) * 8 / widestBits;
    if (vectors > 1 && most >= lanes * vectors)
      emitLoop(lanes * vectors);
    if (most >= lanes)
      emitLoop(lanes);
  }

private:
  Lanes kindOf(Value value) const {
    auto known = kinds.find(value);
    return known == kinds.end() ? Lanes::Same : known->second;
  }
  bool isAll(ValueRange values, Lanes kind) const {
    return llvm::all_of(values, [&](Value value) { return kindOf(value) == kind; });
  }

  bool visit(Block &block) {
    return llvm::all_of(block.without_terminator(), [&](Operation &op) { return visit(op); });
  }
  bool visit(Operation &op);
  bool visitLoop(scf::ForOp inner);
  bool visitChoice(scf::IfOp choice);
  bool isContiguous(Value memory, ValueRange indices) const;
  bool take(Value value);

  void emitLoop(int64_t lanes);
  void emit(OpBuilder &b, Block &block, IRMapping &map, int64_t lanes);
  void emit(OpBuilder &b, Operation &op, IRMapping &map, int64_t lanes);
  void emitInner(OpBuilder &b, scf::ForOp inner, IRMapping &map, int64_t lanes);
  Value vectorOf(OpBuilder &b, Value value, IRMapping &map, int64_t lanes) const;

  scf::ForOp loop;
  llvm::DenseMap<Value, Lanes> kinds; ///< Of values of the loop that are not the same.
  bool hasInnerLoop = false, hasFunctions = false;
  unsigned ops = 0, different = 0, widestBits = 8;
};

/// Whether the value can be an element of a vector, and of one in memory.
bool isElement(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) || type.isInteger(8) || type.isInteger(16) ||
         type.isInteger(32) || type.isInteger(64);
}

bool ColumnLoop::take(Value value) {
  if (!isElement(value.getType()) && !value.getType().isInteger(1))
    return false;
  kinds[value] = Lanes::Different;
  widestBits = std::max(widestBits, value.getType().getIntOrFloatBitWidth());
  ++different;
  return true;
}

bool ColumnLoop::isContiguous(Value memory, ValueRange indices) const {
  auto type = cast<MemRefType>(memory.getType());
  int64_t offset;
  SmallVector<int64_t> strides;
  return kindOf(memory) == Lanes::Same && isElement(type.getElementType()) && !indices.empty() &&
         kindOf(indices.back()) == Lanes::Index && isAll(indices.drop_back(), Lanes::Same) &&
         succeeded(type.getStridesAndOffset(strides, offset)) && strides.back() == 1;
}

bool ColumnLoop::visit(Operation &op) {
  ++ops;
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return visitLoop(inner);
  if (auto choice = dyn_cast<scf::IfOp>(op))
    return visitChoice(choice);
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return isContiguous(store.getMemRef(), store.getIndices()) && kindOf(store.getValueToStore()) != Lanes::Index;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isAll(load->getOperands(), Lanes::Same) ||
           (isContiguous(load.getMemRef(), load.getIndices()) && take(load.getResult()));
  if (!isMemoryEffectFree(&op) || op.getNumRegions())
    return false;
  if (isAll(op.getOperands(), Lanes::Same))
    return true;
  if (op.getNumResults() != 1)
    return false;
  if (isa<arith::AddIOp>(op) && op.getResult(0).getType().isIndex()) {
    Lanes left = kindOf(op.getOperand(0)), right = kindOf(op.getOperand(1));
    kinds[op.getResult(0)] = Lanes::Index;
    return left == Lanes::Same || right == Lanes::Same;
  }
  hasFunctions |= isa<math::MathDialect>(op.getDialect()) && !isa<math::FmaOp, math::AbsFOp, math::SqrtOp>(op);
  auto isNumber = [&](Value value) { return kindOf(value) != Lanes::Index && value.getType().isIntOrFloat(); };
  return OpTrait::hasElementwiseMappableTraits(&op) && llvm::all_of(op.getOperands(), isNumber) &&
         take(op.getResult(0));
}

/// Of two values that can both be computed, each lane takes one.
bool ColumnLoop::visitChoice(scf::IfOp choice) {
  if (kindOf(choice.getCondition()) != Lanes::Different || choice->getNumResults() == 0)
    return false;
  for (Block *block : {choice.thenBlock(), choice.elseBlock()})
    for (Operation &op : block->without_terminator())
      if (op.getNumRegions() || !isPure(&op) || !visit(op))
        return false;
  for (auto [result, first, second] :
       llvm::zip(choice.getResults(), choice.thenYield().getResults(), choice.elseYield().getResults()))
    if (kindOf(first) == Lanes::Index || kindOf(second) == Lanes::Index || !take(result))
      return false;
  return true;
}

/// What an inner loop carries is the same as long as nothing else comes to it.
bool ColumnLoop::visitLoop(scf::ForOp inner) {
  hasInnerLoop = true;
  if (!isAll({inner.getLowerBound(), inner.getUpperBound(), inner.getStep()}, Lanes::Same))
    return false;
  for (auto [init, argument] : llvm::zip(inner.getInitArgs(), inner.getRegionIterArgs()))
    if (kindOf(init) == Lanes::Index || (kindOf(init) == Lanes::Different && !take(argument)))
      return false;
  for (bool isDone = false; !isDone;) {
    isDone = true;
    if (!visit(*inner.getBody()))
      return false;
    for (auto [argument, yielded] : llvm::zip(inner.getRegionIterArgs(), inner.getYieldedValues())) {
      if (kindOf(yielded) == Lanes::Index)
        return false;
      if (kindOf(yielded) == Lanes::Same || kindOf(argument) == Lanes::Different)
        continue;
      if (!take(argument))
        return false;
      isDone = false;
    }
  }
  for (auto [argument, result] : llvm::zip(inner.getRegionIterArgs(), inner.getResults()))
    if (kindOf(argument) == Lanes::Different)
      kinds[result] = Lanes::Different;
  return true;
}

void ColumnLoop::emitLoop(int64_t lanes) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value width = arith::ConstantIndexOp::create(b, loc, lanes);
  Value count = arith::SubIOp::create(b, loc, loop.getUpperBound(), loop.getLowerBound());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value rest = arith::RemSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, count, zero), width);
  Value end = arith::SubIOp::create(b, loc, loop.getUpperBound(), rest);
  scf::ForOp::create(b, loc, loop.getLowerBound(), end, width, ValueRange(),
                     [&](OpBuilder &body, Location, Value index, ValueRange) {
                       IRMapping map;
                       map.map(loop.getInductionVar(), index);
                       emit(body, *loop.getBody(), map, lanes);
                       scf::YieldOp::create(body, loc);
                     });
  loop.setLowerBound(arith::MaxSIOp::create(b, loc, loop.getLowerBound(), end));
}

void ColumnLoop::emit(OpBuilder &b, Block &block, IRMapping &map, int64_t lanes) {
  for (Operation &op : block.without_terminator())
    emit(b, op, map, lanes);
}

Value ColumnLoop::vectorOf(OpBuilder &b, Value value, IRMapping &map, int64_t lanes) const {
  Value mapped = map.lookupOrDefault(value);
  if (isa<VectorType>(mapped.getType()))
    return mapped;
  return vector::BroadcastOp::create(b, value.getLoc(), VectorType::get(lanes, value.getType()), mapped);
}

void ColumnLoop::emit(OpBuilder &b, Operation &op, IRMapping &map, int64_t lanes) {
  auto mapped = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) { return map.lookupOrDefault(value); });
  };
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return emitInner(b, inner, map, lanes);
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    emit(b, *choice.thenBlock(), map, lanes);
    emit(b, *choice.elseBlock(), map, lanes);
    Value condition = vectorOf(b, choice.getCondition(), map, lanes);
    for (auto [result, first, second] :
         llvm::zip(choice.getResults(), choice.thenYield().getResults(), choice.elseYield().getResults()))
      map.map(result, arith::SelectOp::create(b, op.getLoc(), condition, vectorOf(b, first, map, lanes),
                                              vectorOf(b, second, map, lanes))
                          .getResult());
    return;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Value value = vectorOf(b, store.getValueToStore(), map, lanes);
    vector::StoreOp::create(b, op.getLoc(), value, map.lookupOrDefault(store.getMemRef()), mapped(store.getIndices()));
    return;
  }
  if (op.getNumResults() != 1 || kindOf(op.getResult(0)) != Lanes::Different) {
    b.clone(op, map);
    return;
  }
  Value result = op.getResult(0);
  auto type = VectorType::get(lanes, result.getType());
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    map.map(result, vector::LoadOp::create(b, op.getLoc(), type, map.lookupOrDefault(load.getMemRef()),
                                           mapped(load.getIndices()))
                        .getResult());
    return;
  }
  SmallVector<Value> operands =
      llvm::map_to_vector(op.getOperands(), [&](Value value) { return vectorOf(b, value, map, lanes); });
  Operation *copy = b.clone(op);
  copy->setOperands(operands);
  copy->getResult(0).setType(type);
  map.map(result, copy->getResult(0));
}

void ColumnLoop::emitInner(OpBuilder &b, scf::ForOp inner, IRMapping &map, int64_t lanes) {
  auto carried = [&](ValueRange values) {
    SmallVector<Value> all;
    for (auto [argument, value] : llvm::zip(inner.getRegionIterArgs(), values))
      all.push_back(kindOf(argument) == Lanes::Different ? vectorOf(b, value, map, lanes) : map.lookupOrDefault(value));
    return all;
  };
  auto bound = [&](Value value) { return map.lookupOrDefault(value); };
  SmallVector<Value> inits = carried(inner.getInitArgs());
  auto copy = scf::ForOp::create(b, inner.getLoc(), bound(inner.getLowerBound()), bound(inner.getUpperBound()),
                                 bound(inner.getStep()), inits);
  map.map(inner.getInductionVar(), copy.getInductionVar());
  map.map(inner.getRegionIterArgs(), copy.getRegionIterArgs());
  map.map(inner.getResults(), copy.getResults());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(copy.getBody());
  emit(b, *inner.getBody(), map, lanes);
  SmallVector<Value> yielded = carried(inner.getYieldedValues());
  if (inits.empty()) // The builder has made a terminator.
    return;
  scf::YieldOp::create(b, inner.getLoc(), yielded);
}
} // namespace

void vectorizeColumns(scf::ForOp loop, unsigned vectorBytes, int64_t most) {
  ColumnLoop columns(loop);
  if (vectorBytes && columns.analyze())
    columns.emit(vectorBytes, most);
}
} // namespace lispier
