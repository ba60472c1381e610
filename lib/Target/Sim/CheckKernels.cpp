//===- CheckKernels.cpp - checks before accesses of simulated kernels -----===//
//
// After GpuToHost, on the functions that it made. What a GPU would do silently
// (or by luck) becomes a report with the source line, the block and the thread.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Cpu/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CHECKKERNELS
#include "lispier/Target/Sim/Passes.h.inc"

namespace {
/// The widest access of a GPU thread; its vectors must be aligned to their size up to here.
constexpr int64_t kMaxVectorBytes = 16;

/// A complex number lies like its parts; everything else, when it has a size that an instruction takes, like its size.
int64_t alignment(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  int64_t bytes = byteSize(type);
  return llvm::isPowerOf2_64(bytes) ? std::min(bytes, kMaxVectorBytes) : 1;
}

class Checker {
public:
  Checker(func::FuncOp function, ModuleOp module) : calls(module), thread(function.getArgument(0)) {}

  void check(Operation *op) {
    if (std::optional<Access> found = accessOf(op)) {
      OpBuilder b(op);
      return access(b, op->getLoc(), *found);
    }
    TypeSwitch<Operation *>(op)
        .Case([&](vector::GatherOp gather) { lanes(gather, kSimRead); })
        .Case([&](vector::ScatterOp scatter) { lanes(scatter, kSimWrite); })
        .Case([&](LLVM::LoadOp load) {
          if (!load.getInvariant()) // the thread's own record
            pointer(load, load.getAddr(), load.getType(), kSimRead);
        })
        .Case([&](LLVM::StoreOp store) { pointer(store, store.getAddr(), store.getValue().getType(), kSimWrite); })
        .Case([&](memref::DimOp dim) { dimension(dim); })
        .Case([&](memref::SubViewOp view) { subview(view); })
        .Case([&](memref::ViewOp view) { bytesView(view); })
        .Case([&](memref::ReinterpretCastOp cast) { reinterpretation(cast); })
        .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](auto op) { shift(op); })
        .Case<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(
            [&](auto op) { division(op, true); })
        .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>([&](auto op) { division(op, false); });
  }

