//===- LowerScans.cpp - group.scan on memrefs to loops --------------------===//
//
// Before: group.scan on memrefs. After: parallel loops over rows or columns, and in each
// a loop along the scanned dimension, which carries what was combined so far.
//
//===----------------------------------------------------------------------===//
#include "VectorNest.h"
#include "lispier/Group/Group.h"
#include "lispier/Loops/Passes.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace lispier {
#define GEN_PASS_DEF_LOWERSCANS
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
class ScanLoops {
public:
  ScanLoops(group::ScanOp op, unsigned vectorBytes)
      : b(op.getLoc(), op), op(op), element(op.getStart().getType()), along(op.getDimension()),
        last(cast<MemRefType>(op.getSource().getType()).getRank() - 1), isReverse(op.getReverse()),
        isExclusive(op.getExclusive()), inThread(isInsideThread(op)) {
    unsigned bits = element.isIndex() ? 0 : element.getIntOrFloatBitWidth();
    if (bits == 32 || bits == 64)
      lanes = vectorBytes * 8 / bits;
    vectorsOfBlock = vectorBytes >= 64 ? 8 : 4;
    for (int64_t d = 0; d <= last; ++d)
      sizes.push_back(b.createOrFold<memref::DimOp>(op.getSource(), d));
  }

