//===- DistributeElementwise.cpp - ops on elements, and tiles of numbers --===//
#include "Distribution.h"
#include "LayoutRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

Value cloned(Distribution &d, Operation *op) {
  Operation *copy = d.b.clone(*op, d.mapping());
  copy->removeAttr(tile::kLayout);
  copy->getResult(0).setType(d.typeOf(op->getResult(0)));
  return copy->getResult(0);
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
          .Default([&](Operation *op) { return cloned(d, op); });
  if (succeeded(made))
    d.set(result, *made);
  return made;
}
} // namespace lispier
