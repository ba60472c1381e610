//===- DistributeReductions.cpp - reductions of tiles ---------------------===//
//
// A reduction combines the registers of a thread, then lanes by shuffles, then warps
// through the memory of the block. Every thread with a copy of a result computes the
// same bits: lanes exchange pairs, and warps' parts are combined in their order.
//
//===----------------------------------------------------------------------===//
#include "Distribution.h"
#include "LayoutRules.h"
#include "SharedPlaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using lispier::tile::Bases;
using lispier::tile::Coordinates;
using lispier::tile::Layout;
using lispier::tile::RegisterTable;

namespace lispier {
namespace {
class Reduction {
public:
  Reduction(Distribution &d, vector::MultiDimReductionOp op)
      : d(d), op(op), from(d.layoutOf(op.getSource())), to(from) {
    for (unsigned dimension = to.rank(); dimension-- > 0;)
      if (op.isReducedDim(dimension))
        to = to.without(dimension);
    for (auto [bit, basis] : llvm::enumerate(from.warps))
      if (isReduced(basis))
        reducedWarps.push_back(bit);
  }

  SmallVector<Value> run() {
    SmallVector<Value> parts = withinThread();
    for (auto [bit, basis] : llvm::enumerate(from.lanes))
      if (isReduced(basis))
        for (Value &part : parts)
          part = combine(part, shuffleXor(d, part, uint32_t(1) << bit));
    return reducedWarps.empty() ? parts : acrossWarps(parts);
  }

  Value combine(Value a, Value c) { return vector::makeArithReduction(d.b, d.b.getLoc(), op.getKind(), a, c); }

private:
  bool isReduced(const Coordinates &basis) {
    return llvm::any_of(llvm::enumerate(basis),
                        [&](auto each) { return each.value() && op.isReducedDim(each.index()); });
  }

  SmallVector<Value> withinThread() {
    RegisterTable table(to);
    SmallVector<Value> parts(to.numRegisters());
    for (auto [number, element] : llvm::enumerate(d.elements(d.get(op.getSource())))) {
      Coordinates kept;
      for (auto [dimension, each] : llvm::enumerate(from.ofRegister(number)))
        if (!op.isReducedDim(dimension))
          kept.push_back(each);
      Value &part = parts[*table.find(kept)];
      part = part ? combine(part, element) : element;
    }
    return parts;
  }

  /// A copy of the tile of results for each of the warps that have parts of the same ones.
  SmallVector<Value> acrossWarps(ArrayRef<Value> parts) {
    SharedPlaces places(to.shape, to.rank() ? to.rank() - 1 : 0, /*chunk=*/kWholeRows, elementBytes(d.vectorOf(parts)));
    int64_t size = places.numElements(), count = int64_t(1) << reducedWarps.size();
    Value memory = d.allocateShared(size * count, parts.front().getType());
    uint32_t mask = 0;
    Value part = d.i32(0);
    for (auto [position, bit] : llvm::enumerate(reducedWarps)) {
      mask |= 1u << bit;
      Value set = arith::AndIOp::create(d.b, arith::ShRUIOp::create(d.b, d.warp(), d.i32(bit)), d.i32(1));
      part = arith::AddIOp::create(d.b, part, arith::MulIOp::create(d.b, set, d.i32(size << position)));
    }
    d.onlyIf(d.isFirstCopy(to, /*exceptWarps=*/mask), [&] {
      SharedPlaces::OfThread at(d, places, to, part);
      for (auto [number, value] : llvm::enumerate(parts))
        memref::StoreOp::create(d.b, value, memory, ValueRange{at[number]});
    });
    SharedPlaces::OfThread at(d, places, to);
    SmallVector<Value> results;
    for (unsigned number = 0; number < parts.size(); ++number) {
      Value place = at[number], result;
      for (int64_t i = 0; i < count; ++i) {
        Value each = memref::LoadOp::create(d.b, memory, ValueRange{d.add(place, i * size)});
        result = result ? combine(result, each) : each;
      }
      results.push_back(result);
    }
    return results;
  }

  static constexpr int64_t kWholeRows = int64_t(1) << 40;
  Distribution &d;
  vector::MultiDimReductionOp op;
  Layout from, to;
  SmallVector<unsigned> reducedWarps;
};
} // namespace

LogicalResult distributeReduction(Distribution &d, vector::MultiDimReductionOp op) {
  Reduction reduction(d, op);
  SmallVector<Value> results = reduction.run();
  bool isScalar = !isTile(op.getResult());
  Value result = isScalar ? results.front() : d.vectorOf(results);
  d.set(op.getResult(), reduction.combine(result, d.get(op.getAcc())));
  return success();
}
} // namespace lispier
