//===- DistributeScans.cpp - cumulative sums along a dimension ------------===//
//
// Work-efficient within a thread, by pairs across threads (Sklansky, "Conditional-Sum
// Addition Logic", 1960): the bits of a place along the dimension are visited from the
// lowest, whether they are in registers, lanes or warps. A block of places that agree in
// all further bits has two values: the sum of what lies before each of its runs, and the
// sum of all, which every thread with a part of the block has.
//
//===----------------------------------------------------------------------===//
#include "Distribution.h"
#include "LayoutRules.h"
#include "ScanLayout.h"
#include "SharedPlaces.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;
using lispier::tile::RegisterTable;
using vector::CombiningKind;

namespace lispier {
namespace {
class Scan {
public:
  Scan(Distribution &d, vector::ScanOp op)
      : d(d), kind(op.getKind()), layout(d.layoutOf(op.getDest())), dimension(op.getReductionDim()),
        isReverse(op->hasAttr(tile::kReverse)), bits(scannedBits(layout, dimension)),
        none(arith::ConstantOp::create(d.b,
                                       tile::neutralElement(d.b, kind, getElementTypeOrSelf(op.getDest().getType())))) {
    while (runBits < bits.size() && bits[runBits].where == ScannedBit::Register)
      ++runBits;
  }

  Value combine(Value a, Value c) { return vector::makeArithReduction(d.b, d.b.getLoc(), kind, a, c); }

  /// Sums the elements of all registers.
  void sum(ArrayRef<Value> elements) {
    sumRuns(elements);
    for (size_t i = runBits; i < bits.size(); ++i)
      switch (bits[i].where) {
      case ScannedBit::Register:
        joinRegisters(bits[i].value);
        break;
      case ScannedBit::Lane:
        joinLanes(bits[i].number);
        break;
      case ScannedBit::Warp: {
        size_t end = i + 1;
        while (end < bits.size() && bits[end].where == ScannedBit::Warp)
          ++end;
        joinWarps(ArrayRef(bits).slice(i, end - i));
        i = end - 1;
      }
      }
    joinUnits();
  }

  /// The sum of a register's run up to it, from `sum`.
  Value inRun(unsigned number) const { return prefixes[number]; }
  /// The sum of what lies before the run of a register; null if nothing does.
  Value before(unsigned number) { return runs[runOf(layout.ofRegister(number))].before; }
  Value total(Coordinates place) { return runs[runOf(place)].total; }
  /// The register before this one in its run, or nullopt.
  std::optional<unsigned> previous(unsigned number, const RegisterTable &table) const {
    Coordinates place = layout.ofRegister(number);
    if (place[dimension] % runSize() == (isReverse ? runSize() - 1 : 0))
      return std::nullopt;
    place[dimension] += isReverse ? 1 : -1;
    return table.find(place);
  }
  /// `elements` with the neutral one in the last place.
  SmallVector<Value> withoutLast(ArrayRef<Value> elements) {
    int32_t last = isReverse ? 0 : layout.shape[dimension] - 1, ofThreads = 0;
    for (const ScannedBit &bit : bits)
      if (bit.where != ScannedBit::Register && !isReverse)
        ofThreads |= bit.value;
    Value isLast =
        arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, d.coordinates(layout)[dimension], d.index(ofThreads));
    SmallVector<Value> result(elements);
    for (auto [number, element] : llvm::enumerate(result))
      if (layout.ofRegister(number)[dimension] == last - ofThreads)
        element = arith::SelectOp::create(d.b, isLast, none, element);
    return result;
  }

private:
  /// Neighbouring registers whose elements are neighbours.
  struct Run {
    Coordinates first;
    Value before, total;
  };

  int32_t runSize() const { return 1 << runBits; }
  unsigned runOf(Coordinates place) const {
    place[dimension] -= place[dimension] % runSize();
    return numbers.find(place)->second;
  }
  Run &runAt(Coordinates place, int64_t offset) {
    place[dimension] += offset;
    return runs[runOf(place)];
  }

