//===- OutlineParallel.cpp - scf.parallel to runtime calls ----------------===//
//
// Before: buffers and loops. After: each outermost parallel loop is a call of
// lispier_rt_parallel_for (Runtime/Core/Runtime.h) with a new function that runs
// the iterations [begin, end) of the flattened iteration space. The runtime
// chooses ranges by its number of threads, so results must not depend on where a
// range begins; reductions are divided into chunks by the loop's size alone.
//
// Pointers, descriptors and the function's address are LLVM values between func
// and memref ops, joined by unrealized casts that the conversions to LLVM cancel.
//
//===----------------------------------------------------------------------===//
#include "VectorizeColumns.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/Cost.h"
#include "lispier/Loops/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"

namespace lispier {
#define GEN_PASS_DEF_OUTLINEPARALLEL
#include "lispier/Loops/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
constexpr StringLiteral kParallelFor = "lispier_rt_parallel_for";
constexpr StringLiteral kGrainAttr = "lispier.grain";
/// More than the processors of one machine, and few enough for the partial results to fit on any stack.
constexpr int64_t kReductionPieces = 64;

Value constantIndex(OpBuilder &b, Location loc, int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

/// Trip count of one dimension, never negative.
Value emitTripCount(OpBuilder &b, Location loc, Value lower, Value upper, Value step) {
  if (!isConstantIntValue(lower, 0))
    upper = b.createOrFold<arith::SubIOp>(loc, upper, lower);
  if (!isConstantIntValue(step, 1))
    upper = b.createOrFold<arith::CeilDivSIOp>(loc, upper, step);
  return b.createOrFold<arith::MaxSIOp>(loc, upper, constantIndex(b, loc, 0));
}

std::optional<int64_t> staticTrips(scf::ParallelOp loop) {
  int64_t trips = 1;
  for (auto [lower, upper, step] : llvm::zip_equal(loop.getLowerBound(), loop.getUpperBound(), loop.getStep())) {
    std::optional<int64_t> from = getConstantIntValue(lower), to = getConstantIntValue(upper),
                           by = getConstantIntValue(step);
    if (!from || !to || !by || *by <= 0)
      return std::nullopt;
    int64_t here = *to > *from ? int64_t(llvm::divideCeil(*to - *from, *by)) : 0;
    if (llvm::MulOverflow(trips, here, trips))
      return std::nullopt;
  }
  return trips;
}

//===- Captured values ----------------------------------------------------===//

/// The values of the caller that the outlined function uses, passed in a struct.
class Captures {
public:
  explicit Captures(const LLVMTypeConverter &types) : types(types) {}

  /// Fails if the value's type has no LLVM type. Adding a value twice has no effect.
  LogicalResult add(Value value) {
    if (!seen.insert(value).second)
      return success();
    Operation *op = value.getDefiningOp();
    if (op && op->getNumOperands() == 0 && op->getNumRegions() == 0 && isPure(op)) {
      copied.push_back(op);
      return success();
    }
    Type type =
        value.getType().isIndex() ? IntegerType::get(value.getContext(), 64) : types.convertType(value.getType());
    if (!type || !LLVM::isCompatibleType(type))
      return failure();
    values.push_back(value);
    fields.push_back(type);
    return success();
  }

  LLVM::LLVMStructType structType(MLIRContext *context) const {
    return LLVM::LLVMStructType::getLiteral(context, fields);
  }

  /// In the caller: writes the values to the struct at `slot`.
  void pack(OpBuilder &b, Location loc, Value slot) const {
    for (auto [index, value] : llvm::enumerate(values)) {
      Value field = value.getType().isIndex() ? arith::IndexCastOp::create(b, loc, fields[index], value).getResult()
                                              : convert(b, loc, fields[index], value);
      LLVM::StoreOp::create(b, loc, field, address(b, loc, slot, index));
    }
  }

  /// In the outlined function: loads the values and copies the constants.
  void unpack(OpBuilder &b, Location loc, Value slot, IRMapping &mapping) const {
    for (Operation *op : copied)
      b.clone(*op, mapping);
    for (auto [index, value] : llvm::enumerate(values)) {
      Value field = LLVM::LoadOp::create(b, loc, fields[index], address(b, loc, slot, index));
      mapping.map(value, value.getType().isIndex()
                             ? arith::IndexCastOp::create(b, loc, b.getIndexType(), field).getResult()
                             : convert(b, loc, value.getType(), field));
    }
  }

private:
  static Value convert(OpBuilder &b, Location loc, Type type, Value value) {
    return value.getType() == type ? value : UnrealizedConversionCastOp::create(b, loc, type, value).getResult(0);
  }
  Value address(OpBuilder &b, Location loc, Value slot, size_t index) const {
    return LLVM::GEPOp::create(b, loc, slot.getType(), structType(b.getContext()), slot,
                               ArrayRef<LLVM::GEPArg>{0, int32_t(index)});
  }

  const LLVMTypeConverter &types;
  llvm::SmallDenseSet<Value> seen;
  SmallVector<Operation *> copied;
  SmallVector<Value> values;
  SmallVector<Type> fields; ///< LLVM types of `values`.
};

//===- Reductions ---------------------------------------------------------===//

/// One result of the loop: the values of the iterations, reduced with `combine` from its neutral element.
struct Reduction {
  Operation *combine; ///< An op on two block arguments.
  TypedAttr neutral;
  Type memoryType; ///< The LLVM type.
  Value partials;  ///< In the caller: pointer to kReductionPieces partial results.

  Value apply(OpBuilder &b, Value left, Value right) const {
    IRMapping mapping;
    mapping.map(combine->getBlock()->getArgument(0), left);
    mapping.map(combine->getBlock()->getArgument(1), right);
    return b.clone(*combine, mapping)->getResult(0);
  }
  Value element(OpBuilder &b, Location loc, Value base, Value piece) const {
    Value index = arith::IndexCastOp::create(b, loc, b.getI64Type(), piece);
    return LLVM::GEPOp::create(b, loc, base.getType(), memoryType, base, ArrayRef<LLVM::GEPArg>{index});
  }
  Value load(OpBuilder &b, Location loc, Value base, Value piece) const {
    Value value = LLVM::LoadOp::create(b, loc, memoryType, element(b, loc, base, piece));
    Type type = combine->getResult(0).getType();
    return type.isIndex() ? arith::IndexCastOp::create(b, loc, type, value).getResult() : value;
  }
  void store(OpBuilder &b, Location loc, Value value, Value base, Value piece) const {
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, loc, memoryType, value);
    LLVM::StoreOp::create(b, loc, value, element(b, loc, base, piece));
  }
};

/// Returns nothing if a reduction is not a single scalar op with a known neutral element.
std::optional<SmallVector<Reduction>> reductionsOf(scf::ParallelOp loop) {
  SmallVector<Reduction> result;
  for (Region &region : loop.getBody()->getTerminator()->getRegions()) {
    Block &block = region.front();
    Operation &combine = block.front();
    if (!llvm::hasNItems(block, 2) || combine.getNumResults() != 1 || !isPure(&combine) ||
        combine.getNumOperands() != 2 || combine.getOperand(0) == combine.getOperand(1) ||
        block.getTerminator()->getOperand(0) != combine.getResult(0))
      return std::nullopt;
    for (Value operand : combine.getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand); !argument || argument.getOwner() != &block)
        return std::nullopt;
    Type type = combine.getResult(0).getType();
    std::optional<TypedAttr> neutral;
    if (type.isIntOrIndexOrFloat())
      neutral = arith::getNeutralElement(&combine);
    if (!neutral)
      return std::nullopt;
    result.push_back({&combine, *neutral, type.isIndex() ? IntegerType::get(type.getContext(), 64) : type, Value()});
  }
  return result;
}