  void emit() {
    if (!lanes || !isContiguous(op.getSource()) || !isContiguous(op.getInit()))
      emitElements();
    else if (along == last)
      emitRows();
    else
      emitColumns();
    op.erase();
  }

private:
  static bool isContiguous(Value memref) { return cast<MemRefType>(memref.getType()).isLastDimUnitStride(); }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(x, y); }
  VectorType vectorType() { return VectorType::get(lanes, element); }
  Value neutral() {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vectorType(), Attribute(tile::neutralElement(b, *op.getKind(), element))));
  }
  Value broadcast(Value number) { return vector::BroadcastOp::create(b, vectorType(), number); }
  Value combine(Value before, Value next) {
    return vector::makeArithReduction(b, b.getLoc(), *op.getKind(), before, next);
  }
  Value maskOf(Value count) { return vector::CreateMaskOp::create(b, VectorType::get(lanes, b.getI1Type()), count); }

  /// A null mask: all lanes.
  Value load(ValueRange at, Value mask) {
    if (mask)
      return vector::MaskedLoadOp::create(b, vectorType(), op.getSource(), at, mask, neutral());
    return vector::LoadOp::create(b, vectorType(), op.getSource(), at);
  }
  void store(Value numbers, ValueRange at, Value mask) {
    if (mask)
      vector::MaskedStoreOp::create(b, op.getInit(), at, mask, numbers);
    else
      vector::StoreOp::create(b, numbers, op.getInit(), at);
  }

  /// `body` for each index of the given sizes, in parallel unless the op belongs to one thread.
  void forAll(ArrayRef<Value> counts, llvm::function_ref<void(ValueRange)> body) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Value> from(counts.size(), index(0)), steps(counts.size(), index(1)), at;
    if (!inThread && !counts.empty()) {
      auto loop = scf::ParallelOp::create(b, from, counts, steps);
      b.setInsertionPointToStart(loop.getBody());
      return body(loop.getInductionVars());
    }
    for (Value count : counts) {
      auto loop = scf::ForOp::create(b, from[0], count, steps[0]);
      at.push_back(loop.getInductionVar());
      b.setInsertionPointToStart(loop.getBody());
    }
    body(at);
  }

  /// A loop over 0, step, ... below `end`, which carries values.
  SmallVector<Value> fold(Value end, Value step, ValueRange starts,
                          llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(b, index(0), end, step, starts);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, body(loop.getInductionVar(), loop.getRegionIterArgs()));
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  /// Lane i of the result is lane i - distance, in the order of the scan; the first lanes are neutral.
  Value shifted(Value numbers, int64_t distance) {
    SmallVector<int64_t> sources;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t from = isReverse ? lane + distance : lane - distance;
      sources.push_back(from >= 0 && from < lanes ? from : lanes + lane);
    }
    return vector::ShuffleOp::create(b, numbers, neutral(), sources);
  }

  /// Scans the vector at a place of the row; returns what is combined so far, in all lanes.
  Value scanVector(ValueRange at, Value mask, Value sofar) {
    Value numbers = load(at, mask);
    for (int64_t distance = 1; distance < lanes; distance *= 2)
      numbers = combine(shifted(numbers, distance), numbers);
    SmallVector<int64_t> lastLane(lanes, isReverse ? 0 : lanes - 1);
    Value all = vector::ShuffleOp::create(b, numbers, numbers, lastLane);
    store(combine(sofar, isExclusive ? shifted(numbers, 1) : numbers), at, mask);
    return combine(sofar, all);
  }

  /// Along the last dimension.
  void emitRows() {
    Value size = sizes[last], width = index(lanes);
    Value rest = b.createOrFold<arith::RemUIOp>(size, width), whole = sub(size, rest);
    forAll(ArrayRef(sizes).drop_back(), [&](ValueRange row) {
      SmallVector<Value> at(row);
      at.push_back({});
      Value sofar = fold(whole, width, broadcast(op.getStart()), [&](Value i, ValueRange carried) {
        at.back() = isReverse ? sub(sub(size, width), i) : i;
        return SmallVector<Value>{scanVector(at, {}, carried[0])};
      })[0];
      at.back() = isReverse ? index(0) : whole;
      scanVector(at, maskOf(rest), sofar);
    });
  }

  /// Neighbouring columns, the first of which is at `at`.
  void scanColumns(SmallVector<Value> at, int64_t vectors, Value mask) {
    Value column = at[last];
    SmallVector<Value> starts(vectors, broadcast(op.getStart()));
    fold(sizes[along], index(1), starts, [&](Value i, ValueRange carried) {
      at[along] = isReverse ? sub(sub(sizes[along], index(1)), i) : i;
      SmallVector<Value> next;
      for (auto [v, sofar] : llvm::enumerate(carried)) {
        at[last] = add(column, index(v * lanes));
        next.push_back(combine(sofar, load(at, mask)));
        store(isExclusive ? sofar : next.back(), at, mask);
      }
      return next;
    });
  }

  /// Along another dimension: blocks of columns, whose ends are done vector by vector.
  void emitColumns() {
    Value width = index(lanes), block = index(lanes * vectorsOfBlock), size = sizes[last];
    SmallVector<Value> counts;
    for (int64_t d = 0; d < last; ++d)
      if (d != along)
        counts.push_back(sizes[d]);
    counts.push_back(b.createOrFold<arith::CeilDivUIOp>(size, block));
    forAll(counts, [&](ValueRange outer) {
      SmallVector<Value> at(outer.drop_back());
      at.insert(at.begin() + along, Value());
      Value first = b.createOrFold<arith::MulIOp>(outer.back(), block), left = sub(size, first);
      Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, left, block);
      at.push_back(first);
      auto choice = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.thenBlock());
      scanColumns(at, vectorsOfBlock, {});
      b.setInsertionPointToStart(choice.elseBlock());
      auto rest = scf::ForOp::create(b, index(0), left, width);
      b.setInsertionPointToStart(rest.getBody());
      at.back() = add(first, rest.getInductionVar());
      scanColumns(at, 1, maskOf(sub(left, rest.getInductionVar())));
    });
  }

  void emitElements() {
    SmallVector<Value> counts(sizes);
    counts.erase(counts.begin() + along);
    forAll(counts, [&](ValueRange outer) {
      SmallVector<Value> at(outer);
      at.insert(at.begin() + along, Value());
      fold(sizes[along], index(1), op.getStart(), [&](Value i, ValueRange carried) {
        at[along] = isReverse ? sub(sub(sizes[along], index(1)), i) : i;
        Value next = combine(carried[0], memref::LoadOp::create(b, op.getSource(), at));
        memref::StoreOp::create(b, isExclusive ? Value(carried[0]) : next, op.getInit(), at);
        return SmallVector<Value>{next};
      });
    });
  }

  ImplicitLocOpBuilder b;
  group::ScanOp op;
  Type element;
  int64_t along, last;
  int64_t lanes = 0; ///< Of a vector; 0 if elements are scanned one by one.
  int64_t vectorsOfBlock;
  bool isReverse, isExclusive, inThread;
  SmallVector<Value> sizes;
};

struct LowerScans : impl::LowerScansBase<LowerScans> {
  using LowerScansBase::LowerScansBase;

  void runOnOperation() override {
    SmallVector<group::ScanOp> scans;
    getOperation().walk([&](group::ScanOp op) { scans.push_back(op); });
    for (group::ScanOp op : scans)
      ScanLoops(op, vectorBytes).emit();
  }
};
} // namespace
} // namespace lispier