private:
  Value i64(OpBuilder &b, Location loc, int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); }
  Value i32(OpBuilder &b, Location loc, int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 32); }
  Value toI64(OpBuilder &b, Location loc, Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }

  void access(OpBuilder &b, Location loc, const Access &found) {
    auto [memref, indices, accessed, kind] = found;
    auto type = cast<MemRefType>(memref.getType());
    int64_t extent = found.extent();
    Value site = calls.site(b, loc);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    Value scale = arith::ConstantIndexOp::create(b, loc, byteSize(type.getElementType()));
    Value within = byteOf(b, loc, indices, metadata.getStrides(), scale);
    for (auto [i, index] : llvm::enumerate(indices)) {
      bool innermost = i + 1 == indices.size();
      Value size = memref::DimOp::create(b, loc, memref, static_cast<int64_t>(i));
      calls.call(b, loc, "lispier_sim_index",
                 {thread, site, toI64(b, loc, index), i64(b, loc, innermost ? extent : 1), toI64(b, loc, size),
                  i32(b, loc, i), toI64(b, loc, within)});
    }
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
    Value offset = arith::MulIOp::create(b, loc, metadata.getOffset(), scale);
    Value address = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, base, offset), within);
    reportAccess(b, loc, site, toI64(b, loc, address), accessed, kind);
  }

  /// One access for each lane whose mask is true, at its number behind the op's place in the innermost dimension.
  template <typename OpT> void lanes(OpT op, LispierSimAccess kind) {
    auto type = dyn_cast<MemRefType>(op.getBase().getType());
    if (!type || !type.getRank())
      return;
    VectorType shape = op.getIndexVectorType();
    for (int64_t lane = 0; lane < shape.getNumElements(); ++lane) {
      OpBuilder b(op);
      Location loc = op.getLoc();
      SmallVector<int64_t> at = delinearize(lane, computeStrides(shape.getShape()));
      Value isOn = vector::ExtractOp::create(b, loc, op.getMask(), at);
      Value number = vector::ExtractOp::create(b, loc, op.getIndices(), at);
      OpBuilder then = scf::IfOp::create(b, loc, isOn, /*withElseRegion=*/false).getThenBodyBuilder();
      if (!number.getType().isIndex())
        number = arith::IndexCastOp::create(then, loc, then.getIndexType(), number);
      SmallVector<Value> indices(op.getOffsets());
      indices.back() = arith::AddIOp::create(then, loc, indices.back(), number);
      access(then, loc, {op.getBase(), indices, type.getElementType(), kind});
    }
  }

  Value byteOf(OpBuilder &b, Location loc, ValueRange indices, ValueRange strides, Value elementBytes) {
    Value elements = arith::ConstantIndexOp::create(b, loc, 0);
    for (auto [index, stride] : llvm::zip(indices, strides))
      elements = arith::AddIOp::create(b, loc, elements, arith::MulIOp::create(b, loc, index, stride));
    return arith::MulIOp::create(b, loc, elements, elementBytes);
  }

  void pointer(Operation *op, Value address, Type accessed, LispierSimAccess kind) {
    auto vector = dyn_cast<VectorType>(accessed);
    if (!vector && !accessed.isIntOrIndexOrFloat())
      return; // aggregates and pointers: their layout is the target's business
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value integer = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), address);
    reportAccess(b, loc, calls.site(b, loc), integer, accessed, kind);
  }

  void reportAccess(OpBuilder &b, Location loc, Value site, Value address, Type accessed, LispierSimAccess kind) {
    calls.call(
        b, loc, "lispier_sim_access",
        {thread, site, address, i64(b, loc, byteSize(accessed)), i64(b, loc, alignment(accessed)), i32(b, loc, kind)});
  }

  /// IRGen has checked constants.
  void dimension(memref::DimOp dim) {
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (!type || dim.getConstantIndex())
      return;
    OpBuilder b(dim);
    Location loc = dim.getLoc();
    calls.call(b, loc, "lispier_sim_dimension",
               {thread, calls.site(b, loc), toI64(b, loc, dim.getIndex()), i64(b, loc, type.getRank())});
  }

  /// In each dimension, the last element of the view must lie in the source.
  void subview(memref::SubViewOp view) {
    OpBuilder b(view);
    Location loc = view.getLoc();
    auto value = [&](OpFoldResult v) -> Value {
      if (auto attribute = dyn_cast<Attribute>(v))
        return i64(b, loc, cast<IntegerAttr>(attribute).getInt());
      return toI64(b, loc, cast<Value>(v));
    };
    Value site = calls.site(b, loc), one = i64(b, loc, 1);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, view.getSource());
    SmallVector<Value> offsets;
    for (OpFoldResult offset : view.getMixedOffsets())
      offsets.push_back(getValueOrCreateConstantIndexOp(b, loc, offset));
    Value elementBytes = arith::ConstantIndexOp::create(b, loc, byteSize(view.getSourceType().getElementType()));
    Value within = byteOf(b, loc, offsets, metadata.getStrides(), elementBytes);
    for (auto [i, offset, size, stride] :
         llvm::enumerate(view.getMixedOffsets(), view.getMixedSizes(), view.getMixedStrides())) {
      if (!getConstantIntValue(size))
        calls.call(b, loc, "lispier_sim_size", {thread, site, value(size), i32(b, loc, i)});
      Value steps = arith::SubIOp::create(b, loc, value(size), one);
      Value span = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, steps, value(stride)), one);
      Value available = memref::DimOp::create(b, loc, view.getSource(), static_cast<int64_t>(i));
      calls.call(b, loc, "lispier_sim_index",
                 {thread, site, value(offset), span, toI64(b, loc, available), i32(b, loc, i), toI64(b, loc, within)});
    }
  }

  /// All bytes of the view must lie in the buffer.
  void bytesView(memref::ViewOp view) {
    OpBuilder b(view);
    Location loc = view.getLoc();
    Value bytes = i64(b, loc, byteSize(view.getType().getElementType()));
    auto sizes = view.getSizes().begin();
    for (int64_t size : view.getType().getShape())
      bytes = arith::MulIOp::create(b, loc, bytes,
                                    ShapedType::isDynamic(size) ? toI64(b, loc, *sizes++) : i64(b, loc, size));
    Value available = memref::DimOp::create(b, loc, view.getSource(), int64_t(0));
    calls.call(b, loc, "lispier_sim_view",
               {thread, calls.site(b, loc), toI64(b, loc, view.getByteShift()), bytes, toI64(b, loc, available)});
  }

  /// The first and the last element that a memref reaches, counted from where its memory begins, and how many it has.
  struct Reach {
    Value first, last, elements;
  };
  Reach reachOf(OpBuilder &b, Location loc, Value offset, ValueRange sizes, ValueRange strides) {
    Value zero = i64(b, loc, 0), one = i64(b, loc, 1);
    Reach reach{offset, offset, one};
    for (auto [size, stride] : llvm::zip(sizes, strides)) {
      Value span = arith::MulIOp::create(b, loc, arith::SubIOp::create(b, loc, size, one), stride);
      reach.first = arith::AddIOp::create(b, loc, reach.first, arith::MinSIOp::create(b, loc, span, zero));
      reach.last = arith::AddIOp::create(b, loc, reach.last, arith::MaxSIOp::create(b, loc, span, zero));
      reach.elements = arith::MulIOp::create(b, loc, reach.elements, size);
    }
    return reach;
  }

  /// The only use of memory, if that is a view from its first element on.
  static memref::SubViewOp viewFromStart(Value memory) {
    auto view = memory.hasOneUse() ? dyn_cast<memref::SubViewOp>(*memory.user_begin()) : memref::SubViewOp();
    return view && llvm::all_of(view.getMixedOffsets(), isZeroInteger) ? view : memref::SubViewOp();
  }

  void reinterpretation(memref::ReinterpretCastOp cast) {
    Value source = cast.getSource();
    // What an asynchronous copy reads of it: without elements it may begin behind the end.
    memref::SubViewOp read = viewFromStart(cast);
    // The base buffer that an op hands out has no sizes of its own.
    if (auto metadata = source.getDefiningOp<memref::ExtractStridedMetadataOp>())
      source = metadata.getSource();
    if (!isa<MemRefType>(source.getType()))
      return;
    OpBuilder b(read ? read.getOperation() : cast.getOperation());
    Location loc = cast.getLoc();
    auto values = [&](ArrayRef<OpFoldResult> mixed) {
      SmallVector<Value> all;
      for (OpFoldResult each : mixed)
        all.push_back(toI64(b, loc, getValueOrCreateConstantIndexOp(b, loc, each)));
      return all;
    };
    auto wide = [&](ValueRange indices) {
      return llvm::map_to_vector(indices, [&](Value index) { return toI64(b, loc, index); });
    };
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, source);
    Reach whole =
        reachOf(b, loc, toI64(b, loc, metadata.getOffset()), wide(metadata.getSizes()), wide(metadata.getStrides()));
    Reach part = reachOf(b, loc, values(cast.getMixedOffsets()).front(),
                         values(read ? read.getMixedSizes() : cast.getMixedSizes()), values(cast.getMixedStrides()));
    calls.call(
        b, loc, "lispier_sim_reinterpret",
        {thread, calls.site(b, loc), part.first, part.last, part.elements, whole.first, whole.last, whole.elements});
  }

  /// An integer as i64, sign-extended; of a vector, one lane.
  Value scalar(OpBuilder &b, Location loc, Value v, int64_t lane) {
    if (auto type = dyn_cast<VectorType>(v.getType()))
      v = vector::ExtractOp::create(b, loc, v, delinearize(lane, computeStrides(type.getShape())));
    if (v.getType().isIndex())
      return toI64(b, loc, v);
    return v.getType().isInteger(64) ? v : arith::ExtSIOp::create(b, loc, b.getI64Type(), v).getResult();
  }

  void shift(Operation *op) {
    Value amount = op->getOperand(1);
    Type element = getElementTypeOrSelf(amount.getType());
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    APInt known;
    if (bits > 64 || (matchPattern(amount, m_ConstantInt(&known)) && known.ult(bits)))
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto vector = dyn_cast<VectorType>(amount.getType());
    Value site = calls.site(b, loc), width = i32(b, loc, bits);
    for (int64_t lane = 0, lanes = vector ? vector.getNumElements() : 1; lane < lanes; ++lane)
      calls.call(b, loc, "lispier_sim_shift", {thread, site, scalar(b, loc, amount, lane), width});
  }

  void division(Operation *op, bool isSigned) {
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    APInt known;
    if (matchPattern(rhs, m_ConstantInt(&known)) && !known.isZero() && !(isSigned && known.isAllOnes()))
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    Type element = getElementTypeOrSelf(rhs.getType());
    int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    if (bits > 64)
      return;
    auto vector = dyn_cast<VectorType>(rhs.getType());
    Value site = calls.site(b, loc), width = i32(b, loc, isSigned ? bits : 0);
    for (int64_t lane = 0, lanes = vector ? vector.getNumElements() : 1; lane < lanes; ++lane) {
      // In a branch, for divisors of 0 and -1: code generation may move a division before a call in the same block.
      Value dividend = scalar(b, loc, lhs, lane), divisor = scalar(b, loc, rhs, lane);
      Value next = arith::AddIOp::create(b, loc, divisor, i64(b, loc, 1));
      Value isSuspect = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, next, i64(b, loc, 2));
      OpBuilder then = scf::IfOp::create(b, loc, isSuspect, /*withElseRegion=*/false).getThenBodyBuilder();
      calls.call(then, loc, "lispier_sim_division", {thread, site, dividend, divisor, width});
    }
  }

  RuntimeCalls calls;
  Value thread;
};

