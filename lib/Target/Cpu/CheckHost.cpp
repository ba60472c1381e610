//===- CheckHost.cpp - checks of allocations and copies --------------------===//
//
// Inserts a run-time check before allocations and copies of host code whose sizes
// are not constant, and before questions for the size of a dimension that is not: a branch to a runtime call that
// reports the error, its location and the sizes, and ends the program. Before the allocation of a memory plan, a call
// that says what it is for. Wrong constants are compile-time errors, also
// in divisions; lispier-check-divisions checks the other divisions. Runs right before
// a target's own lowering: linalg ops are loops by now, and copies still have their
// memrefs.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CHECKHOST
#include "lispier/Target/Cpu/Passes.h.inc"

namespace {
class HostChecker {
public:
  HostChecker(func::FuncOp function, RuntimeCalls &calls, StringRef target)
      : function(function), calls(calls), target(target) {}

  LogicalResult check(Operation *op) {
    return TypeSwitch<Operation *, LogicalResult>(op)
        .Case<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(
            [&](auto op) { return division(op, true); })
        .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>([&](auto op) { return division(op, false); })
        .Case<memref::AllocOp, gpu::AllocOp>(
            [&](auto op) { return allocation(op, cast<MemRefType>(op->getResult(0).getType()), op.getDynamicSizes()); })
        .Case([&](memref::ReallocOp op) {
          Value size = op.getDynamicResultSize();
          return allocation(op, op.getType(), size ? ValueRange(size) : ValueRange());
        })
        .Case([&](memref::DimOp op) { return dimension(op); })
        .Case([&](memref::CopyOp op) { return copy(op, op.getSource(), op.getTarget()); })
        .Case([&](gpu::MemcpyOp op) { return copy(op, op.getSrc(), op.getDst()); })
        .Default(success());
  }

private:
  Value i64(OpBuilder &b, Location loc, int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); }
  Value wide(OpBuilder &b, Location loc, Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  Value compare(OpBuilder &b, Location loc, arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }

  OpBuilder branch(OpBuilder &b, Location loc, Value fails) {
    return scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false).getThenBodyBuilder();
  }
  Value code(OpBuilder &b, Location loc, StringRef what) { return calls.text(b, loc, (target + "-" + what).str()); }

  //===-- Divisions by constants ------------------------------------------===//

  /// Whether some lane of a constant divisor satisfies `is`; nullopt if the divisor is not constant.
  static std::optional<bool> anyLane(Value divisor, llvm::function_ref<bool(const APInt &)> is) {
    Attribute known;
    if (!matchPattern(divisor, m_Constant(&known)))
      return std::nullopt;
    if (auto number = dyn_cast<IntegerAttr>(known))
      return is(number.getValue());
    if (auto lanes = dyn_cast<DenseIntElementsAttr>(known))
      return llvm::any_of(lanes.getValues<APInt>(), is);
    return std::nullopt;
  }

  LogicalResult division(Operation *op, bool isSigned) {
    Value dividend = op->getOperand(0), divisor = op->getOperand(1);
    Type element = getElementTypeOrSelf(divisor.getType());
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    isSigned &= bits > 1;
    std::optional<bool> zero = anyLane(divisor, [](const APInt &v) { return v.isZero(); });
    std::optional<bool> minusOne = anyLane(divisor, [](const APInt &v) { return v.isAllOnes(); });
    if (zero == true)
      return op->emitError("integer division by zero");
    APInt least = APInt::getSignedMinValue(bits);
    if (minusOne == true && isSigned && !isa<VectorType>(divisor.getType()) &&
        anyLane(dividend, [&](const APInt &v) { return v == least; }).value_or(false))
      return op->emitError("integer division overflows: the least number by -1");
    return success();
  }

  //===-- Memory ----------------------------------------------------------===//