  void sumRuns(ArrayRef<Value> elements) {
    RegisterTable table(layout);
    runs.clear();
    numbers.clear();
    prefixes.assign(elements.begin(), elements.end());
    for (unsigned number = 0; number < layout.numRegisters(); ++number) {
      Coordinates place = layout.ofRegister(number);
      if (place[dimension] % runSize() || *table.find(place) != number)
        continue;
      numbers[place] = runs.size();
      Coordinates first = place;
      Value total;
      for (int32_t i = 0; i < runSize(); ++i) {
        place[dimension] = first[dimension] + inOrder(i, runSize());
        Value &prefix = prefixes[*table.find(place)];
        total = prefix = total ? combine(total, prefix) : prefix;
      }
      runs.push_back({first, nullptr, total});
    }
  }

  /// Which of `count` places comes after `i` others.
  int64_t inOrder(int64_t i, int64_t count) const { return isReverse ? count - 1 - i : i; }

  void putBefore(Run &run, Value sum) { run.before = run.before ? combine(sum, run.before) : sum; }

  void joinRegisters(int64_t value) {
    for (Run &low : runs) {
      if (low.first[dimension] % layout.unitSize(dimension) & value)
        continue;
      Run &high = runAt(low.first, value);
      putBefore(isReverse ? low : high, (isReverse ? high : low).total);
      low.total = high.total = combine(low.total, high.total);
    }
  }

  void joinLanes(unsigned bit) {
    Value own = arith::AndIOp::create(d.b, d.lane(), d.i32(int64_t(1) << bit));
    auto wanted = isReverse ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
    Value isSecond = arith::CmpIOp::create(d.b, wanted, own, d.i32(0));
    for (Run &run : runs) {
      Value other = shuffleXor(d, run.total, uint32_t(1) << bit);
      Value alone = run.before ? run.before : none;
      putBefore(run, other);
      run.before = arith::SelectOp::create(d.b, isSecond, run.before, alone);
      run.total = combine(run.total, other); // In either order: the same bits in both lanes.
    }
  }

  /// The layout of the sums that warps exchange, without those of their bits and all lower ones.
  Layout exchanged(ArrayRef<ScannedBit> warps) {
    int64_t end = warps.back().value * 2;
    Layout sums = layout;
    for (tile::Bases *bases : {&sums.registers, &sums.lanes, &sums.warps})
      for (Coordinates &basis : *bases)
        basis[dimension] = basis[dimension] < end ? 0 : basis[dimension] / end;
    llvm::erase_if(sums.registers, [](const Coordinates &basis) { return tile::isZero(basis); });
    sums.shape[dimension] /= end;
    return sums;
  }

  void joinWarps(ArrayRef<ScannedBit> warps) {
    Layout sums = exchanged(warps);
    int64_t end = warps.back().value * 2, count = int64_t(1) << warps.size();
    constexpr int64_t kWholeRows = int64_t(1) << 40;
    SharedPlaces places(sums.shape, sums.rank() - 1, kWholeRows, elementBytes(d.vectorOf(runs.front().total)));
    int64_t size = places.numElements();
    Value memory = d.allocateShared(size * count, none.getType()), own = d.i32(0);
    uint32_t mask = 0;
    for (auto [position, bit] : llvm::enumerate(warps)) {
      mask |= uint32_t(1) << bit.number;
      Value set = arith::AndIOp::create(d.b, arith::ShRUIOp::create(d.b, d.warp(), d.i32(bit.number)), d.i32(1));
      own = arith::OrIOp::create(d.b, own, arith::ShLIOp::create(d.b, set, d.i32(position)));
    }
    RegisterTable table(sums);
    auto registerOf = [&](const Run &run) {
      Coordinates place = run.first;
      place[dimension] /= end;
      return *table.find(place);
    };
    llvm::MapVector<unsigned, Value> parts; // By their registers.
    for (const Run &run : runs)
      parts.insert({registerOf(run), run.total});
    d.onlyIf(d.isFirstCopy(sums, /*exceptWarps=*/mask), [&] {
      SharedPlaces::OfThread at(d, places, sums, arith::MulIOp::create(d.b, own, d.i32(size)));
      for (auto [number, part] : parts)
        memref::StoreOp::create(d.b, part, memory, ValueRange{at[number]});
    });
    SharedPlaces::OfThread at(d, places, sums);
    llvm::DenseMap<unsigned, Value> before;
    for (auto &[number, total] : parts) {
      Value place = at[number], sum, &ofOthers = before[number] = none;
      for (int64_t position = 0; position < count; ++position) {
        int64_t i = inOrder(position, count);
        auto isNotBefore = isReverse ? arith::CmpIPredicate::ule : arith::CmpIPredicate::uge;
        if (position)
          ofOthers =
              arith::SelectOp::create(d.b, arith::CmpIOp::create(d.b, isNotBefore, own, d.i32(i)), sum, ofOthers);
        Value each = memref::LoadOp::create(d.b, memory, ValueRange{d.add(place, i * size)});
        sum = sum ? combine(sum, each) : each;
      }
      total = sum;
    }
    for (Run &run : runs) {
      putBefore(run, before[registerOf(run)]);
      run.total = parts[registerOf(run)];
    }
  }

