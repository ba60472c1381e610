//===- DecomposeArgsort.cpp - lower nn.argsort to loops -------------------===//
//
// A radix sort of each row, by a thread for each: from the lowest eight bits of the
// keys to the highest, elements are stored behind those of lower digits, in order.
//
// A key is a number's bits, changed so that unsigned integers have the order of the
// numbers, at the upper end of an i64 whose lower half is the number's place. Keys of
// 64 bits are sorted by their lower half, then by the upper one.
//
// Of long rows of which few places are wanted only those elements are sorted whose
// first eleven bits are among the least: those of the K-th and of all before it.
//
//===----------------------------------------------------------------------===//
#include "DecomposeArgsort.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace lispier::nn {
namespace {
constexpr int64_t kDigit = 8, kFirstDigit = 11;

class RowSorter {
public:
  RowSorter(LoopBuilder &b, ArgsortOp op)
      : b(b), op(op), type(getElementTypeOrSelf(op.getX())), width(type.isIndex() ? 64 : type.getIntOrFloatBitWidth()),
        elements(b.size(op.getX(), 1)), places(b.size(op.getOut(), 1)) {}

  void emit() {
    b.forAll(b.size(op.getX(), 0), [&](ValueRange at) { sortRow(at[0]); });
  }

private:
  Value shiftedRight(Value number, Value bits) { return arith::ShRUIOp::create(b, number, bits); }
  Value asIndex(Value number) { return arith::IndexCastOp::create(b, b.getIndexType(), number); }
  Value loadScratch(Value at) { return memref::LoadOp::create(b, op.getScratch(), at); }
  void storeScratch(Value number, Value at) { memref::StoreOp::create(b, number, op.getScratch(), at); }
  Value integer(APInt value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(value.getBitWidth()), value));
  }

  /// The number's key, i64: the least number's is 0.
  Value keyOf(Value number) {
    auto bits = b.getIntegerType(width);
    Value least = integer(APInt::getSignedMinValue(width)), key = number;
    if (type.isIndex())
      key = arith::IndexCastOp::create(b, bits, number);
    if (isa<FloatType>(type)) {
      Value zero = arith::ConstantOp::create(b, b.getFloatAttr(type, 0));
      Value isZero = b.compare(CmpFPredicate::OEQ, number, zero), isNan = b.compare(CmpFPredicate::UNO, number, number);
      key = arith::BitcastOp::create(b, bits, b.select(isZero, zero, number));
      // Behind the sign, the bits of a negative float are its magnitude's.
      Value isNegative = b.compare(CmpIPredicate::slt, key, integer(APInt(width, 0)));
      key = b.select(isNegative, b.sub(least, key), key);
      key = b.select(isNan, integer(APInt::getSignedMaxValue(width)), key);
    }
    if (width > 1) // 1 is greater than 0, whose type is of one bit.
      key = arith::XOrIOp::create(b, key, least);
    Value flip = op.getDescending();
    if (width > 32)
      flip = arith::ExtSIOp::create(b, bits, flip);
    else if (width < 32)
      flip = arith::TruncIOp::create(b, bits, flip);
    key = arith::XOrIOp::create(b, key, flip);
    return width < 64 ? Value(arith::ExtUIOp::create(b, b.getI64Type(), key)) : key;
  }

  /// Half of the key, and the place behind it.
  Value taggedKey(Value row, Value place, bool isUpper) {
    Value key = keyOf(memref::LoadOp::create(b, op.getX(), ValueRange{row, place}));
    if (width == 64 && isUpper)
      key = shiftedRight(key, b.i64(32));
    key = arith::ShLIOp::create(b, key, b.i64(width == 64 ? 32 : 64 - width));
    return arith::OrIOp::create(b, key, arith::IndexCastOp::create(b, b.getI64Type(), place));
  }
  Value placeOf(Value tagged) { return asIndex(arith::AndIOp::create(b, tagged, b.i64(0xffffffff))); }

  Value digitOf(Value tagged, Value shift, int64_t bits) {
    return asIndex(arith::AndIOp::create(b, shiftedRight(tagged, shift), b.i64((1 << bits) - 1)));
  }
  void clearCounts(int64_t bits) {
    b.forEach(b.index(1 << bits), [&](Value d) { storeScratch(b.i64(0), b.add(counts, d)); });
  }
  /// Adds 1 to the count of a digit, and returns what it was before.
  Value count(Value digit) {
    Value at = b.add(counts, digit), old = loadScratch(at);
    storeScratch(b.add(old, b.i64(1)), at);
    return old;
  }

  void sortRow(Value row) {
    Value share = b.add(b.mul(elements, b.index(3)), b.index(256));
    first = b.mul(row, share);
    second = b.add(first, elements);
    counts = b.add(second, elements);
    // Of 2048 elements on the memory behind the two buffers holds as many counts.
    Value isLong = b.compare(CmpIPredicate::uge, elements, b.index(1 << kFirstDigit));
    Value areFew = b.compare(CmpIPredicate::ult, places, elements);
    Value taken = b.choose(
        arith::AndIOp::create(b, isLong, areFew), b.getIndexType(), [&] { return takeLeast(row); },
        [&] {
          b.forEach(elements, [&](Value i) { storeScratch(taggedKey(row, i, false), b.add(first, i)); });
          return elements;
        });
    sortHalf(taken);
    if (width == 64) {
      b.forEach(taken, [&](Value i) {
        Value at = b.add(first, i);
        storeScratch(taggedKey(row, placeOf(loadScratch(at)), true), at);
      });
      sortHalf(taken);
    }
    Value sorted = passes() % 2 ? second : first;
    b.forEach(places, [&](Value i) {
      Value place = arith::TruncIOp::create(b, b.getI32Type(), loadScratch(b.add(sorted, i)));
      memref::StoreOp::create(b, place, op.getOut(), ValueRange{row, i});
    });
  }

  /// Stores the tagged keys whose first digit is at most the K-th element's; returns how many these are.
  Value takeLeast(Value row) {
    Value shift = b.i64(64 - kFirstDigit), zero = b.index(0);
    clearCounts(kFirstDigit);
    b.forEach(elements, [&](Value i) { count(digitOf(taggedKey(row, i, true), shift, kFirstDigit)); });
    // The digits before which there are fewer than K elements: up to the K-th element's.
    SmallVector<Value> digits =
        b.fold(b.index(1 << kFirstDigit), {zero, zero}, [&](Value d, ValueRange so) -> SmallVector<Value> {
          Value isUpTo = b.compare(CmpIPredicate::ult, so[0], places);
          return {b.add(so[0], asIndex(loadScratch(b.add(counts, d)))),
                  b.add(so[1], b.select(isUpTo, b.index(1), zero))};
        });
    return b.fold(elements, zero, [&](Value i, ValueRange so) -> SmallVector<Value> {
      Value digit = digitOf(taggedKey(row, i, true), shift, kFirstDigit);
      storeScratch(taggedKey(row, i, false), b.add(first, so[0]));
      Value isTaken = b.compare(CmpIPredicate::ult, digit, digits[1]);
      return {b.add(so[0], b.select(isTaken, b.index(1), zero))};
    })[0];
  }

  int64_t passes() const { return (std::min<int64_t>(width, 32) + kDigit - 1) / kDigit; }

  /// Sorts the elements in the first buffer by the half of their keys that is there.
  void sortHalf(Value size) {
    int64_t lowest = 64 - std::min<int64_t>(width, 32);
    for (int64_t pass = 0; pass < passes(); ++pass)
      sortByDigit(size, b.i64(lowest + pass * kDigit), pass % 2 ? second : first, pass % 2 ? first : second);
  }

  void sortByDigit(Value size, Value shift, Value from, Value to) {
    clearCounts(kDigit);
    b.forEach(size, [&](Value i) { count(digitOf(loadScratch(b.add(from, i)), shift, kDigit)); });
    b.fold(b.index(1 << kDigit), b.i64(0), [&](Value d, ValueRange so) -> SmallVector<Value> {
      Value at = b.add(counts, d), here = loadScratch(at);
      storeScratch(so[0], at);
      return {b.add(so[0], here)};
    });
    b.forEach(size, [&](Value i) {
      Value tagged = loadScratch(b.add(from, i));
      storeScratch(tagged, b.add(to, asIndex(count(digitOf(tagged, shift, kDigit)))));
    });
  }

  LoopBuilder &b;
  ArgsortOp op;
  Type type;
  int64_t width;
  Value elements, places;
  Value first, second, counts; ///< Where the row's parts of the scratch memory begin.
};
} // namespace

void decompose(LoopBuilder &b, ArgsortOp op) { RowSorter(b, op).emit(); }
} // namespace lispier::nn
