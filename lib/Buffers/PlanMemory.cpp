//===- PlanMemory.cpp - one arena for a function's intermediate tensors ---===//
//
// Before: an allocation for each tensor that kernels exchange, freed after its last
// use. After: one for all of a function's, before the first kernel and outside of
// loops and steps; each tensor is a view of it. Results, which the caller frees,
// and memory whose size is computed on the way keep allocations of their own.
//
//===----------------------------------------------------------------------===//
#include "BufferLifetime.h"
#include "MemoryPlan.h"
#include "lispier/Buffers/OuterSizes.h"
#include "lispier/Buffers/Passes.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/FailingLanes.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Group/SizeNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"

namespace lispier {
#define GEN_PASS_DEF_PLANMEMORY
#include "lispier/Buffers/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Of the arena.
constexpr int64_t kArenaAlignment = 64;
/// Offsets of tensors in the arena are multiples of this: a GPU's memory has lines of 128 bytes, of which a row that
/// begins in the middle needs one more.
constexpr int64_t kPlacement = 256;
/// How many tensors a message about too little memory names.
constexpr size_t kMostNamed = 3;
/// What an unknown size is taken for to choose an order.
constexpr double kEstimatedSize = 1024;

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

/// Whether many threads execute the op, each with memory of its own.
bool isInParallelLoop(Operation *op) {
  return op->getParentOfType<scf::ParallelOp>() || op->getParentOfType<scf::ForallOp>() ||
         op->getParentOfType<gpu::LaunchOp>();
}

/// Whether an index is known to be 0 or more.
bool isNonNegative(Value index) {
  if (APInt constant; matchPattern(index, m_ConstantInt(&constant)))
    return !constant.isNegative();
  Operation *made = index.getDefiningOp();
  if (isa_and_nonnull<memref::DimOp>(made))
    return true;
  if (isa_and_nonnull<arith::MaxSIOp>(made))
    return llvm::any_of(made->getOperands(), isNonNegative);
  return isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::DivSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
                         arith::MinSIOp>(made) &&
         llvm::all_of(made->getOperands(), isNonNegative);
}

/// Whether a polynomial of numbers that may be negative is at most what it is of 0 in their place, where it is itself
/// no negative number: no term subtracts, nor multiplies two of them.
bool growsWithLeaves(Value size) {
  auto grows = [](auto &&grows, Value value) -> std::optional<bool> { // Whether it has such a number; nullopt: no.
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.isNegative() ? std::nullopt : std::optional(false);
    bool isProduct = value.getDefiningOp<arith::MulIOp>() != nullptr;
    if (!isProduct && !value.getDefiningOp<arith::AddIOp>())
      return !isNonNegative(value);
    std::optional<bool> left = grows(grows, value.getDefiningOp()->getOperand(0));
    std::optional<bool> right = grows(grows, value.getDefiningOp()->getOperand(1));
    if (!left || !right || (isProduct && *left && *right))
      return std::nullopt;
    return *left || *right;
  };
  return grows(grows, size).has_value();
}

class FunctionPlan {
public:
  explicit FunctionPlan(func::FuncOp function) : function(function), dominance(function) {}

