//===- TimeGroups.cpp - group.begin and group.end around kernels ----------===//
//
// Before: kernels of tensor ops on memrefs, as group.kernel or as what is in place of
// one. After: each between group.begin and group.end, which become calls of the
// runtime when the code between them is scalar (lispier-call-kernel-times). Ops of
// one kernel stay together; those of two are no longer fused by later passes.
//
//===----------------------------------------------------------------------===//
#include "Groups/NamedSizes.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lispier {
#define GEN_PASS_DEF_TIMEGROUPS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// The sizes that NamedSizes names, as polynomials in values that exist before the kernel.
class SizesBefore {
public:
  SizesBefore(Operation *kernel, const NamedSizes &names)
      : kernel(kernel), names(names), b(kernel), loc(kernel->getLoc()) {}

  /// Null if the size depends on something that is not known before the kernel.
  Value emit(const SymbolicSize &size) {
    bool isKnown = true;
    SymbolicSize inValues = size.replace([&](const void *symbol) {
      Value value = valueOf(NamedSizes::nameOf(symbol));
      isKnown &= bool(value);
      return value ? SymbolicSize::symbol(value.getAsOpaquePointer()) : SymbolicSize();
    });
    return isKnown ? inValues.emit(b, loc) : Value();
  }

private:
  Value valueOf(StringRef name) {
    auto [known, isNew] = values.try_emplace(name);
    if (isNew)
      known->second = make(name);
    return known->second;
  }

  Value make(StringRef name) {
    auto [value, dimension] = names.sizeOf(name);
    if (!value)
      std::tie(value, dimension) = SizeNames::argumentOf(kernel, name);
    return value && isBefore(value) ? sizeOf(value, dimension) : Value();
  }

  /// Whether the value is one of those outside of the kernel, of which its operands are made.
  bool isBefore(Value value) { return !kernel->isAncestor(value.getParentRegion()->getParentOp()); }

  Value sizeOf(Value value, int64_t dimension) {
    if (dimension < 0)
      return value.getType().isIndex() ? value : b.createOrFold<arith::IndexCastOp>(loc, b.getIndexType(), value);
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type || dimension >= type.getRank())
      return {};
    return b.createOrFold<memref::DimOp>(loc, value, arith::ConstantIndexOp::create(b, loc, dimension));
  }

  Operation *kernel;
  const NamedSizes &names;
  OpBuilder b;
  Location loc;
  llvm::StringMap<Value> values;
};

/// How many microseconds a device takes at least, as F64: the longest time of a unit. Null if what the kernel does is
/// not known before it.
Value emitLeast(OpBuilder &b, Location loc, SizesBefore &sizes, ArrayRef<UnitWork> units) {
  Value least;
  for (const UnitWork &unit : units) {
    Value sum;
    for (auto &[count, each] : unit.parts) {
      Value size = sizes.emit(count);
      if (!size)
        return {};
      if (getConstantIntValue(size) == 0)
        continue;
      Value wide = b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), size);
      Value number = b.createOrFold<arith::SIToFPOp>(loc, b.getF64Type(), wide);
      Value factor = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(each));
      Value time = b.createOrFold<arith::MulFOp>(loc, number, factor);
      sum = sum ? b.createOrFold<arith::AddFOp>(loc, sum, time) : time;
    }
    if (sum)
      least = least ? b.createOrFold<arith::MaximumFOp>(loc, least, sum) : sum;
  }
  return least;
}

void putBetween(Operation *op, StringRef name, const KernelCost &cost, const NamedSizes &names,
                const DeviceSpeed &speed) {
  OpBuilder b(op);
  SizesBefore sizes(op, names);
  Value bytes = sizes.emit(cost.reads + cost.writes), least;
  if (speed.isKnown())
    least = emitLeast(b, op->getLoc(), sizes, cost.unitWork(speed));
  group::BeginOp::create(b, op->getLoc(), name, bytes, least);
  b.setInsertionPointAfter(op);
  group::EndOp::create(b, op->getLoc());
}

/// Whether threads other than the host's execute the op, or many of them.
bool isInThreads(Operation *op) {
  return op->getParentOfType<scf::ParallelOp>() || op->getParentOfType<scf::ForallOp>() ||
         op->getParentOfType<gpu::LaunchOp>();
}

struct TimeGroups : impl::TimeGroupsBase<TimeGroups> {
  using TimeGroupsBase::TimeGroupsBase;

  void runOnOperation() override {
    SmallVector<Operation *> kernels;
    getOperation().walk([&](Operation *op) {
      bool isKernel = isa<group::KernelOp>(op) || op->hasAttr(kKernelNameAttr);
      if (isKernel && op->getNumResults() == 0 && !isInThreads(op))
        kernels.push_back(op);
    });
    DeviceSpeed speed{gigabytes, teraflops, productFlops, exponentials};
    for (Operation *op : kernels) {
      if (auto kernel = dyn_cast<group::KernelOp>(op)) {
        NamedSizes names(kernel);
        KernelCost cost = names.cost();
        putBetween(op, kernel.getName(), cost, names, speed);
        continue;
      }
      auto cost = op->getAttrOfType<ArrayAttr>(kCostAttr);
      NamedSizes names(&getContext());
      putBetween(op, op->getAttrOfType<StringAttr>(kKernelNameAttr).getValue(),
                 cost ? KernelCost::of(cost) : KernelCost::unknown(&getContext()), names, speed);
    }
  }
};
} // namespace
} // namespace lispier
