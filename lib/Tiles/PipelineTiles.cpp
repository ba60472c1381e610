//===- PipelineTiles.cpp - copy tiles to shared memory ahead of their use -===//
//
// Before: a loop whose body reads tiles of global memory and multiplies them.
// After: the tiles of a step are copied asynchronously to slots of shared memory
// while earlier steps are multiplied; a step waits for its own copies only.
// Software pipelining as in Lam, "Software Pipelining", PLDI 1988, by upstream's
// scf::pipelineForLoop, with the number of steps known only at run time.
//
// Products of warpgroups read slots while the threads go on. If a loop does nothing
// with sums but carry them to its next product, that product may end in the next
// step; its slots are then free a step later.
//
//===----------------------------------------------------------------------===//
#include "ProductLayouts.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
#define GEN_PASS_DEF_PIPELINETILES
#include "lispier/Tiles/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
bool isShared(Value memref) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(cast<MemRefType>(memref.getType()));
}

/// Whether a product takes the tile, as it is, transposed or widened.
bool feedsProduct(Value tile) {
  return llvm::any_of(tile.getUsers(), [](Operation *user) {
    if (isa<vector::ContractionOp>(user))
      return true;
    return isa<vector::TransposeOp, arith::ExtFOp>(user) && feedsProduct(user->getResult(0));
  });
}

/// An asynchronous copy fills what it does not read with zeros.
bool hasZeroPadding(vector::TransferReadOp read) {
  return matchPattern(read.getPadding(), m_AnyZeroFloat()) || matchPattern(read.getPadding(), m_Zero());
}

class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int64_t stages)
      : loop(loop), kernel(loop->getParentOfType<gpu::GPUFuncOp>()), stages(stages), b(loop) {}

  /// Does nothing to a loop without tiles to copy ahead. Fails, after reporting it, if the loop cannot be rewritten.
  LogicalResult run();

private:
  std::optional<SmallVector<Operation *>> addressOf(vector::TransferReadOp read);
  void leaveProductsInFlight();
  void stage(vector::TransferReadOp read, ArrayRef<Operation *> address, Operation *commit);
  Value slot(Location loc);
  Value lastStep(Location loc);
  void copyAlways(scf::ForOp pipelined);
  Value constant(Location loc, int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }

  scf::ForOp loop;
  gpu::GPUFuncOp kernel;
  int64_t stages;
  int64_t distance = stages - 1; ///< How many steps ahead tiles are copied.
  Value last;                    ///< See lastStep; null if no steps are copied that there are not.
  OpBuilder b;
  DenseSet<Operation *> ahead; ///< Ops that run `distance` steps before their own.
};

/// The ops of the body that compute the read's indices and mask, in order; nullopt if they depend on carried values,
/// memory or nested loops, so that they cannot run ahead.
std::optional<SmallVector<Operation *>> LoopPipeliner::addressOf(vector::TransferReadOp read) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> waiting(read->getOperands());
  while (!waiting.empty()) {
    Value value = waiting.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == loop.getBody()) {
      if (argument != loop.getInductionVar())
        return std::nullopt;
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      continue;
    if (!isPure(op) || op->getNumRegions())
      return std::nullopt;
    if (ops.insert(op))
      llvm::append_range(waiting, op->getOperands());
  }
  SmallVector<Operation *> ordered(ops.begin(), ops.end());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// The slot of the current step: its number, counted from 0, modulo the number of stages.
Value LoopPipeliner::slot(Location loc) {
  Value from = arith::SubIOp::create(b, loc, loop.getInductionVar(), loop.getLowerBound());
  Value step = arith::DivUIOp::create(b, loc, from, loop.getStep());
  return arith::RemUIOp::create(b, loc, step, constant(loc, stages));
}

