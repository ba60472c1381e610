//===- PlanMemory.cpp - one arena for a function's intermediate tensors ---===//
//
// Before: an allocation for each tensor that kernels exchange, freed after its last
// use. After: one for all of a function's, before the first kernel and outside of
// loops and steps; each tensor is a view of it. Results, which the caller frees,
// and memory whose size is computed on the way keep allocations of their own.
//
//===----------------------------------------------------------------------===//
#include "MemoryPlan.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

namespace lispier {
#define GEN_PASS_DEF_PLANMEMORY
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Of the arena.
constexpr int64_t kAlignment = 64;
/// Offsets of tensors in the arena are multiples of this: a GPU's memory has lines of 128 bytes, of which a row that
/// begins in the middle needs one more.
constexpr int64_t kPlacement = 256;
/// What an unknown size is taken for to choose an order.
constexpr double kAssumedSize = 1024;

struct Intermediate {
  memref::AllocOp alloc;
  memref::DeallocOp dealloc;
  Operation *lastUse; ///< In the same block, or with it inside. Memory is freed at the end of the block only.
};

/// The op that frees the memory, if it does so always.
memref::DeallocOp deallocOf(memref::AllocOp alloc) {
  memref::DeallocOp found;
  for (Operation *user : alloc->getUsers())
    if (auto dealloc = dyn_cast<memref::DeallocOp>(user)) {
      if (found || dealloc->getBlock() != alloc->getBlock())
        return nullptr;
      found = dealloc;
    }
  return found;
}

/// The last op in the block of the allocation that uses it or a view of it. Null if a loop or a branch is passed the
/// memory, and may carry it to where no use of it is seen.
Operation *lastUseOf(memref::AllocOp alloc) {
  Operation *last = alloc;
  SmallVector<Value> aliases{alloc};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!aliases.empty())
    for (Operation *user : aliases.pop_back_val().getUsers()) {
      if (isa<memref::DeallocOp>(user) || !seen.insert(user).second)
        continue;
      if (user->hasTrait<OpTrait::IsTerminator>() ||
          (user->getNumRegions() > 0 && !isa<group::KernelOp, linalg::LinalgOp>(user)))
        return nullptr;
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()) && !isa<device::DownloadOp>(user))
          aliases.push_back(result);
      if (Operation *here = alloc->getBlock()->findAncestorOpInBlock(*user); here && last->isBeforeInBlock(here))
        last = here;
    }
  return last;
}

/// Whether many threads execute the op, each with memory of its own.
bool isInParallelLoop(Operation *op) {
  return op->getParentOfType<scf::ParallelOp>() || op->getParentOfType<scf::ForallOp>() ||
         op->getParentOfType<gpu::LaunchOp>();
}

class FunctionPlan {
public:
  explicit FunctionPlan(func::FuncOp function) : function(function), dominance(function) {}

  void run(bool explain) {
    find();
    // One alone needs no arena, unless it is allocated again and again.
    if (found.empty() || (found.size() == 1 && found[0].alloc->getBlock() == &function.getBody().front()))
      return;
    measure();
    planMemory(tensors, kAssumedSize);
    if (explain)
      report();
    rewrite();
  }

private:
  void find() {
    SmallVector<memref::AllocOp> allocs;
    function.walk([&](memref::AllocOp alloc) {
      if (alloc->hasAttr(kIntermediateAttr))
        allocs.push_back(alloc);
    });
    for (memref::AllocOp alloc : allocs) {
      auto type = alloc.getType();
      memref::DeallocOp dealloc = deallocOf(alloc);
      Operation *lastUse = lastUseOf(alloc);
      if (!dealloc || !lastUse || !type.getLayout().isIdentity() || type.getMemorySpace() ||
          !isSized(type.getElementType()) || isInParallelLoop(alloc))
        continue;
      if (!start)
        start = function.getBody().front().findAncestorOpInBlock(*alloc);
      if (start && llvm::all_of(alloc.getDynamicSizes(), [&](Value size) { return canHoist(size); }))
        found.push_back({alloc, dealloc, lastUse});
    }
  }

  static bool isSized(Type element) { return element.isIndex() || (element.isIntOrFloat() && bytesOf(element) > 0); }
  static int64_t bytesOf(Type element) {
    return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  }

  /// Whether the value can be computed before the first intermediate.
  bool canHoist(Value value) {
    Operation *made = value.getDefiningOp();
    if (dominance.properlyDominates(value, start))
      return true;
    return made && isPure(made) && made->getNumRegions() == 0 &&
           llvm::all_of(made->getOperands(), [&](Value operand) { return canHoist(operand); });
  }

  void hoist(Value value) {
    Operation *made = value.getDefiningOp();
    if (dominance.properlyDominates(value, start))
      return;
    for (Value operand : made->getOperands())
      hoist(operand);
    made->moveBefore(start);
  }

  void measure() {
    llvm::DenseMap<Operation *, unsigned> begin, end;
    unsigned now = 0;
    function.walk([&](Operation *op, const WalkStage &stage) {
      if (stage.isBeforeAllRegions())
        begin[op] = ++now;
      if (stage.isAfterAllRegions())
        end[op] = ++now;
    });
    for (Intermediate &each : found) {
      for (Value size : each.alloc.getDynamicSizes())
        hoist(size);
      MemRefType type = each.alloc.getType();
      SymbolicSize bytes(bytesOf(type.getElementType()));
      auto dynamic = each.alloc.getDynamicSizes().begin();
      for (int64_t size : type.getShape())
        bytes = bytes * (ShapedType::isDynamic(size) ? SymbolicSize::of(*dynamic++) : SymbolicSize(size));
      if (std::optional<int64_t> constant = bytes.constant())
        bytes = SymbolicSize(llvm::alignTo(*constant, kPlacement));
      isAligned &= bytes.isMultipleOf(kPlacement);
      tensors.push_back({bytes, begin[each.alloc], end[each.lastUse], {}});
    }
    // An offset behind a size that is no multiple of kPlacement is rounded up when it is emitted. Each tensor is
    // planned with as much more, so that sizes stay polynomials, which can be compared.
    for (PlannedTensor &tensor : tensors)
      tensor.bytes = tensor.bytes + SymbolicSize(isAligned ? 0 : kPlacement);
  }