//===- Stack --------------------------------------------------------------===//

/// Whether the body allocates stack memory that must be released by restoring the stack pointer.
bool allocatesDynamically(scf::ParallelOp loop) {
  return loop.getRegion()
      .walk([](Operation *op) {
        bool dynamic = isa<LLVM::AllocaOp>(op) || (isa<memref::AllocaOp>(op) && op->getNumOperands() > 0);
        return dynamic ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Moves constant-size allocas in `op` to the function's entry block, so that iterations on one thread share them.
void hoistStaticAllocas(func::FuncOp function, Operation *op) {
  op->walk([&](memref::AllocaOp alloca) {
    if (alloca->getNumOperands() == 0 && !alloca->getParentOfType<memref::AllocaScopeOp>())
      alloca->moveBefore(&function.front(), function.front().begin());
  });
}

//===- One loop -----------------------------------------------------------===//

class Outlining {
public:
  Outlining(scf::ParallelOp loop, SmallVector<Reduction> reductions, int64_t grain, unsigned vectorBytes,
            const LLVMTypeConverter &types)
      : loop(loop), loc(loop.getLoc()), caller(loop->getParentOfType<func::FuncOp>()), grain(grain),
        vectorBytes(vectorBytes), reductions(std::move(reductions)), captures(types) {}

  /// Replaces the loop. Fails, leaving the IR unchanged, if the body uses a value that cannot be passed.
  LogicalResult run(SymbolTable &symbols);

private:
  func::FuncOp makeFunction(SymbolTable &symbols);
  void emitPieces(OpBuilder &b, Value begin, Value end, IRMapping &mapping);
  SmallVector<Value> emitRange(OpBuilder &b, Value begin, Value end, ValueRange inits, IRMapping &mapping);
  SmallVector<Value> emitIteration(OpBuilder &b, ArrayRef<Value> indices, ValueRange carried, IRMapping &mapping);
  SmallVector<Value> combinePieces(OpBuilder &b);
  Value stackSlot(Type type, int64_t count);

  scf::ParallelOp loop;
  Location loc;
  func::FuncOp caller;
  int64_t grain;
  unsigned vectorBytes;
  SmallVector<Reduction> reductions;
  Captures captures;
  scf::ForOp innermost;           ///< Of the function: the loop over the last dimension.
  SmallVector<Value> trips;       ///< Trip count of each dimension, in the caller.
  Value total, pieces, pieceSize; ///< Size of the flattened space; for reductions, number and size of the chunks.
};

/// Allocates in the entry block, so that an enclosing loop does not grow the stack in every iteration.
Value Outlining::stackSlot(Type type, int64_t count) {
  OpBuilder b = OpBuilder::atBlockBegin(&caller.front());
  Value size = arith::ConstantIntOp::create(b, loc, b.getI64Type(), count);
  return LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), type, size);
}

LogicalResult Outlining::run(SymbolTable &symbols) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(loop.getRegion(), used);
  used.insert_range(loop.getLowerBound());
  used.insert_range(loop.getStep());
  for (Value value : used)
    if (failed(captures.add(value)))
      return failure();

  OpBuilder b(loop);
  for (auto [lower, upper, step] : llvm::zip_equal(loop.getLowerBound(), loop.getUpperBound(), loop.getStep()))
    trips.push_back(emitTripCount(b, loc, lower, upper, step));
  total = trips.front();
  for (Value more : ArrayRef(trips).drop_front())
    total = b.createOrFold<arith::MulIOp>(loc, total, more);
  SmallVector<Value> needed(trips.begin() + 1, trips.end());
  Value count = total, smallest = constantIndex(b, loc, grain);
  if (!reductions.empty()) {
    pieceSize = b.createOrFold<arith::CeilDivSIOp>(loc, total, constantIndex(b, loc, kReductionPieces));
    pieceSize = b.createOrFold<arith::MaxSIOp>(loc, pieceSize, smallest);
    count = pieces = b.createOrFold<arith::CeilDivSIOp>(loc, total, pieceSize);
    smallest = constantIndex(b, loc, 1);
    needed.append({total, pieceSize});
    for (Reduction &reduction : reductions)
      needed.push_back(reduction.partials = stackSlot(reduction.memoryType, kReductionPieces));
  }
  for (Value value : needed)
    if (failed(captures.add(value)))
      llvm_unreachable("indices and pointers have LLVM types");

  func::FuncOp function = makeFunction(symbols);
  Value slot = stackSlot(captures.structType(b.getContext()), 1);
  captures.pack(b, loc, slot);
  Value address = func::ConstantOp::create(b, loc, function.getFunctionType(), SymbolRefAttr::get(function));
  address = UnrealizedConversionCastOp::create(b, loc, slot.getType(), address).getResult(0);
  auto asI64 = [&](Value index) { return arith::IndexCastOp::create(b, loc, b.getI64Type(), index).getResult(); };
  func::CallOp::create(b, loc, kParallelFor, TypeRange(), ValueRange{address, slot, asI64(count), asI64(smallest)});
  loop.replaceAllUsesWith(combinePieces(b));
  loop.erase();
  return success();
}