/// The loop's counter in its last step, computed before the loop.
Value LoopPipeliner::lastStep(Location loc) {
  auto sub = [&](Value a, Value c) { return b.createOrFold<arith::SubIOp>(loc, a, c); };
  Value from = sub(sub(loop.getUpperBound(), constant(loc, 1)), loop.getLowerBound());
  Value steps = b.createOrFold<arith::DivSIOp>(loc, from, loop.getStep());
  Value along = b.createOrFold<arith::MulIOp>(loc, steps, loop.getStep());
  return b.createOrFold<arith::AddIOp>(loc, loop.getLowerBound(), along);
}

/// Makes `read` a read of shared memory, and copies its tile there before `commit`.
void LoopPipeliner::stage(vector::TransferReadOp read, ArrayRef<Operation *> address, Operation *commit) {
  Location loc = read.getLoc();
  VectorType tile = read.getVectorType();
  SmallVector<int64_t> shape{stages};
  llvm::append_range(shape, tile.getShape());
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get(shape, tile.getElementType(), MemRefLayoutAttrInterface(), space);
  Value slots = kernel.addWorkgroupAttribution(type, loc);

  b.setInsertionPoint(commit);
  Operation *before = commit->getPrevNode();
  IRMapping mapping;
  if (last)
    mapping.map(loop.getInductionVar(), arith::MinSIOp::create(b, loc, loop.getInductionVar(), last).getResult());
  for (Operation *op : address)
    b.clone(*op, mapping);
  auto source = cast<vector::TransferReadOp>(b.clone(*read, mapping));
  SmallVector<Value> at(tile.getRank() + 1, constant(loc, 0));
  at[0] = slot(loc);
  SmallVector<bool> inBounds(tile.getRank(), true);
  AffineMap minor = AffineMap::getMinorIdentityMap(tile.getRank() + 1, tile.getRank(), b.getContext());
  vector::TransferWriteOp::create(b, loc, source.getResult(), slots, at, minor, inBounds);
  for (Operation *op = before->getNextNode(); op != commit; op = op->getNextNode())
    ahead.insert(op);

  b.setInsertionPoint(read);
  at.assign(tile.getRank() + 1, constant(loc, 0));
  at[0] = slot(loc);
  auto staged = vector::TransferReadOp::create(b, loc, tile, slots, at, read.getPadding(), minor, inBounds);
  read.replaceAllUsesWith(staged.getResult());
  read.erase();
}

/// Whether a loop hands a product's result to that product's next step as its acc, and to nothing else in the loop.
bool isOnlyCarried(scf::ForOp loop, vector::ContractionOp product) {
  auto acc = dyn_cast<BlockArgument>(product.getAcc());
  if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse() || !product->hasOneUse())
    return false;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(acc);
  return yielded && yielded->get() == product.getResult();
}

/// Marks the loop's products as such that may end in the next step, if there is a slot to spare.
void LoopPipeliner::leaveProductsInFlight() {
  constexpr int64_t kStages = 4;
  const lispier::TargetInfo *target = lispier::device::targetInfoOf(kernel);
  auto products = llvm::to_vector(loop.getBody()->getOps<vector::ContractionOp>());
  if (stages < kStages || !target || products.empty())
    return;
  lispier::BlockShape block{target->warpWidth, unsigned(lispier::tile::programOf(kernel).getWarps())};
  if (!llvm::all_of(products, [&](vector::ContractionOp product) {
        return isOnlyCarried(loop, product) && lispier::isOfWarpgroups(product, *target, block);
      }))
    return;
  for (vector::ContractionOp product : products)
    product->setAttr(lispier::tile::kInFlight, b.getUnitAttr());
  distance = stages - 2;
}

/// Moves a copy into a branch that is taken only while there is a step to copy for.
Operation *predicate(RewriterBase &rewriter, Operation *op, Value isStep) {
  auto write = dyn_cast<vector::TransferWriteOp>(op);
  if (!write)
    return op; // Computes an address, or counts a group of copies, which may be empty.
  auto branch = scf::IfOp::create(rewriter, op->getLoc(), isStep, /*withElseRegion=*/false);
  Operation *read = write.getValueToStore().getDefiningOp();
  rewriter.moveOpBefore(read, branch.thenYield());
  rewriter.moveOpBefore(write, branch.thenYield());
  return branch;
}

