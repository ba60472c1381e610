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
/// What changes no value that it is combined with.
TypedAttr neutral(OpBuilder &b, CombiningKind kind, Type type) {
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    switch (kind) {
    case CombiningKind::ADD:
      return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
    case CombiningKind::MUL:
      return FloatAttr::get(type, 1.0);
    case CombiningKind::MINIMUMF:
    case CombiningKind::MAXIMUMF:
      return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/kind == CombiningKind::MAXIMUMF));
    default: // MINNUMF and MAXNUMF ignore NaNs.
      return FloatAttr::get(type, APFloat::getNaN(semantics));
    }
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  switch (kind) {
  case CombiningKind::MUL:
    return b.getIntegerAttr(type, APInt(width, 1));
  case CombiningKind::MINSI:
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(width));
  case CombiningKind::MAXSI:
    return b.getIntegerAttr(type, APInt::getSignedMinValue(width));
  case CombiningKind::MINUI:
  case CombiningKind::AND:
    return b.getIntegerAttr(type, APInt::getAllOnes(width));
  default: // ADD, MAXUI, OR, XOR
    return b.getIntegerAttr(type, APInt::getZero(width));
  }
}

class Scan {
public:
  Scan(Distribution &d, CombiningKind kind, const Layout &layout, unsigned dimension, Type element)
      : d(d), kind(kind), layout(layout), dimension(dimension), bits(scannedBits(layout, dimension)),
        none(arith::ConstantOp::create(d.b, neutral(d.b, kind, element))) {
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
    if (place[dimension] % runSize() == 0)
      return std::nullopt;
    --place[dimension];
    return table.find(place);
  }
  /// `elements` with the neutral one in the last place.
  SmallVector<Value> withoutLast(ArrayRef<Value> elements) {
    int32_t last = layout.shape[dimension] - 1, ofThreads = 0;
    for (const ScannedBit &bit : bits)
      if (bit.where != ScannedBit::Register)
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
      for (int32_t i = 0; i < runSize(); ++i, ++place[dimension]) {
        Value &prefix = prefixes[*table.find(place)];
        total = prefix = total ? combine(total, prefix) : prefix;
      }
      runs.push_back({first, nullptr, total});
    }
  }

  void putBefore(Run &run, Value sum) { run.before = run.before ? combine(sum, run.before) : sum; }

  void joinRegisters(int64_t value) {
    for (Run &low : runs) {
      if (low.first[dimension] % layout.unitSize(dimension) & value)
        continue;
      Run &high = runAt(low.first, value);
      putBefore(high, low.total);
      low.total = high.total = combine(low.total, high.total);
    }
  }

  void joinLanes(unsigned bit) {
    Value own = arith::AndIOp::create(d.b, d.lane(), d.i32(int64_t(1) << bit));
    Value isHigh = arith::CmpIOp::create(d.b, arith::CmpIPredicate::ne, own, d.i32(0));
    for (Run &run : runs) {
      Value other = shuffleXor(d, run.total, uint32_t(1) << bit);
      Value low = run.before ? run.before : none;
      putBefore(run, other);
      run.before = arith::SelectOp::create(d.b, isHigh, run.before, low);
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
      Value place = at[number], sum, &smaller = before[number] = none;
      for (int64_t i = 0; i < count; ++i) {
        if (i)
          smaller = arith::SelectOp::create(d.b, arith::CmpIOp::create(d.b, arith::CmpIPredicate::uge, own, d.i32(i)),
                                            sum, smaller);
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
    int64_t unit = layout.unitSize(dimension);
    for (Run &first : runs) {
      if (first.first[dimension] >= unit)
        continue;
      Value total = first.total;
      for (int64_t i = 1; i < layout.repeats[dimension]; ++i) {
        Run &next = runAt(first.first, i * unit);
        putBefore(next, total);
        total = combine(total, next.total);
      }
      for (int64_t i = 0; i < layout.repeats[dimension]; ++i)
        runAt(first.first, i * unit).total = total;
    }
  }

  Distribution &d;
  CombiningKind kind;
  Layout layout;
  unsigned dimension;
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
  Scan scan(d, op.getKind(), layout, dimension, getElementTypeOrSelf(op.getDest().getType()));
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
