//===- TileEmitter.cpp - a group's values, a tile at a time ---------------===//
//
// Memory, depths of loops and numbers. TileRegion.cpp evaluates the regions of linalg
// ops, TileReduction.cpp makes their loops.
//
//===----------------------------------------------------------------------===//
#include "TileEmitter.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace lispier::tensors {
TileEmitter::TileEmitter(TileProgram &program, const GroupDimensions &dimensions, const TileSchedule &schedule)
    : program(program), dimensions(dimensions), schedule(schedule), b(program.kernel.getContext()),
      loc(program.kernel.getLoc()), scopes(1) {
  const TargetInfo *target = device::targetInfoOf(program.kernel);
  reportsErrors = target && target->reportsErrors;
  b.setInsertionPointToEnd(&program.kernel.getBody().front());
  Operation *end = gpu::ReturnOp::create(b, loc);
  b.setInsertionPoint(end);
  frontier = gpu::BlockIdOp::create(b, loc, gpu::Dimension::x);
  b.setInsertionPoint(end);
}

Value TileEmitter::fail(Operation *op, const Twine &why) {
  if (reason.empty())
    reason = ("`" + op->getName().getStringRef() + "` " + why).str();
  return {};
}

unsigned TileEmitter::depthOf(Axes axes) const {
  unsigned depth = 0;
  for (const TileAxis &axis : axes)
    depth = std::max(depth, depthOfStart.lookup(axis.start));
  return depth;
}

Value TileEmitter::tile(Value tensor, Axes axes) {
  unsigned depth = depthOf(axes);
  std::pair key(tensor.getAsOpaquePointer(), std::vector<TileAxis>(axes.begin(), axes.end()));
  if (auto known = scopes[depth].tiles.find(key); known != scopes[depth].tiles.end())
    return known->second;
  // It is made before the loops that it does not depend on.
  OpBuilder::InsertionGuard guard(b);
  auto firstDeeper = scopes.begin() + depth + 1;
  std::vector<Scope> deeper(std::make_move_iterator(firstDeeper), std::make_move_iterator(scopes.end()));
  scopes.resize(depth + 1);
  if (!deeper.empty())
    b.setInsertionPoint(deeper.front().scope);
  Value made = make(tensor, axes);
  if (made)
    scopes[depth].tiles[key] = made;
  llvm::move(deeper, std::back_inserter(scopes));
  return made;
}

Value TileEmitter::make(Value tensor, Axes axes) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return read(argument, axes);
  Operation *op = tensor.getDefiningOp();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return compute(linalgOp, cast<OpResult>(tensor).getResultNumber(), axes);
  if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return tile(op->getOperand(0), axes); // In the group's dimensions they are the same.
  if (op->hasTrait<OpTrait::ConstantLike>())
    return constant(op, axes);
  if (isa<tensor::EmptyOp>(op)) { // What has no meaning may be anything.
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    return splat(b.getZeroAttr(element), shapeOf(axes));
  }
  return fail(op, "has no rule that makes its tiles");
}

SmallVector<int64_t> TileEmitter::shapeOf(Axes axes) const {
  SmallVector<int64_t> shape;
  for (const TileAxis &axis : axes)
    if (axis.size != kPoint)
      shape.push_back(axis.size);
  return shape;
}