func::FuncOp Outlining::makeFunction(SymbolTable &symbols) {
  OpBuilder b(loop.getContext());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  FunctionType type = b.getFunctionType({pointer, b.getI64Type(), b.getI64Type()}, {});
  auto function = func::FuncOp::create(b, loc, (caller.getName() + "_parallel").str(), type);
  function.setPrivate();
  function->setAttr(device::kParallelBody, b.getUnitAttr());
  if (caller->hasAttr(device::kTuned))
    function->setAttr(device::kTuned, b.getUnitAttr());
  // Internal linkage: modules that are linked together may have functions of equal names.
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  symbols.insert(function, std::next(caller->getIterator()));

  b.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  captures.unpack(b, loc, function.getArgument(0), mapping);
  Value begin = arith::IndexCastOp::create(b, loc, b.getIndexType(), function.getArgument(1));
  Value end = arith::IndexCastOp::create(b, loc, b.getIndexType(), function.getArgument(2));
  if (reductions.empty())
    emitRange(b, begin, end, {}, mapping);
  else
    emitPieces(b, begin, end, mapping);
  func::ReturnOp::create(b, loc);
  vectorizeColumns(innermost, vectorBytes,
                   getConstantIntValue(trips.back()).value_or(std::numeric_limits<int64_t>::max()));
  hoistStaticAllocas(function, function);
  return function;
}

