//===- DistributeReshape.cpp - the same elements in another shape ---------===//
#include "Distribution.h"
#include "LayoutRules.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;
using lispier::tile::RegisterTable;

namespace lispier {
namespace {
/// Registers of the result from those of the source, by their coordinates in the source.
FailureOr<Value> rename(Distribution &d, Operation *op, llvm::function_ref<Coordinates(Coordinates)> inSource) {
  Value source = op->getOperand(0);
  RegisterTable table(d.layoutOf(source));
  SmallVector<Value> from = d.elements(d.get(source)), to;
  const Layout &layout = d.layoutOf(op->getResult(0));
  for (unsigned i = 0; i < layout.numRegisters(); ++i) {
    std::optional<unsigned> number = table.find(inSource(layout.ofRegister(i)));
    if (!number)
      return op->emitOpError("has its operand in a layout that does not fit its result's");
    to.push_back(from[*number]);
  }
  return d.vectorOf(to);
}

FailureOr<Value> broadcast(Distribution &d, vector::BroadcastOp op) {
  if (!isTile(op.getSource()))
    return d.splat(d.get(op.getSource()), d.layoutOf(op.getResult()).numRegisters());
  ArrayRef<int64_t> shape = shapeOfTile(op.getSource());
  return rename(d, op, [&](Coordinates at) {
    at.erase(at.begin(), at.end() - shape.size());
    for (auto [each, size] : llvm::zip(at, shape))
      if (size == 1)
        each = 0;
    return at;
  });
}

FailureOr<Value> transpose(Distribution &d, vector::TransposeOp op) {
  return rename(d, op, [&](Coordinates at) {
    Coordinates source(at.size(), 0);
    for (auto [i, dimension] : llvm::enumerate(op.getPermutation()))
      source[dimension] = at[i];
    return source;
  });
}

FailureOr<Value> slice(Distribution &d, vector::ExtractStridedSliceOp op) {
  SmallVector<int64_t> offsets;
  op.getOffsets(offsets);
  return rename(d, op, [&](Coordinates at) {
    for (auto [each, offset] : llvm::zip(at, offsets))
      each += offset;
    return at;
  });
}

FailureOr<Value> castShape(Distribution &d, vector::ShapeCastOp op) {
  const Layout &from = d.layoutOf(op.getSource()), &to = d.layoutOf(op.getResult());
  if (reshape(to, from.shape) != from)
    return reshapeThroughMemory(d, d.get(op.getSource()), from, to);
  return rename(d, op, [&](Coordinates at) {
    int64_t position = 0;
    for (auto [size, each] : llvm::zip(to.shape, at))
      position = position * size + each;
    Coordinates source(from.rank(), 0);
    for (unsigned dimension = from.rank(); dimension-- > 0; position /= from.shape[dimension])
      source[dimension] = position % from.shape[dimension];
    return source;
  });
}
} // namespace

LogicalResult distributeReshape(Distribution &d, Operation *op) {
  FailureOr<Value> made;
  if (auto spread = dyn_cast<vector::BroadcastOp>(op))
    made = broadcast(d, spread);
  else if (auto turn = dyn_cast<vector::TransposeOp>(op))
    made = transpose(d, turn);
  else if (auto part = dyn_cast<vector::ExtractStridedSliceOp>(op))
    made = slice(d, part);
  else
    made = castShape(d, cast<vector::ShapeCastOp>(op));
  if (succeeded(made))
    d.set(op->getResult(0), *made);
  return made;
}
} // namespace lispier