  //===- --explain=memory -------------------------------------------------===//

  /// "n0", "n1", ... for what only the run knows, "arg0[1]" for a size of an argument.
  std::string nameOf(const void *symbol) {
    Value value = Value::getFromOpaquePointer(symbol);
    if (auto dim = value.getDefiningOp<memref::DimOp>(); dim && dim.getConstantIndex())
      if (auto argument = dyn_cast<BlockArgument>(dim.getSource());
          argument && argument.getOwner() == &function.getBody().front())
        return ("arg" + Twine(argument.getArgNumber()) + "[" + Twine(*dim.getConstantIndex()) + "]").str();
    return "n" + std::to_string(names.insert({symbol, names.size()}).first->second);
  }

  std::string textOf(ArrayRef<SymbolicSize> sizes) {
    std::string text;
    for (const SymbolicSize &size : sizes)
      text += (text.empty() ? "" : " or ") + size.text([&](const void *symbol) { return nameOf(symbol); });
    return text;
  }

  static Location placeOf(Location location) {
    Location place = UnknownLoc::get(location.getContext());
    location->walk([&](Location inner) {
      if (!isa<FileLineColRange>(inner))
        return WalkResult::advance();
      place = inner;
      return WalkResult::interrupt();
    });
    return place;
  }

  void report() {
    SmallVector<SymbolicSize> ends = arenaEnds(tensors), live = mostLiveBytes(tensors);
    double share = 100 * largestOf(ends, kAssumedSize) / largestOf(live, kAssumedSize);
    InFlightDiagnostic remark = emitRemark(placeOf(function.getLoc()))
                                << "memory of " << function.getSymName() << ": " << textOf(ends) << " bytes for "
                                << tensors.size() << (tensors.size() == 1 ? " tensor, " : " tensors, ")
                                << llvm::formatv("{0:F1}", share).str() << " % of the most that is live, "
                                << textOf(live) << " bytes";
    for (auto [each, tensor] : llvm::zip(found, tensors))
      remark.attachNote(placeOf(each.alloc.getLoc()))
          << "at " << textOf(tensor.offset) << ": " << textOf(tensor.bytes) << " bytes";
  }

  Value emitOffset(OpBuilder &b, Location loc, ArrayRef<SymbolicSize> offset) {
    Value value = emitLargest(b, loc, offset);
    if (isAligned || (offset.size() == 1 && offset[0].isMultipleOf(kPlacement)))
      return value;
    Value last = arith::ConstantIndexOp::create(b, loc, kPlacement - 1);
    Value mask = arith::ConstantIndexOp::create(b, loc, -kPlacement);
    return arith::AndIOp::create(b, loc, arith::AddIOp::create(b, loc, value, last), mask);
  }

  static Value emitLargest(OpBuilder &b, Location loc, ArrayRef<SymbolicSize> sizes) {
    Value result;
    for (const SymbolicSize &size : sizes) {
      Value value = size.emit(b, loc);
      result = result ? b.createOrFold<arith::MaxUIOp>(loc, result, value) : value;
    }
    return result;
  }

  void rewrite() {
    OpBuilder b(start);
    Location loc = function.getLoc();
    SmallVector<SymbolicSize> ends = arenaEnds(tensors);
    std::optional<int64_t> constant = ends.size() == 1 ? ends[0].constant() : std::nullopt;
    SmallVector<Value> size;
    if (!constant)
      size.push_back(emitLargest(b, loc, ends));
    auto type = MemRefType::get({constant.value_or(ShapedType::kDynamic)}, b.getI8Type());
    auto arena = memref::AllocOp::create(b, loc, type, size, b.getI64IntegerAttr(kAlignment));
    SmallVector<Value> offsets =
        llvm::map_to_vector(tensors, [&](const PlannedTensor &tensor) { return emitOffset(b, loc, tensor.offset); });
    Operation *last = start;
    for (auto [each, offset] : llvm::zip(found, offsets)) {
      Operation *end = function.getBody().front().findAncestorOpInBlock(*each.lastUse);
      if (last->isBeforeInBlock(end))
        last = end;
    }
    b.setInsertionPointAfter(last);
    memref::DeallocOp::create(b, loc, arena);
    for (auto [each, offset] : llvm::zip(found, offsets)) {
      OpBuilder at(each.alloc);
      auto view = memref::ViewOp::create(at, each.alloc.getLoc(), each.alloc.getType(), arena, offset,
                                         each.alloc.getDynamicSizes());
      view->setAttr(kIntermediateAttr, at.getUnitAttr());
      each.alloc.replaceAllUsesWith(view.getResult());
      each.alloc->erase();
      each.dealloc->erase();
    }
  }

  func::FuncOp function;
  DominanceInfo dominance;
  Operation *start = nullptr; ///< The first op of the function's block with an intermediate, before which the arena is.
  SmallVector<Intermediate> found;
  SmallVector<PlannedTensor> tensors;
  bool isAligned = true; ///< Whether all sizes are multiples of kPlacement, whatever the run's sizes are.
  llvm::DenseMap<const void *, unsigned> names;
};

struct PlanMemory : impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    if (getOperation().getBody().hasOneBlock())
      FunctionPlan(getOperation()).run(explain);
  }
};
} // namespace
} // namespace lispier