/// Of a target whose copies go through registers. A branch in each step would keep reads from the products beside them,
/// so that after the last steps, too, a tile is copied, the last one, to a slot that nothing reads.
void LoopPipeliner::copyAlways(scf::ForOp pipelined) {
  for (auto branch : llvm::make_early_inc_range(pipelined.getBody()->getOps<scf::IfOp>())) {
    auto write = dyn_cast<vector::TransferWriteOp>(branch.thenBlock()->front().getNextNode());
    if (!write || !isShared(write.getBase()))
      continue;
    for (Operation &op : llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
      op.moveBefore(branch);
    branch.erase();
  }
}

LogicalResult LoopPipeliner::run() {
  // A write to global memory may change what a read that runs ahead would see.
  WalkResult writes = loop.getBody()->walk([](Operation *op) {
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    bool pure =
        isPure(op) || isa<vector::TransferReadOp>(op) || (effects && !effects.hasEffect<MemoryEffects::Write>());
    return pure ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (writes.wasInterrupted())
    return success();
  SmallVector<std::pair<vector::TransferReadOp, SmallVector<Operation *>>> reads;
  for (auto read : loop.getBody()->getOps<vector::TransferReadOp>())
    if (!isShared(read.getBase()) && read.getVectorType().getRank() >= 2 && feedsProduct(read) &&
        hasZeroPadding(read) && read.getPermutationMap().isMinorIdentity())
      if (std::optional<SmallVector<Operation *>> address = addressOf(read))
        reads.push_back({read, std::move(*address)});
  if (reads.empty())
    return success();

  const lispier::TargetInfo *target = lispier::device::targetInfoOf(kernel);
  Location loc = loop.getLoc();
  if (target && !target->copiesAsync && target->warpWidth > 32)
    last = lastStep(loc);
  // A step: wait for its copies, and for all threads' reads of the step before; begin the copies of a later step;
  // compute.
  b.setInsertionPoint(&loop.getBody()->front());
  auto wait = lispier::tile::WaitCopiesOp::create(b, loc, stages - 2);
  gpu::BarrierOp::create(b, loc);
  Operation *commit = lispier::tile::CommitCopiesOp::create(b, loc);
  ahead.insert(commit);
  for (auto &[read, address] : reads)
    stage(read, address, commit);
  leaveProductsInFlight();
  wait.setPending(distance - 1);
  if (loop->getParentOfType<LoopLikeOpInterface>()) { // The slots may still be read by the loop's last execution.
    b.setInsertionPoint(loop);
    gpu::BarrierOp::create(b, loc);
  }

  scf::PipeliningOption options;
  options.supportDynamicLoops = true;
  options.peelEpilogue = false;
  options.predicateFn = predicate;
  options.getScheduleFn = [&](scf::ForOp of, std::vector<std::pair<Operation *, unsigned>> &schedule) {
    for (Operation &op : of.getBody()->without_terminator())
      schedule.push_back({&op, ahead.contains(&op) ? 0u : unsigned(distance)});
  };
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  bool modified = false;
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, loop, options, &modified);
  if (failed(pipelined))
    return emitError(loc, "this loop cannot be pipelined; give the tile program `:stages 1`");
  if (last)
    copyAlways(*pipelined);
  return success();
}

struct PipelineTiles : lispier::impl::PipelineTilesBase<PipelineTiles> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      lispier::tile::ProgramAttr program = lispier::tile::programOf(kernel);
      if (!program || program.getStages() < 2)
        continue;
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops)
        if (failed(LoopPipeliner(loop, program.getStages()).run()))
          return signalPassFailure();
    }
  }
};
} // namespace