Value TileEmitter::constant(Operation *op, Axes axes) {
  DenseElementsAttr value;
  if (!matchPattern(op, m_Constant(&value)) || !value.isSplat())
    return fail(op, "has elements that differ");
  return splat(cast<TypedAttr>(value.getSplatValue<Attribute>()), shapeOf(axes));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A tile's place: a transfer's dimensions are the last ones of the memref, so that points come first.
struct TileEmitter::Place {
  Value memref;
  SmallVector<Value> indices;
  SmallVector<int64_t> shape;
  SmallVector<bool> inBounds;
};

TileEmitter::Place TileEmitter::placeOf(BlockArgument tensor, Axes axes) {
  SmallVector<int64_t> order;
  for (bool point : {true, false})
    for (auto [position, axis] : llvm::enumerate(axes))
      if ((axis.size == kPoint) == point)
        order.push_back(position);
  Place place{program.memref(tensor, order), {}, {}, {}};
  for (int64_t position : order) {
    const TileAxis &axis = axes[position];
    place.indices.push_back(axis.start ? axis.start : index(0));
    if (axis.size == kPoint)
      continue;
    place.shape.push_back(axis.size);
    place.inBounds.push_back(isWhole(dimensions.of(tensor)[position], axis));
  }
  return place;
}

Value TileEmitter::read(BlockArgument tensor, Axes axes) {
  if (const PaddedRead *padded = program.paddedRead(tensor))
    return readPadded(tensor, *padded, axes);
  Place place = placeOf(tensor, axes);
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  if (place.shape.empty())
    return memref::LoadOp::create(b, loc, place.memref, place.indices);
  Value padding = anyNumber(element);
  AffineMap minor = AffineMap::getMinorIdentityMap(axes.size(), place.shape.size(), b.getContext());
  return vector::TransferReadOp::create(b, loc, VectorType::get(place.shape, element), place.memref, place.indices,
                                        padding, minor, place.inBounds);
}

void TileEmitter::store(Value tile, unsigned number, Axes axes) {
  BlockArgument tensor = program.init(number);
  Place place = placeOf(tensor, axes);
  if (place.shape.empty()) {
    memref::StoreOp::create(b, loc, tile, place.memref, place.indices);
    return;
  }
  AffineMap minor = AffineMap::getMinorIdentityMap(axes.size(), place.shape.size(), b.getContext());
  vector::TransferWriteOp::create(b, loc, tile, place.memref, place.indices, minor, place.inBounds);
}

bool TileEmitter::isWhole(unsigned dimension, const TileAxis &axis) const {
  if (axis.size == kPoint)
    return true;
  if (!dimensions.isStatic(dimension)) // Tiles begin at multiples of their size.
    return axis.size == 1;
  return axis.start ? dimensions.size(dimension) % axis.size == 0 : dimensions.size(dimension) == axis.size;
}

//===----------------------------------------------------------------------===//
// Numbers, which all tiles of a program share
//===----------------------------------------------------------------------===//

Value TileEmitter::index(int64_t value) { return number(b.getIndexAttr(value)); }

Value TileEmitter::size(unsigned dimension) {
  if (dimensions.isStatic(dimension))
    return index(dimensions.size(dimension));
  if (Value known = sizes.lookup(dimension))
    return known;
  auto [argument, position] = dimensions.argumentWith(dimension);
  if (!argument)
    return sizes[dimension] = productOf(dimensions.sizeFactors(dimension));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(frontier);
  return sizes[dimension] = memref::DimOp::create(b, loc, program.memref(argument), int64_t(position));
}

/// Null if there are no factors, or one is no number that each block can compute.
Value TileEmitter::productOf(ArrayRef<OpFoldResult> factors) {
  Value product;
  for (OpFoldResult factor : factors) {
    Value value = dyn_cast<Value>(factor);
    value = value ? scalar(value) : number(cast<TypedAttr>(cast<Attribute>(factor)));
    if (!value)
      return {};
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(frontier);
    product = product ? arith::MulIOp::create(b, loc, product, value).getResult() : value;
  }
  return product;
}

Value TileEmitter::sizeOfTensor(Value tensor, unsigned position) {
  if (int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(position); !ShapedType::isDynamic(size))
    return index(size);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return program.size(argument, position);
  // The place of the size among those of its dimension is the same in an argument.
  auto proper = [&](Value of, unsigned part) {
    return llvm::filter_to_vector(dimensions.parts(of)[part], [&](int64_t each) {
      return cast<RankedTensorType>(of.getType()).getDimSize(each) != 1;
    });
  };
  for (auto [part, dimension] : llvm::enumerate(dimensions.of(tensor))) {
    SmallVector<int64_t> own = proper(tensor, part);
    auto *at = llvm::find(own, int64_t(position));
    if (at == own.end())
      continue;
    auto [argument, argumentPart] = dimensions.argumentWith(dimension);
    if (argument)
      return program.size(argument, proper(argument, argumentPart)[at - own.begin()]);
    return own.size() == 1 ? size(dimension) : Value();
  }
  return {};
}

Value TileEmitter::scalar(Value value) {
  if (Value known = scalars.lookup(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return scalars[value] = program.scalar(argument);
  Operation *op = value.getDefiningOp();
  auto made = [&]() -> Value {
    if (auto dim = dyn_cast<tensor::DimOp>(op); dim && dim.getConstantIndex())
      return sizeOfTensor(dim.getSource(), *dim.getConstantIndex());
    auto extract = dyn_cast<tensor::ExtractOp>(op);
    auto table = extract ? dyn_cast<BlockArgument>(extract.getTensor()) : BlockArgument();
    if ((!table && !isPure(op)) || op->getNumRegions() || (extract && !table))
      return {};
    SmallVector<Value> operands;
    for (Value operand : extract ? ValueRange(extract.getIndices()) : ValueRange(op->getOperands())) {
      if (isa<TensorType>(operand.getType()))
        return {};
      operands.push_back(scalar(operand));
      if (!operands.back())
        return {};
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(frontier);
    if (extract)
      return memref::LoadOp::create(b, loc, program.wholeMemref(table), operands);
    IRMapping mapping;
    mapping.map(op->getOperands(), ValueRange(operands));
    return b.clone(*op, mapping)->getResult(cast<OpResult>(value).getResultNumber());
  }();
  return made ? scalars[value] = made : fail(op, "is no number that each block can compute");
}

Value TileEmitter::splat(Value number, ArrayRef<int64_t> shape) {
  return shape.empty()
             ? number
             : vector::BroadcastOp::create(b, loc, VectorType::get(shape, number.getType()), number).getResult();
}

Value TileEmitter::splat(TypedAttr number, ArrayRef<int64_t> shape) {
  if (shape.empty())
    return this->number(number);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(VectorType::get(shape, number.getType()), number));
}

Value TileEmitter::number(TypedAttr value) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(frontier);
  Value &known = numbers[value];
  if (!known)
    known = arith::ConstantOp::create(b, loc, value);
  return known;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<scf::ForOp> TileEmitter::loop(unsigned dimension, int64_t step, ValueRange initial, Body body,
                                        LoopRange range) {
  Value end = range.end ? range.end : size(dimension);
  if (!end) {
    reason = "a size that a loop needs is computed with its elements";
    return failure();
  }
  auto loop = scf::ForOp::create(b, loc, range.begin ? range.begin : index(0), end, index(step), initial);
  OpBuilder::InsertionGuard guard(b);
  Block *block = loop.getBody();
  if (initial.empty())
    b.setInsertionPoint(block->getTerminator());
  else
    b.setInsertionPointToEnd(block);
  depthOfStart[loop.getInductionVar()] = scopes.size();
  scopes.emplace_back().scope = loop;
  SmallVector<Value> yielded = body(loop.getInductionVar(), loop.getRegionIterArgs());
  scopes.pop_back();
  bool complete = reason.empty() && yielded.size() == initial.size();
  if (!initial.empty())
    scf::YieldOp::create(b, loc, complete ? ValueRange(yielded) : ValueRange(loop.getRegionIterArgs()));
  if (!complete)
    return failure();
  return loop;
}

} // namespace lispier::tensors