/// Reduces each chunk of [begin, end) separately and stores its results in the caller's arrays.
void Outlining::emitPieces(OpBuilder &b, Value begin, Value end, IRMapping &mapping) {
  SmallVector<Value> neutral;
  for (Reduction &reduction : reductions)
    neutral.push_back(arith::ConstantOp::create(b, loc, reduction.neutral));
  Value one = constantIndex(b, loc, 1);
  scf::ForOp::create(b, loc, begin, end, one, ValueRange(), [&](OpBuilder &b, Location, Value piece, ValueRange) {
    Value size = mapping.lookup(pieceSize);
    Value from = arith::MulIOp::create(b, loc, piece, size);
    Value to = arith::AddIOp::create(b, loc, from, size);
    to = arith::MinSIOp::create(b, loc, to, mapping.lookup(total));
    SmallVector<Value> results = emitRange(b, from, to, neutral, mapping);
    for (auto [reduction, value] : llvm::zip_equal(reductions, results))
      reduction.store(b, loc, value, mapping.lookup(reduction.partials), piece);
    scf::YieldOp::create(b, loc);
  });
}

/// Emits the iterations [begin, end) of the flattened space. The innermost dimension stays a loop, so that it can still
/// be vectorised; the index division happens once per row.
SmallVector<Value> Outlining::emitRange(OpBuilder &b, Value begin, Value end, ValueRange inits, IRMapping &mapping) {
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  auto inner = [&](OpBuilder &b, Value from, Value to, ValueRange inits, ArrayRef<Value> outer) {
    return innermost = scf::ForOp::create(b, loc, from, to, one, inits,
                                          [&](OpBuilder &b, Location, Value index, ValueRange carried) {
                                            SmallVector<Value> indices(outer);
                                            indices.push_back(index);
                                            scf::YieldOp::create(b, loc, emitIteration(b, indices, carried, mapping));
                                          });
  };
  if (trips.size() == 1)
    return SmallVector<Value>(inner(b, begin, end, inits, {}).getResults());

  Value length = mapping.lookup(trips.back());
  Value firstRow = arith::DivUIOp::create(b, loc, begin, length);
  Value lastRow = arith::CeilDivUIOp::create(b, loc, end, length);
  auto rows = scf::ForOp::create(
      b, loc, firstRow, lastRow, one, inits, [&](OpBuilder &b, Location, Value row, ValueRange carried) {
        Value start = arith::MulIOp::create(b, loc, row, length);
        Value from = arith::MaxSIOp::create(b, loc, arith::SubIOp::create(b, loc, begin, start), zero);
        Value to = arith::MinSIOp::create(b, loc, arith::SubIOp::create(b, loc, end, start), length);
        SmallVector<Value> outer(trips.size() - 1);
        for (size_t dim = outer.size(); dim-- > 1;) {
          Value size = mapping.lookup(trips[dim]);
          outer[dim] = arith::RemUIOp::create(b, loc, row, size);
          row = arith::DivUIOp::create(b, loc, row, size);
        }
        outer[0] = row;
        scf::YieldOp::create(b, loc, inner(b, from, to, carried, outer).getResults());
      });
  return SmallVector<Value>(rows.getResults());
}