  /// Returns the memory that each call allocates, the arena; null if there is none.
  memref::AllocOp run(bool explain) {
    find();
    if (found.empty())
      return nullptr;
    // One alone needs no arena, unless it is allocated again and again.
    if (found.size() == 1 && found[0].alloc->getBlock() == &function.getBody().front())
      return found[0].alloc;
    measure();
    planMemory(tensors, kEstimatedSize);
    if (explain)
      report();
    return rewrite();
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
    return made && isPure(made) && !device::mayFail(made) && made->getNumRegions() == 0 &&
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

  /// The number, or 0 if it is negative: that of a tensor on a path which the program does not take, or which it checks
  /// later than it allocates.
  Value atLeastZero(Value number) {
    if (isNonNegative(number))
      return number;
    Value &known = limited[number];
    if (!known) {
      OpBuilder b(number.getContext());
      b.setInsertionPointAfterValue(number);
      Value zero = arith::ConstantIndexOp::create(b, number.getLoc(), 0);
      known = arith::MaxSIOp::create(b, number.getLoc(), number, zero);
      unlimited[known.getAsOpaquePointer()] = number;
    }
    return known;
  }

  /// A size, or more: a polynomial that is never negative. Sums and products of what is negative may be either.
  SymbolicSize boundOf(Value size) {
    auto symbol = [&](Value leaf) { return SymbolicSize::symbol(atLeastZero(leaf).getAsOpaquePointer()); };
    return growsWithLeaves(size) ? SymbolicSize::of(size, symbol) : symbol(size);
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
        bytes = bytes * (ShapedType::isDynamic(size) ? boundOf(*dynamic++) : SymbolicSize(size));
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

  std::string nameOf(const void *symbol) {
    Value size = unlimited.lookup(symbol);
    if (!size)
      size = Value::getFromOpaquePointer(symbol);
    auto dim = size.getDefiningOp<memref::DimOp>();
    return dim && dim.getConstantIndex() && isa<BlockArgument>(dim.getSource())
               ? names.of(dim.getSource(), *dim.getConstantIndex())
               : names.of(size);
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
    double share = 100 * largestOf(ends, kEstimatedSize) / largestOf(live, kEstimatedSize);
    InFlightDiagnostic remark = emitRemark(placeOf(function.getLoc()))
                                << "memory of " << function.getSymName() << ": " << textOf(ends) << " bytes for "
                                << tensors.size() << (tensors.size() == 1 ? " tensor, " : " tensors, ")
                                << llvm::formatv("{0:F1}", share).str() << " % of the most that is live, "
                                << textOf(live) << " bytes";
    for (auto [each, tensor] : llvm::zip(found, tensors))
      remark.attachNote(placeOf(each.alloc.getLoc()))
          << "at " << textOf(tensor.offset) << ": " << textOf(tensor.bytes) << " bytes";
  }

  //===- What there is too little memory for -------------------------------===//

  static std::string siteOf(Location location) {
    auto place = dyn_cast<FileLineColRange>(placeOf(location));
    return place ? (place.getFilename().getValue() + ":" + Twine(place.getStartLine()) + ":" +
                    Twine(place.getStartColumn()) + ": ")
                       .str()
                 : "";
  }

  std::string shapeOf(memref::AllocOp alloc) {
    std::string text;
    auto dynamic = alloc.getDynamicSizes().begin();
    for (int64_t size : alloc.getType().getShape()) {
      std::string one = ShapedType::isDynamic(size) ? textOf(SymbolicSize::of(*dynamic++)) : std::to_string(size);
      text += (text.empty() ? "" : " ") + (StringRef(one).contains(' ') ? "(" + one + ")" : one);
    }
    return debugString(alloc.getType().getElementType()) + " [" + text + "]";
  }

  /// kMemoryPlanAttr of the arena.
  std::string description() {
    auto order = llvm::to_vector(llvm::seq<size_t>(0, found.size()));
    llvm::stable_sort(order, [&](size_t a, size_t b) {
      return tensors[a].bytes.estimate(kEstimatedSize) > tensors[b].bytes.estimate(kEstimatedSize);
    });
    std::string text = (Twine(found.size()) + (found.size() == 1 ? " tensor" : " tensors")).str();
    text = "for " + text + " of `" + function.getSymName().split('$').first.str() + "`";
    for (size_t i : ArrayRef(order).take_front(kMostNamed))
      text += "\n" + siteOf(found[i].alloc.getLoc()) + "note: " + shapeOf(found[i].alloc) + ", " +
              textOf(tensors[i].bytes) + " bytes";
    if (order.size() > kMostNamed)
      text += "\nnote: these are the largest; --explain=memory prints all";
    return text;
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

  memref::AllocOp rewrite() {
    OpBuilder b(start);
    Location loc = function.getLoc();
    SmallVector<SymbolicSize> ends = arenaEnds(tensors);
    std::optional<int64_t> constant = ends.size() == 1 ? ends[0].constant() : std::nullopt;
    SmallVector<Value> size;
    if (!constant)
      size.push_back(emitLargest(b, loc, ends));
    auto type = MemRefType::get({constant.value_or(ShapedType::kDynamic)}, b.getI8Type());
    auto arena = memref::AllocOp::create(b, loc, type, size, b.getI64IntegerAttr(kArenaAlignment));
    arena->setAttr(kMemoryPlanAttr, b.getStringAttr(description()));
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
    return arena;
  }

  func::FuncOp function;
  DominanceInfo dominance;
  Operation *start = nullptr; ///< The first op of the function's block with an intermediate, before which the arena is.
  SmallVector<Intermediate> found;
  SmallVector<PlannedTensor> tensors;
  bool isAligned = true; ///< Whether all sizes are multiples of kPlacement, whatever the run's sizes are.
  SizeNames names;       ///< For --explain=memory, and the message if there is not enough.
  llvm::DenseMap<Value, Value> limited;          ///< By numbers that may be negative, what atLeastZero made.
  llvm::DenseMap<const void *, Value> unlimited; ///< The reverse.
};

/// Lets the callers of the function allocate its arena, if they can compute the size: it is in their plans then.
void passArena(func::FuncOp function, memref::AllocOp arena, ArrayRef<func::CallOp> calls) {
  OuterSizes sizes(function);
  SmallVector<SymbolicSize> bytes;
  for (Value size : arena.getDynamicSizes())
    if (std::optional<SymbolicSize> outer = sizes.ofIndex(size))
      bytes.push_back(*outer);
    else
      return;
  unsigned number = function.getNumArguments();
  Builder attributes(function.getContext());
  auto out = attributes.getDictionaryAttr(attributes.getNamedAttr(kOutAttr, attributes.getUnitAttr()));
  (void)function.insertArgument(number, arena.getType(), out, arena.getLoc());
  for (func::CallOp call : calls) {
    OpBuilder b(call);
    SmallVector<Value> dynamic = llvm::map_to_vector(bytes, [&](const SymbolicSize &size) {
      return sizes.emit(b, arena.getLoc(), size,
                        [&](Value argument) { return call.getOperand(cast<BlockArgument>(argument).getArgNumber()); });
    });
    auto memory = memref::AllocOp::create(b, arena.getLoc(), arena.getType(), dynamic, arena.getAlignmentAttr());
    memory->setAttr(kIntermediateAttr, b.getUnitAttr());
    call.getOperandsMutable().append(memory.getResult());
    if (ArrayAttr given = call.getArgAttrsAttr()) {
      SmallVector<Attribute> each(given.getValue());
      each.push_back(b.getDictionaryAttr({}));
      call.setArgAttrsAttr(b.getArrayAttr(each));
    }
    b.setInsertionPoint(call->getBlock()->getTerminator());
    memref::DeallocOp::create(b, arena.getLoc(), memory);
  }
  deallocOf(arena).erase();
  arena.replaceAllUsesWith(function.getArgument(number));
  arena.erase();
}

struct PlanMemory : impl::PlanMemoryBase<PlanMemory> {
  using PlanMemoryBase::PlanMemoryBase;

  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    SymbolTableCollection tables;
    SymbolUserMap map(tables, getOperation());
    users = &map;
    for (auto function : getOperation().getOps<func::FuncOp>())
      visit(function);
  }

  /// Callees first, whose arenas are intermediates of their callers.
  void visit(func::FuncOp function) {
    if (!visited.insert(function).second)
      return;
    active.insert(function);
    function.walk([&](func::CallOp call) {
      auto callee = symbols->lookup<func::FuncOp>(call.getCallee());
      if (callee && active.contains(callee))
        recursive.insert(callee);
      else if (callee)
        visit(callee);
    });
    active.erase(function);
    if (!function.getBody().hasOneBlock())
      return;
    memref::AllocOp arena = FunctionPlan(function).run(explain);
    ArrayRef<Operation *> uses = users->getUsers(function);
    if (!arena || !function.isPrivate() || recursive.contains(function) || !llvm::all_of(uses, isCallInBlock))
      return;
    passArena(function, arena, llvm::map_to_vector(uses, llvm::CastTo<func::CallOp>));
  }

  static bool isCallInBlock(Operation *user) { return isa<func::CallOp>(user) && !isInParallelLoop(user); }

  SymbolTable *symbols = nullptr;
  SymbolUserMap *users = nullptr;
  llvm::SmallPtrSet<Operation *, 16> visited, active, recursive;
};
} // namespace
} // namespace lispier
