//===- DistributeElementwise.cpp - ops on elements, and tiles of numbers --===//
#include "DelayReads.h"
#include "Distribution.h"
#include "LayoutRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;

namespace lispier {
namespace {
/// Which elements of a tile lie before `ends`, dimension by dimension.
Value mask(Distribution &d, const Layout &layout, ValueRange ends) {
  SmallVector<Value> at = d.coordinates(layout);
  llvm::DenseMap<std::pair<unsigned, int32_t>, Value> inside;
  auto isInside = [&](unsigned dimension, int32_t place) {
    Value &known = inside[{dimension, place}];
    if (!known)
      known = arith::CmpIOp::create(d.b, arith::CmpIPredicate::slt, d.add(at[dimension], place), ends[dimension]);
    return known;
  };
  SmallVector<Value> all;
  for (unsigned i = 0; i < layout.numRegisters(); ++i) {
    Value element;
    for (auto [dimension, place] : llvm::enumerate(layout.ofRegister(i)))
      element = d.both(element, isInside(dimension, place));
    all.push_back(element);
  }
  return d.vectorOf(all);
}

/// 0, 1, 2 ...
Value count(Distribution &d, const Layout &layout) {
  Value first = d.coordinates(layout).front();
  SmallVector<int64_t> places;
  for (unsigned i = 0; i < layout.numRegisters(); ++i)
    places.push_back(layout.ofRegister(i).front());
  auto type = VectorType::get({static_cast<int64_t>(places.size())}, d.b.getIndexType());
  Value offsets = arith::ConstantOp::create(d.b, DenseIntElementsAttr::get(type, places));
  return arith::AddIOp::create(d.b, d.splat(first, places.size()), offsets);
}

FailureOr<Value> constant(Distribution &d, arith::ConstantOp op) {
  auto value = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!value || !value.isSplat())
    return op.emitOpError("has elements that differ; a tile program makes such a tile from vector.step, or loads it");
  return arith::ConstantOp::create(d.b, value.resizeSplat(d.typeOf(op.getResult()))).getResult();
}

/// The op on `operands`, whose elements may be part of the thread's.
Value cloned(Distribution &d, Operation *op, IRMapping &operands, int64_t elements) {
  Operation *copy = d.b.clone(*op, operands);
  copy->removeAttr(tile::kLayout);
  copy->getResult(0).setType(VectorType::get({elements}, getElementTypeOrSelf(op->getResult(0).getType())));
  return copy->getResult(0);
}

/// Whether the tile is computed from nothing but what slots of a pipelined loop hold.
bool isFromSlots(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto read = dyn_cast_or_null<vector::TransferReadOp>(op))
    return isShared(read);
  return op && isElementwise(op) && llvm::all_of(op->getOperands(), [](Value operand) {
           return operand.getDefiningOp<arith::ConstantOp>() || isFromSlots(operand);
         });
}

Value splatConstant(Distribution &d, Operation *op, DenseElementsAttr constant, int64_t size) {
  auto type = VectorType::get({size}, constant.getElementType());
  return arith::ConstantOp::create(d.b, op->getLoc(),
                                   DenseElementsAttr::get(type, constant.getSplatValue<Attribute>()));
}

/// As many elements at a time as a fragment has, so that delayReads can compute each where a product takes it.
Value clonedInParts(Distribution &d, Operation *op) {
  constexpr int64_t kPart = 8;
  int64_t count = d.typeOf(op->getResult(0)).getNumElements();
  SmallVector<SmallVector<Value>> elements;
  for (Value operand : op->getOperands())
    elements.push_back(d.elements(d.get(operand)));
  SmallVector<Value> all;
  for (int64_t begin = 0; begin < count; begin += kPart) {
    int64_t size = std::min(kPart, count - begin);
    IRMapping part;
    for (auto [operand, of] : llvm::zip(op->getOperands(), elements)) {
      DenseElementsAttr constant; // Stays one, by which an expansion of elementary functions knows it.
      bool isSplat = matchPattern(operand, m_Constant(&constant)) && constant.isSplat();
      part.map(operand, isSplat ? splatConstant(d, op, constant, size) : d.vectorOf(ArrayRef(of).slice(begin, size)));
    }
    llvm::append_range(all, d.elements(cloned(d, op, part, size)));
  }
  return d.vectorOf(all);
}
} // namespace

LogicalResult distributeElementwise(Distribution &d, Operation *op) {
  Value result = op->getResult(0);
  const Layout &layout = d.layoutOf(result);
  auto made =
      llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
          .Case([&](arith::ConstantOp op) { return constant(d, op); })
          .Case([&](vector::StepOp) { return count(d, layout); })
          .Case([&](vector::CreateMaskOp op) {
            return mask(d, layout, llvm::map_to_vector(op.getOperands(), [&](Value end) { return d.get(end); }));
          })
          .Case([&](vector::ConstantMaskOp op) {
            return mask(d, layout,
                        llvm::map_to_vector(op.getMaskDimSizes(), [&](int64_t end) { return d.index(end); }));
          })
          .Default([&](Operation *op) {
            return isFromSlots(result) || isComputedInParts(op) ? clonedInParts(d, op)
                                                                : cloned(d, op, d.mapping(), layout.numRegisters());
          });
  if (succeeded(made))
    d.set(result, *made);
  return made;
}
} // namespace lispier