/// Copies the body for one point of the space and returns `carried` with the point's values reduced into it.
SmallVector<Value> Outlining::emitIteration(OpBuilder &b, ArrayRef<Value> indices, ValueRange carried,
                                            IRMapping &outside) {
  IRMapping mapping(outside);
  for (auto [variable, index, lower, step] :
       llvm::zip_equal(loop.getInductionVars(), indices, loop.getLowerBound(), loop.getStep())) {
    Value value = index;
    if (!isConstantIntValue(step, 1))
      value = arith::MulIOp::create(b, loc, value, mapping.lookup(step));
    if (!isConstantIntValue(lower, 0))
      value = arith::AddIOp::create(b, loc, value, mapping.lookup(lower));
    mapping.map(variable, value);
  }
  Value stack;
  if (allocatesDynamically(loop))
    stack = LLVM::StackSaveOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()));
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, mapping);
  SmallVector<Value> results;
  for (auto [reduction, before, value] :
       llvm::zip_equal(reductions, carried, loop.getBody()->getTerminator()->getOperands()))
    results.push_back(reduction.apply(b, before, mapping.lookupOrDefault(value)));
  if (stack)
    LLVM::StackRestoreOp::create(b, loc, stack);
  return results;
}

/// In the caller, after the call: combines the chunks' results in order.
SmallVector<Value> Outlining::combinePieces(OpBuilder &b) {
  if (reductions.empty())
    return {};
  Value zero = constantIndex(b, loc, 0), one = constantIndex(b, loc, 1);
  auto all = scf::ForOp::create(
      b, loc, zero, pieces, one, loop.getInitVals(), [&](OpBuilder &b, Location, Value piece, ValueRange carried) {
        SmallVector<Value> next;
        for (auto [reduction, before] : llvm::zip_equal(reductions, carried))
          next.push_back(reduction.apply(b, before, reduction.load(b, loc, reduction.partials, piece)));
        scf::YieldOp::create(b, loc, next);
      });
  return SmallVector<Value>(all.getResults());
}

//===- The pass -----------------------------------------------------------===//

/// Collects the loops to outline: the outermost of each nest, or the loops inside it if it has one iteration.
void collect(func::FuncOp function, int64_t leastWork, SmallVectorImpl<std::pair<scf::ParallelOp, int64_t>> &loops) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::LaunchOp, scf::ForallOp>(op))
      return WalkResult::skip();
    auto loop = dyn_cast<scf::ParallelOp>(op);
    if (!loop)
      return WalkResult::advance();
    std::optional<int64_t> trips = staticTrips(loop);
    if (trips && *trips == 1)
      return WalkResult::advance();
    int64_t work = estimateCost(loop.getRegion());
    if (auto grain = loop->getAttrOfType<IntegerAttr>(kGrainAttr))
      loops.push_back({loop, std::max<int64_t>(1, grain.getInt())});
    else if (!trips || *trips >= int64_t(llvm::divideCeil(2 * leastWork, work)))
      loops.push_back({loop, int64_t(llvm::divideCeil(leastWork, work))});
    return WalkResult::skip();
  });
}

struct OutlineParallel : impl::OutlineParallelBase<OutlineParallel> {
  using OutlineParallelBase::OutlineParallelBase;

  void runOnOperation() override {
    SmallVector<std::pair<scf::ParallelOp, int64_t>> loops;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(device::kParallelBody))
        collect(function, std::max<int64_t>(1, leastWork), loops);
    if (loops.empty())
      return hoistAllocas();
    SymbolTable symbols(getOperation());
    if (failed(declareRuntime(symbols)))
      return signalPassFailure();
    LLVMTypeConverter types(&getContext());
    for (auto [loop, grain] : loops)
      if (auto reductions = reductionsOf(loop))
        (void)Outlining(loop, std::move(*reductions), grain, vectorBytes, types)
            .run(symbols); // Otherwise it stays sequential.
    hoistAllocas();
  }

  /// In loops that stay sequential, possibly in others, an alloca would take more of the stack in each iteration.
  void hoistAllocas() {
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](scf::ParallelOp loop) {
        if (!loop->getParentOfType<gpu::LaunchOp>())
          hoistStaticAllocas(function, loop);
      });
  }

  LogicalResult declareRuntime(SymbolTable &symbols) {
    OpBuilder b(&getContext());
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    FunctionType type = b.getFunctionType({pointer, pointer, b.getI64Type(), b.getI64Type()}, {});
    if (Operation *existing = symbols.lookup(kParallelFor)) {
      auto function = dyn_cast<func::FuncOp>(existing);
      if (function && function.getFunctionType() == type)
        return success();
      return existing->emitError("`") << kParallelFor << "` is a function of the runtime, of type " << type;
    }
    auto function = func::FuncOp::create(b, getOperation().getLoc(), kParallelFor, type);
    function.setPrivate();
    symbols.insert(function, getOperation().getBody()->begin());
    return success();
  }
};
} // namespace
} // namespace lispier
