//===- Distribution.cpp - a tile program on its way to threads ------------===//
#include "Distribution.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using lispier::tile::Bases;
using lispier::tile::Coordinates;
using lispier::tile::Layout;

namespace lispier {
Distribution::Distribution(gpu::GPUFuncOp kernel, const TargetInfo &target, BlockShape block)
    : b(kernel.getLoc(), kernel.getContext()), target(target), block(block) {
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value thread = arith::IndexCastUIOp::create(b, b.getI32Type(), gpu::ThreadIdOp::create(b, gpu::Dimension::x));
  laneId = arith::AndIOp::create(b, thread, i32(block.lanes - 1));
  warpId = arith::ShRUIOp::create(b, thread, i32(llvm::Log2_32(block.lanes)));
}

LogicalResult Distribution::setLayout(Value tile, Attribute attribute) {
  auto layout = dyn_cast_or_null<tile::LayoutAttr>(attribute);
  if (!layout)
    return emitError(tile.getLoc(), "a tile of type ") << tile.getType() << " has no layout";
  Layout full = layout.layoutOf(cast<VectorType>(tile.getType()).getShape());
  if (!full.rank()) { // The attribute has no place for bases without coordinates.
    full.lanes.resize(llvm::Log2_32(block.lanes));
    full.warps.resize(llvm::Log2_32(block.warps));
  }
  if ((1u << full.lanes.size()) != block.lanes || (1u << full.warps.size()) != block.warps)
    return emitError(tile.getLoc(), "a tile has a layout for ")
           << (1u << full.warps.size()) << " warps of " << (1u << full.lanes.size()) << " lanes; the program has "
           << block.warps << " of " << block.lanes;
  layouts.try_emplace(tile, std::move(full));
  return success();
}

VectorType Distribution::typeOf(Value tile) const {
  return VectorType::get({layoutOf(tile).numRegisters()}, getElementTypeOrSelf(tile.getType()));
}

//===-- Arithmetic ----------------------------------------------------------===//

Value Distribution::i32(int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }
Value Distribution::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value Distribution::toIndex(Value value) {
  return value.getType().isIndex() ? value : b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), value);
}

Value Distribution::add(Value value, int64_t constant) {
  return constant ? b.createOrFold<arith::AddIOp>(value, index(constant)) : value;
}

Value Distribution::add(Value a, Value c) { return b.createOrFold<arith::AddIOp>(a, c); }

Value Distribution::both(Value a, Value c) { return !a ? c : !c ? a : b.createOrFold<arith::AndIOp>(a, c); }

SmallVector<Value> Distribution::elements(Value vector) {
  if (auto made = vector.getDefiningOp<vector::FromElementsOp>())
    return SmallVector<Value>(made.getElements());
  return SmallVector<Value>(vector::ToElementsOp::create(b, vector).getResults());
}

Value Distribution::vectorOf(ArrayRef<Value> elements) {
  auto type = VectorType::get({static_cast<int64_t>(elements.size())}, elements.front().getType());
  return vector::FromElementsOp::create(b, type, elements);
}

Value Distribution::splat(Value scalar, int64_t size) {
  return vector::BroadcastOp::create(b, VectorType::get({size}, scalar.getType()), scalar);
}

//===-- Threads -------------------------------------------------------------===//

/// The exclusive or of places[i] over the set bits i of an i32. Bits that keep their distance move together.
Value Distribution::bits(Value number, ArrayRef<int64_t> places) {
  Value sum;
  auto include = [&](Value part) { sum = sum ? arith::XOrIOp::create(b, sum, part).getResult() : part; };
  for (unsigned i = 0; i < places.size();) {
    if (!places[i]) {
      ++i;
      continue;
    }
    unsigned end = i + 1;
    if (llvm::isPowerOf2_64(places[i]))
      while (end < places.size() && places[end] == places[i] << (end - i))
        ++end;
    Value part = number;
    if (i)
      part = arith::ShRUIOp::create(b, part, i32(i));
    part = arith::AndIOp::create(b, part, i32((int64_t(1) << (end - i)) - 1));
    if (places[i] != 1)
      part = llvm::isPowerOf2_64(places[i]) ? arith::ShLIOp::create(b, part, i32(llvm::Log2_64(places[i]))).getResult()
                                            : arith::MulIOp::create(b, part, i32(places[i])).getResult();
    include(part);
    i = end;
  }
  return sum;
}