  /// An array of i64 on the stack, in the entry block so that a loop does not grow the stack.
  Value numbers(OpBuilder &b, Location loc, ValueRange values) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
    Value memory = LLVM::AllocaOp::create(entry, loc, pointer, b.getI64Type(),
                                          i64(entry, loc, std::max<int64_t>(values.size(), 1)));
    for (auto [i, value] : llvm::enumerate(values)) {
      Value place =
          LLVM::GEPOp::create(b, loc, pointer, b.getI64Type(), memory, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(b, loc, value, place);
    }
    return memory;
  }

  /// A lower bound of the element's size in bytes: 1 for types other than numbers.
  static int64_t elementBytes(Type type) {
    Type element = getElementTypeOrSelf(type);
    bool isNumber = element.isIntOrIndexOrFloat() || isa<ComplexType>(element);
    return isNumber ? byteSize(type) : 1;
  }

  /// Says what the memory is for.
  void describe(Operation *op) {
    auto plan = op->getAttrOfType<StringAttr>(kMemoryPlanAttr);
    if (!plan)
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    calls.call(b, loc, "lispier_rt_plan_allocation",
               {code(b, loc, "allocation"), calls.site(b, loc), calls.text(b, loc, plan)});
  }

  LogicalResult allocation(Operation *op, MemRefType type, ValueRange dynamicSizes) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    int64_t element = elementBytes(type.getElementType()), known = std::max<int64_t>(element, 1);
    bool tooLarge = false;
    for (int64_t size : type.getShape())
      tooLarge |= !ShapedType::isDynamic(size) && llvm::MulOverflow(known, size, known);
    if (dynamicSizes.empty() && !tooLarge) {
      describe(op);
      return success();
    }
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value fails;
    SmallVector<Value> given;
    for (Value size : dynamicSizes)
      given.push_back(wide(b, loc, size));
    if (tooLarge) { // Not a compile-time error, since the program may never execute it.
      fails = arith::ConstantIntOp::create(b, loc, 1, 1);
    } else if (given.size() == 1) { // An unsigned comparison also finds negative sizes.
      fails = compare(b, loc, arith::CmpIPredicate::ugt, given[0], i64(b, loc, kMost / std::max<int64_t>(known, 1)));
    } else {
      Value total = i64(b, loc, known), sign = total, carry = i64(b, loc, 0);
      for (Value size : given) {
        auto product = arith::MulUIExtendedOp::create(b, loc, total, size);
        total = product.getLow();
        sign = arith::OrIOp::create(b, loc, sign, arith::OrIOp::create(b, loc, size, total));
        carry = arith::OrIOp::create(b, loc, carry, product.getHigh());
      }
      Value zero = i64(b, loc, 0);
      fails = arith::OrIOp::create(b, loc, compare(b, loc, arith::CmpIPredicate::slt, sign, zero),
                                   compare(b, loc, arith::CmpIPredicate::ne, carry, zero));
    }
    OpBuilder then = branch(b, loc, fails);
    SmallVector<Value> sizes;
    for (auto [i, size] : llvm::enumerate(type.getShape()))
      sizes.push_back(type.isDynamicDim(i) ? given[type.getDynamicDimIndex(i)] : i64(then, loc, size));
    calls.call(then, loc, "lispier_rt_allocation_failed",
               {code(then, loc, "allocation"), calls.site(then, loc), i64(then, loc, sizes.size()),
                numbers(then, loc, sizes), i64(then, loc, element)});
    describe(op);
    return success();
  }

  /// IRGen has checked constants.
  LogicalResult dimension(memref::DimOp op) {
    if (op.getConstantIndex())
      return success();
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    Value index = wide(b, loc, op.getIndex());
    Value rank = type ? i64(b, loc, type.getRank()) : wide(b, loc, memref::RankOp::create(b, loc, op.getSource()));
    OpBuilder then = branch(b, loc, compare(b, loc, arith::CmpIPredicate::uge, index, rank));
    calls.call(then, loc, "lispier_rt_dimension_failed",
               {code(then, loc, "dimension"), calls.site(then, loc), index, rank});
    return success();
  }

  LogicalResult copy(Operation *op, Value from, Value to) {
    auto source = dyn_cast<MemRefType>(from.getType()), target = dyn_cast<MemRefType>(to.getType());
    if (!source || !target)
      return unrankedCopy(op, from, to);
    if (source.getRank() != target.getRank() || (source.hasStaticShape() && source.getShape() == target.getShape()))
      return success();
    OpBuilder b(op);
    Location loc = op->getLoc();
    SmallVector<Value> fromSizes, toSizes;
    Value fails;
    for (int64_t i = 0; i < source.getRank(); ++i) {
      for (auto [memref, sizes] : {std::pair(from, &fromSizes), std::pair(to, &toSizes)})
        sizes->push_back(wide(b, loc, memref::DimOp::create(b, loc, memref, i)));
      Value differ = compare(b, loc, arith::CmpIPredicate::ne, fromSizes.back(), toSizes.back());
      fails = fails ? arith::OrIOp::create(b, loc, fails, differ).getResult() : differ;
    }
    OpBuilder then = branch(b, loc, fails);
    Value rank = i64(then, loc, source.getRank());
    copyFails(then, loc, rank, numbers(then, loc, fromSizes), rank, numbers(then, loc, toSizes));
    return success();
  }

  void copyFails(OpBuilder &b, Location loc, Value fromRank, Value from, Value toRank, Value to) {
    calls.call(b, loc, "lispier_rt_copy_failed",
               {code(b, loc, "copy"), calls.site(b, loc), fromRank, from, toRank, to});
  }

  /// Of a memref whose rank is known at run time, as an array. The program ends where this is called, so that it may
  /// grow the stack.
  Value sizesOf(OpBuilder &b, Location loc, Value memref, Value rank) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value sizes = LLVM::AllocaOp::create(b, loc, pointer, b.getI64Type(), wide(b, loc, rank));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    scf::ForOp::create(b, loc, zero, rank, one, {}, [&](OpBuilder &body, Location, Value i, ValueRange) {
      Value place =
          LLVM::GEPOp::create(body, loc, pointer, b.getI64Type(), sizes, ArrayRef<LLVM::GEPArg>{wide(body, loc, i)});
      LLVM::StoreOp::create(body, loc, wide(body, loc, memref::DimOp::create(body, loc, memref, i)), place);
      scf::YieldOp::create(body, loc);
    });
    return sizes;
  }

  LogicalResult unrankedCopy(Operation *op, Value from, Value to) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value fromRank = memref::RankOp::create(b, loc, from), toRank = memref::RankOp::create(b, loc, to);
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    Value ranksDiffer = compare(b, loc, arith::CmpIPredicate::ne, fromRank, toRank);
    Value common = arith::SelectOp::create(b, loc, ranksDiffer, zero, fromRank);
    auto loop = scf::ForOp::create(
        b, loc, zero, common, one, ranksDiffer, [&](OpBuilder &body, Location, Value i, ValueRange differ) {
          Value size = memref::DimOp::create(body, loc, from, i);
          Value other = memref::DimOp::create(body, loc, to, i);
          Value differs = compare(body, loc, arith::CmpIPredicate::ne, size, other);
          scf::YieldOp::create(body, loc, arith::OrIOp::create(body, loc, differ[0], differs).getResult());
        });
    OpBuilder then = branch(b, loc, loop.getResult(0));
    copyFails(then, loc, wide(then, loc, fromRank), sizesOf(then, loc, from, fromRank), wide(then, loc, toRank),
              sizesOf(then, loc, to, toRank));
    return success();
  }

  func::FuncOp function;
  RuntimeCalls &calls;
  StringRef target;
};

struct CheckHost : impl::CheckHostBase<CheckHost> {
  using CheckHostBase::CheckHostBase;
  void runOnOperation() override {
    RuntimeCalls calls(getOperation());
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function.isExternal() || function->hasAttr(device::kChecked))
        continue;
      SmallVector<Operation *> ops;
      function.walk([&](Operation *op) { ops.push_back(op); });
      HostChecker checker(function, calls, target);
      for (Operation *op : ops)
        if (failed(checker.check(op)))
          return signalPassFailure();
    }
  }
};
} // namespace
} // namespace lispier
