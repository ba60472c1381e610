//===- TrackMemory.cpp - the simulated device's memory, on the host -------===//
//
// After HostGpuMemory, on host code: the device's memory is memref.alloc's now. Its
// allocations are told to the runtime, which keeps what is freed from being used
// again; accesses of the host are checked as those of kernels are. Linalg ops are
// still whole: what they touch, they touch inside their memrefs.
//
//===----------------------------------------------------------------------===//
#include "Accesses.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Cpu/Passes.h"
#include "lispier/Target/Sim/Passes.h"
#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_TRACKMEMORY
#include "lispier/Target/Sim/Passes.h.inc"

namespace {
class Tracker {
public:
  explicit Tracker(ModuleOp module) : calls(module), types(module.getContext()) {}

  void track(Operation *op) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return allocated(alloc);
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op); dealloc && isa<MemRefType>(dealloc.getMemref().getType()))
      return freed(dealloc);
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      OpBuilder b(copy);
      touches(b, copy.getLoc(), copy.getSource(), kSimRead);
      touches(b, copy.getLoc(), copy.getTarget(), kSimWrite);
    }
    // The body of an op that is still whole has no room for calls.
    if (op->getParentOfType<linalg::LinalgOp>() || op->getParentOfType<memref::GenericAtomicRMWOp>())
      return;
    if (std::optional<Access> access = accessOf(op); access && !access->memref.getDefiningOp<memref::AllocaOp>())
      accessed(op, *access);
  }

private:
  Value i64(OpBuilder &b, Location loc, int64_t value) { return arith::ConstantIntOp::create(b, loc, value, 64); }
  Value wide(OpBuilder &b, Location loc, Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  /// At least this many, of a type that is no number.
  static int64_t bytesOf(Type type) {
    bool isNumber = getElementTypeOrSelf(type).isIntOrIndexOrFloat() || isa<ComplexType>(type);
    return isNumber ? byteSize(type) : 1;
  }
  static int64_t elementBytes(Value memref) { return bytesOf(cast<MemRefType>(memref.getType()).getElementType()); }
  MemRefDescriptor descriptorOf(OpBuilder &b, Location loc, Value memref) {
    Type type = types.convertType(memref.getType());
    return MemRefDescriptor(UnrealizedConversionCastOp::create(b, loc, type, memref).getResult(0));
  }

  void allocated(memref::AllocOp alloc) {
    OpBuilder b(alloc->getContext());
    b.setInsertionPointAfter(alloc);
    Location loc = alloc.getLoc();
    MemRefDescriptor descriptor = descriptorOf(b, loc, alloc);
    Value bytes = i64(b, loc, elementBytes(alloc));
    for (int64_t i = 0, rank = alloc.getType().getRank(); i < rank; ++i)
      bytes = arith::MulIOp::create(b, loc, bytes, wide(b, loc, memref::DimOp::create(b, loc, alloc, i)));
    calls.call(b, loc, "lispier_sim_allocated",
               {descriptor.allocatedPtr(b, loc), descriptor.alignedPtr(b, loc), bytes});
  }

  void freed(memref::DeallocOp dealloc) {
    OpBuilder b(dealloc);
    Location loc = dealloc.getLoc();
    MemRefDescriptor descriptor = descriptorOf(b, loc, dealloc.getMemref());
    calls.call(b, loc, "lispier_sim_free",
               {calls.site(b, loc), descriptor.allocatedPtr(b, loc), descriptor.alignedPtr(b, loc)});
    dealloc.erase();
  }

  /// Memory as a whole: of all of a copy's bytes the first stands for the others.
  void touches(OpBuilder &b, Location loc, Value memref, LispierSimAccess kind) {
    if (!isa<MemRefType>(memref.getType()))
      return;
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
    reportAccess(b, loc, calls.site(b, loc), wide(b, loc, base), i64(b, loc, 0), /*bytes=*/0, kind);
  }

  void reportAccess(OpBuilder &b, Location loc, Value site, Value base, Value offset, int64_t bytes,
                    LispierSimAccess kind) {
    calls.call(b, loc, "lispier_sim_host_access",
               {site, base, offset, i64(b, loc, bytes), arith::ConstantIntOp::create(b, loc, kind, 32)});
  }

  /// Bytes from the aligned pointer to the element, also where the memref's sizes are not those of its memory.
  Value offsetOf(OpBuilder &b, Location loc, const Access &access) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, access.memref);
    Value elements = metadata.getOffset();
    for (auto [index, stride] : llvm::zip(access.indices, metadata.getStrides()))
      elements = arith::AddIOp::create(b, loc, elements, arith::MulIOp::create(b, loc, index, stride));
    return arith::MulIOp::create(b, loc, wide(b, loc, elements), i64(b, loc, elementBytes(access.memref)));
  }

  void accessed(Operation *op, const Access &access) {
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value outside;
    SmallVector<Value> sizes;
    for (auto [i, index] : llvm::enumerate(access.indices)) {
      int64_t extent = i + 1 == access.indices.size() ? access.extent() : 1;
      sizes.push_back(wide(b, loc, memref::DimOp::create(b, loc, access.memref, static_cast<int64_t>(i))));
      Value last = arith::SubIOp::create(b, loc, sizes.back(), i64(b, loc, extent)), at = wide(b, loc, index);
      Value before = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at, i64(b, loc, 0));
      Value behind = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, at, last);
      Value either = arith::OrIOp::create(b, loc, before, behind);
      outside = outside ? arith::OrIOp::create(b, loc, outside, either).getResult() : either;
    }
    Value base = wide(b, loc, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, access.memref));
    Value site = calls.site(b, loc);
    if (outside) {
      OpBuilder then = scf::IfOp::create(b, loc, outside, /*withElseRegion=*/false).getThenBodyBuilder();
      for (auto [i, index] : llvm::enumerate(access.indices)) {
        int64_t extent = i + 1 == access.indices.size() ? access.extent() : 1;
        calls.call(then, loc, "lispier_sim_host_index",
                   {site, base, wide(then, loc, index), i64(then, loc, extent), sizes[i],
                    arith::ConstantIntOp::create(then, loc, i, 32)});
      }
    }
    bool isStrided = cast<MemRefType>(access.memref.getType()).isStrided();
    reportAccess(b, loc, site, base, isStrided ? offsetOf(b, loc, access) : i64(b, loc, 0),
                 isStrided ? bytesOf(access.type) : 0, access.kind);
  }

  RuntimeCalls calls;
  LLVMTypeConverter types;
};

struct TrackMemory : impl::TrackMemoryBase<TrackMemory> {
  void runOnOperation() override {
    Tracker tracker(getOperation());
    SmallVector<Operation *> ops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(device::kChecked))
        function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      tracker.track(op);
  }
};
} // namespace
} // namespace lispier