Value Distribution::ofThread(const Layout &layout, llvm::function_ref<int64_t(ArrayRef<int32_t>)> place) {
  auto placesOf = [&](const Bases &bases) {
    return llvm::map_to_vector(bases, [&](const Coordinates &basis) { return place(basis); });
  };
  Value ofLane = bits(laneId, placesOf(layout.lanes)), ofWarp = bits(warpId, placesOf(layout.warps));
  if (ofLane && ofWarp)
    return arith::XOrIOp::create(b, ofLane, ofWarp);
  return ofLane ? ofLane : ofWarp ? ofWarp : i32(0);
}

SmallVector<Value> Distribution::coordinates(const Layout &layout) {
  SmallVector<Value> all;
  for (unsigned dimension = 0; dimension < layout.rank(); ++dimension)
    all.push_back(toIndex(ofThread(layout, [=](ArrayRef<int32_t> basis) { return basis[dimension]; })));
  return all;
}

Value Distribution::isFirstCopy(const Layout &layout, uint32_t exceptWarps) {
  Value copy;
  for (auto [number, mask] :
       {std::pair(laneId, layout.copiesInLanes()), std::pair(warpId, layout.copiesInWarps() & ~exceptWarps)}) {
    if (!mask)
      continue;
    Value part = arith::AndIOp::create(b, number, i32(mask));
    copy = copy ? arith::OrIOp::create(b, copy, part).getResult() : part;
  }
  return copy ? arith::CmpIOp::create(b, arith::CmpIPredicate::eq, copy, i32(0)).getResult() : Value();
}

//===-- Control flow --------------------------------------------------------===//

void Distribution::onlyIf(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  body();
}

Value Distribution::choose(Value condition, Type type, llvm::function_ref<Value()> body,
                           llvm::function_ref<Value()> otherwise) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(b, TypeRange{type}, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (auto [region, make] :
       {std::pair(&branch.getThenRegion(), body), std::pair(&branch.getElseRegion(), otherwise)}) {
    b.setInsertionPointToStart(&region->front());
    Value value = make();
    scf::YieldOp::create(b, value);
  }
  return branch.getResult(0);
}

//===-- Memory of the block -------------------------------------------------===//

Value Distribution::allocateShared(int64_t elements, Type element) {
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  return memref::AllocOp::create(b, MemRefType::get({elements}, element, MemRefLayoutAttrInterface(), space));
}

/// Shuffles move 32 bits.
Value shuffleXor(Distribution &d, Value value, uint32_t mask) {
  auto shuffle = [&](Value part) {
    return gpu::ShuffleOp::create(d.b, part, d.i32(mask), d.i32(d.block.lanes), gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  Type type = value.getType(), i32 = d.b.getI32Type();
  if (type.isF32() || type.isInteger(32))
    return shuffle(value);
  if (type.isIndex()) {
    Value wide = arith::IndexCastOp::create(d.b, d.b.getI64Type(), value);
    return arith::IndexCastOp::create(d.b, type, shuffleXor(d, wide, mask));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type integer = d.b.getIntegerType(width);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(d.b, type, shuffleXor(d, arith::BitcastOp::create(d.b, integer, value), mask));
  if (width < 32)
    return arith::TruncIOp::create(d.b, type, shuffle(arith::ExtUIOp::create(d.b, i32, value)));
  Value shift = arith::ConstantIntOp::create(d.b, 32, 64);
  Value low = shuffle(arith::TruncIOp::create(d.b, i32, value));
  Value high = shuffle(arith::TruncIOp::create(d.b, i32, arith::ShRUIOp::create(d.b, value, shift)));
  high = arith::ShLIOp::create(d.b, arith::ExtUIOp::create(d.b, type, high), shift);
  return arith::OrIOp::create(d.b, high, arith::ExtUIOp::create(d.b, type, low));
}
} // namespace lispier
