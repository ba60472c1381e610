//===- DistributeScattered.cpp - gather, scatter and atomic additions -----===//
#include "Distribution.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
/// Index tiles, and an optional mask, element by element.
struct Places {
  Places(Distribution &d, Value base, ValueRange indices, Value mask) : d(d), memory(d.get(base)) {
    for (Value index : indices)
      along.push_back(d.elements(d.get(index)));
    if (mask)
      isOn = d.elements(d.get(mask));
  }

  SmallVector<Value> indices(unsigned number) {
    return llvm::map_to_vector(along, [&](ArrayRef<Value> each) { return each[number]; });
  }
  /// Whether the element is inside of the memref, and its mask true.
  Value isAccessed(unsigned number) {
    Value all = isOn.empty() ? Value() : isOn[number];
    for (auto [dimension, index] : llvm::enumerate(indices(number))) {
      Value size = d.b.createOrFold<memref::DimOp>(memory, static_cast<int64_t>(dimension));
      all = d.both(all, arith::CmpIOp::create(d.b, arith::CmpIPredicate::ult, index, size));
    }
    return all;
  }

  /// Ends the program unless the element is inside of the memref, or its mask is false.
  void require(unsigned number) {
    d.onlyIf(isOn.empty() ? Value() : isOn[number], [&] {
      for (auto [dimension, index] : llvm::enumerate(indices(number)))
        device::RequireIndexOp::create(
            d.b, index, d.b.createOrFold<memref::DimOp>(memory, static_cast<int64_t>(dimension)), dimension);
    });
  }

  Distribution &d;
  Value memory;
  SmallVector<SmallVector<Value>> along;
  SmallVector<Value> isOn;
};

LogicalResult gather(Distribution &d, tile::GatherOp op) {
  Places places(d, op.getBase(), op.getIndices(), op.getMask());
  Value otherwise = d.get(op.getOtherwise());
  SmallVector<Value> result;
  for (unsigned i = 0; i < d.layoutOf(op.getResult()).numRegisters(); ++i) {
    if (op.getRequired())
      places.require(i);
    result.push_back(d.choose(
        places.isAccessed(i), otherwise.getType(),
        [&] { return memref::LoadOp::create(d.b, places.memory, places.indices(i)).getResult(); },
        [&] { return otherwise; }));
  }
  d.set(op.getResult(), d.vectorOf(result));
  return success();
}

template <typename Op> LogicalResult write(Distribution &d, Op op) {
  Places places(d, op.getBase(), op.getIndices(), op.getMask());
  SmallVector<Value> elements = d.elements(d.get(op.getValue()));
  d.onlyIf(d.isFirstCopy(d.layoutOf(op.getValue())), [&] {
    for (auto [number, element] : llvm::enumerate(elements))
      d.onlyIf(places.isAccessed(number), [&, number = number, element = element] {
        SmallVector<Value> indices = places.indices(number);
        if constexpr (std::is_same_v<Op, tile::ScatterOp>) {
          memref::StoreOp::create(d.b, element, places.memory, indices);
        } else {
          auto kind = isa<FloatType>(element.getType()) ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
          memref::AtomicRMWOp::create(d.b, kind, element, places.memory, indices);
        }
      });
  });
  return success();
}
} // namespace

LogicalResult distributeScattered(Distribution &d, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::GatherOp op) { return gather(d, op); })
      .Case<tile::ScatterOp, tile::AtomicAddOp>([&](auto op) { return write(d, op); });
}
} // namespace lispier