  void joinUnits() {
    int64_t unit = layout.unitSize(dimension), count = layout.repeats[dimension];
    for (Run &first : runs) {
      if (first.first[dimension] >= unit)
        continue;
      Value total;
      for (int64_t i = 0; i < count; ++i) {
        Run &next = runAt(first.first, inOrder(i, count) * unit);
        if (total)
          putBefore(next, total);
        total = total ? combine(total, next.total) : next.total;
      }
      for (int64_t i = 0; i < count; ++i)
        runAt(first.first, i * unit).total = total;
    }
  }

  Distribution &d;
  CombiningKind kind;
  Layout layout;
  unsigned dimension;
  bool isReverse;
  SmallVector<ScannedBit> bits;
  unsigned runBits = 0; ///< Of `bits`, those within runs.
  Value none;
  SmallVector<Run> runs;
  std::map<Coordinates, unsigned> numbers; ///< Of runs, by where they begin.
  SmallVector<Value> prefixes;
};
} // namespace

/// By upstream's lowering (LowerVectorScan.cpp): an inclusive scan does not use the initial value, and the accumulated
/// value is the last element of the result.
LogicalResult distributeScan(Distribution &d, vector::ScanOp op) {
  unsigned dimension = op.getReductionDim();
  const Layout &layout = d.layoutOf(op.getDest());
  const Layout &ofTotals = d.layoutOf(op.getAccumulatedValue());
  RegisterTable table(layout), totals(ofTotals);
  SmallVector<Value> source = d.elements(d.get(op.getSource())), result(source.size());
  SmallVector<Value> initial = d.elements(d.get(op.getInitialValue())), last(initial.size());
  Scan scan(d, op);
  scan.sum(source);
  auto initialOf = [&](unsigned number) {
    Coordinates kept = layout.ofRegister(number);
    kept.erase(kept.begin() + dimension);
    return initial[*totals.find(kept)];
  };
  for (unsigned number = 0; number < source.size(); ++number) {
    Value before = scan.before(number), own = scan.inRun(number);
    if (!op.getInclusive()) {
      before = before ? scan.combine(initialOf(number), before) : initialOf(number);
      std::optional<unsigned> previous = scan.previous(number, table);
      own = previous ? scan.inRun(*previous) : Value();
    }
    result[number] = before && own ? scan.combine(before, own) : before ? before : own;
  }
  d.set(op.getDest(), d.vectorOf(result));
  if (!op.getInclusive() && !op.getAccumulatedValue().use_empty())
    scan.sum(scan.withoutLast(source));
  for (unsigned number = 0; number < last.size(); ++number) {
    Coordinates place = ofTotals.ofRegister(number);
    place.insert(place.begin() + dimension, 0);
    last[number] = scan.total(place);
    if (!op.getInclusive())
      last[number] = scan.combine(initial[number], last[number]);
  }
  d.set(op.getAccumulatedValue(), d.vectorOf(last));
  return success();
}
} // namespace lispier