/// A copy as the loads and stores that it is.
void expandCopy(memref::CopyOp copy) {
  OpBuilder b(copy);
  Location loc = copy.getLoc();
  Value source = copy.getSource(), target = copy.getTarget();
  auto type = dyn_cast<MemRefType>(source.getType());
  if (!type || !isa<MemRefType>(target.getType()))
    return;
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    sizes.push_back(memref::DimOp::create(b, loc, source, i));
  scf::buildLoopNest(b, loc, SmallVector<Value>(sizes.size(), zero), sizes, SmallVector<Value>(sizes.size(), one),
                     [&](OpBuilder &body, Location, ValueRange indices) {
                       Value value = memref::LoadOp::create(body, loc, source, indices);
                       memref::StoreOp::create(body, loc, value, target, indices);
                     });
  copy.erase();
}

struct CheckKernels : impl::CheckKernelsBase<CheckKernels> {
  using CheckKernelsBase::CheckKernelsBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!function->hasAttr(device::kSimThread) || function.isExternal())
        continue;
      function.walk([](memref::CopyOp copy) { expandCopy(copy); });
      SmallVector<Operation *> ops;
      function.walk([&](Operation *op) { ops.push_back(op); });
      Checker checker(function, module);
      for (Operation *op : ops)
        checker.check(op);
      function->removeAttr(device::kSimThread); // checked once
      function->setAttr(device::kChecked, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace
} // namespace lispier
