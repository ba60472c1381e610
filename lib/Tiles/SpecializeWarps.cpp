//===- SpecializeWarps.cpp - a warp that copies tiles for the others ------===//
//
// Before: a tile program with `ring`, or of large tiles that may have one, whose loop
// reads tiles and does nothing but to multiply them. After: tile.roles. One lane of a further warp copies tiles to the
// slots of a ring as they become vacant; the program's warps multiply what has come,
// and release a step's slots in the next step, in which its products end at the
// latest. Nothing else orders the two. A block computes one tile of the result after
// the other, as many blocks as there are multiprocessors all of them, so that the
// first steps of a tile are copied while the sums of the one before are written
// (warp specialization and persistent kernels as in CUTLASS).
//
//===----------------------------------------------------------------------===//
#include "ComputingLoops.h"
#include "LayoutRules.h"
#include "PersistentTiles.h"
#include "ProductLayouts.h"
#include "RingResults.h"
#include "RingSlots.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tile/TileSlots.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace lispier {
#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "lispier/Tiles/Passes.h.inc"
} // namespace lispier

using namespace mlir;
using namespace lispier;

namespace {
constexpr int64_t kLate = 1; ///< A step releases what the step before has read.

/// A loop of products, and what a program does around it.
class RingProgram {
public:
  RingProgram(gpu::GPUFuncOp kernel, const TargetInfo &target, ArrayRef<gpu::LaunchFuncOp> launches)
      : kernel(kernel), target(target), program(tile::programOf(kernel)), b(kernel.getLoc(), kernel.getContext()),
        tiles(b, kernel, target, launches), results(b) {}

  /// Whether the program is one that `run` can rewrite.
  bool fits();
  void run();

private:
  scf::ForOp loopOfOneStep(Block &body);
  bool fitsLoop();
  bool isWanted();
  bool fitsProduct(vector::ContractionOp product);
  bool fitsMemory();
  int64_t bytesOfStep();

  void makeProducer(Block &block);
  void makeConsumer(Block &block);
  Value fillTiles(scf::ForOp copy, IRMapping &mapping, Value number);
  Value multiply(IRMapping &mapping, Value number);
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value i32(int64_t value) { return arith::ConstantIntOp::create(b, value, 32); }
  Value next(Value number) { return arith::AddIOp::create(b, number, i32(1)); }

  gpu::GPUFuncOp kernel;
  const TargetInfo &target;
  tile::ProgramAttr program;
  ImplicitLocOpBuilder b;
  PersistentTiles tiles;
  RingResults results;
  scf::ForOp loop;
  SmallVector<vector::TransferReadOp> reads;
  SmallVector<vector::ContractionOp> products;
  SmallVector<Operation *> before; ///< The program's ops.
  SmallVector<Value> slots;        ///< Of each read.
  Value ring, buffers;
};

/// Both factors from the loop's reads, and sums that only the loop carries.
bool RingProgram::fitsProduct(vector::ContractionOp product) {
  auto isRead = [&](Value tile) {
    auto read = tile.getDefiningOp<vector::TransferReadOp>();
    return read && read->getBlock() == loop.getBody();
  };
  if (!isRead(product.getLhs()) || !isRead(product.getRhs()) || !multipliesFromSlots(product, program.getWarps()))
    return false;
  auto sums = dyn_cast<BlockArgument>(product.getAcc());
  if (!sums || sums.getOwner() != loop.getBody() || !sums.hasOneUse() || !product->hasOneUse())
    return false;
  OpOperand *yielded = loop.getTiedLoopYieldedValue(sums);
  return yielded && yielded->get() == product.getResult();
}

bool RingProgram::fitsLoop() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
      if (!fitsSlot(read))
        return false;
      reads.push_back(read);
    } else if (auto product = dyn_cast<vector::ContractionOp>(op)) {
      if (!fitsProduct(product))
        return false;
      products.push_back(product);
    } else if (!isMemoryEffectFree(&op) || op.getNumRegions() || llvm::any_of(op.getOperands(), [&](Value value) {
                 return isTile(value) || llvm::is_contained(loop.getRegionIterArgs(), value);
               })) {
      return false;
    }
  }
  return !products.empty() && loop.getNumRegionIterArgs() == products.size();
}

/// Whether the program asks for a ring, or is faster by one.
bool RingProgram::isWanted() {
  int64_t sums = 0;
  for (vector::ContractionOp product : products)
    sums += cast<VectorType>(product.getResultType()).getNumElements();
  return program.getRing() || sums >= tile::kLeastOfRing;
}

int64_t RingProgram::bytesOfStep() {
  int64_t bytes = 0;
  for (vector::TransferReadOp read : reads)
    bytes += llvm::alignTo(read.getVectorType().getNumElements() * elementBytes(read.getVector()), kSlotAlignment);
  return bytes;
}

bool RingProgram::fitsMemory() {
  int64_t bytes = program.getStages() * bytesOfStep() + kSlotAlignment; // And the ring itself.
  if (MemRefType type = results.buffersType())
    bytes += type.getNumElements() * kSlotElementBytes;
  return bytes <= std::max(target.sharedBytes, target.maxSharedBytes);
}

/// Makes a loop of products whose factors are read in one step; null if there are none.
scf::ForOp RingProgram::loopOfOneStep(Block &body) {
  auto found = llvm::to_vector(body.getOps<vector::ContractionOp>());
  auto isRead = [&](Value tile) {
    auto read = tile.getDefiningOp<vector::TransferReadOp>();
    return read && read->getBlock() == &body && fitsSlot(read);
  };
  if (found.empty() || !llvm::all_of(found, [&](vector::ContractionOp each) {
        Operation *sums = each.getAcc().getDefiningOp();
        return isRead(each.getLhs()) && isRead(each.getRhs()) && sums && sums->isBeforeInBlock(found.front()) &&
               llvm::all_of(each->getUsers(), [&](Operation *user) { return found.back()->isBeforeInBlock(user); });
      }))
    return {};
  b.setInsertionPoint(found.back());
  SmallVector<Value> inits = llvm::map_to_vector(found, [](vector::ContractionOp each) { return each.getAcc(); });
  auto made = scf::ForOp::create(b, index(0), index(1), index(1), inits);
  SmallVector<Value> sums;
  for (auto [i, product] : llvm::enumerate(found)) {
    product.getResult().replaceAllUsesWith(made.getResult(i));
    product.getAccMutable().assign(made.getRegionIterArg(i));
    for (Value factor : {product.getLhs(), product.getRhs()})
      if (factor.getParentBlock() == &body)
        factor.getDefiningOp()->moveBefore(made.getBody(), made.getBody()->end());
    product->moveBefore(made.getBody(), made.getBody()->end());
    sums.push_back(product.getResult());
  }
  b.setInsertionPointToEnd(made.getBody());
  scf::YieldOp::create(b, sums);
  return made;
}

bool RingProgram::fits() {
  constexpr int64_t kFewestSlots = 3; // One is read, one released late, one on its way.
  if (!target.has(Ability::Wgmma) || program.getWarps() % 4 || program.getStages() < kFewestSlots ||
      !llvm::hasSingleElement(kernel.getBody()) || !tiles.fits())
    return false;
  Block &body = kernel.getBody().front();
  auto loops = llvm::to_vector(body.getOps<scf::ForOp>());
  scf::ForOp ofOneStep = loops.empty() ? loopOfOneStep(body) : scf::ForOp();
  if (loops.size() + (ofOneStep ? 1 : 0) != 1)
    return false;
  loop = ofOneStep ? ofOneStep : loops.front();
  for (Operation &op : body.without_terminator())
    before.push_back(&op);
  if (loop.getInductionVar().getType().isIndex() && fitsLoop() && isWanted() && results.fits(loop, before) &&
      fitsMemory())
    return true;
  IRRewriter rewriter(kernel.getContext());
  if (ofOneStep)
    (void)ofOneStep.promoteIfSingleIteration(rewriter);
  return false;
}

/// One step of the producer: the tiles of fill `number`.
Value RingProgram::fillTiles(scf::ForOp copy, IRMapping &mapping, Value number) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(copy.getBody());
  mapping.map(loop.getInductionVar(), copy.getInductionVar());
  for (Operation &op : loop.getBody()->without_terminator())
    if (!isa<vector::TransferReadOp, vector::ContractionOp>(op))
      b.clone(op, mapping);
  tile::VacantOp::create(b, ring, number, bytesOfStep(), kLate);
  for (auto [read, memory] : llvm::zip_equal(reads, slots)) {
    SmallVector<Value> indices =
        llvm::map_to_vector(read.getIndices(), [&](Value each) { return mapping.lookupOrDefault(each); });
    tile::FillOp::create(b, read.getBase(), indices, memory, ring, number, /*map=*/Value());
  }
  scf::YieldOp::create(b, next(number));
  return copy.getResult(0);
}

void RingProgram::makeProducer(Block &block) {
  b.setInsertionPointToStart(&block);
  IRMapping mapping;
  tiles.makeLoop(before, 1, mapping, [&](ValueRange numbers) -> SmallVector<Value> {
    // What the loop needs; the rest goes as dead.
    for (Operation *op : before) {
      if (op == loop)
        break;
      if (!isa<gpu::BlockIdOp, gpu::GridDimOp>(op) && llvm::none_of(op->getResults(), isTile))
        b.clone(*op, mapping);
    }
    auto at = [&](Value value) { return mapping.lookupOrDefault(value); };
    auto copy = scf::ForOp::create(b, at(loop.getLowerBound()), at(loop.getUpperBound()), at(loop.getStep()), numbers);
    return {fillTiles(copy, mapping, copy.getRegionIterArg(0))};
  });
}

/// The loop of the program's warps; returns the number of the fill behind it.
Value RingProgram::multiply(IRMapping &mapping, Value number) {
  auto at = [&](Value value) { return mapping.lookupOrDefault(value); };
  SmallVector<Value> inits = llvm::map_to_vector(loop.getInits(), at);
  inits.push_back(number);
  auto made = scf::ForOp::create(b, at(loop.getLowerBound()), at(loop.getUpperBound()), at(loop.getStep()), inits);
  mapping.map(loop.getRegionIterArgs(), made.getRegionIterArgs().drop_back());
  mapping.map(loop.getResults(), made.getResults().drop_back());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(made.getBody());
  Value fill = made.getRegionIterArgs().back();
  tile::FilledOp::create(b, ring, fill);
  for (auto [read, memory] : llvm::zip_equal(reads, slots))
    mapping.map(read.getResult(), readSlot(b, read.getVectorType(), memory, fill, program.getStages()));
  SmallVector<Value> sums;
  for (vector::ContractionOp product : products)
    b.clone(*product, mapping)->setAttr(tile::kInFlight, b.getUnitAttr());
  for (Value yielded : loop.getYieldedValues())
    sums.push_back(at(yielded));
  tile::ReleaseOp::create(b, ring, fill, kLate);
  sums.push_back(next(fill));
  scf::YieldOp::create(b, sums);
  return made.getResults().back();
}

void RingProgram::makeConsumer(Block &block) {
  b.setInsertionPointToStart(&block);
  IRMapping mapping;
  tiles.makeLoop(before, 1, mapping, [&](ValueRange numbers) -> SmallVector<Value> {
    Value number = numbers.front();
    for (Operation *op : before)
      if (op == loop) {
        for (Value init : loop.getInits())
          results.whole(init, mapping);
        number = multiply(mapping, number);
      } else if (!isa<gpu::BlockIdOp, gpu::GridDimOp, vector::TransferWriteOp>(op) &&
                 llvm::none_of(op->getResults(), isTile)) {
        b.clone(*op, mapping);
      }
    results.make(mapping, buffers);
    return {number};
  });
  if (buffers)
    tile::DrainedOp::create(b, /*pending=*/0, /*written=*/true);
}

void RingProgram::run() {
  tiles.addGridSizes(/*asConstants=*/false);
  auto addMemory = [&](ArrayRef<int64_t> shape, Type element) {
    auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
    return kernel.addWorkgroupAttribution(MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space),
                                          kernel.getLoc());
  };
  for (vector::TransferReadOp read : reads) {
    SmallVector<int64_t> shape{program.getStages()};
    llvm::append_range(shape, read.getVectorType().getShape());
    slots.push_back(addMemory(shape, read.getVectorType().getElementType()));
  }
  if (MemRefType type = results.buffersType())
    buffers = addMemory(type.getShape(), type.getElementType());
  ring = addMemory({2, program.getStages()}, b.getI64Type());
  b.setInsertionPoint(kernel.getBody().front().getTerminator());
  auto roles = tile::RolesOp::create(b, ValueRange(ring), /*grants=*/false);
  makeProducer(roles.getProduce().emplaceBlock());
  makeConsumer(roles.getConsume().emplaceBlock());
  for (Operation *op : llvm::reverse(before)) {
    op->dropAllUses();
    op->erase();
  }
}

struct SpecializeWarps : lispier::impl::SpecializeWarpsBase<SpecializeWarps> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    llvm::DenseMap<Operation *, SmallVector<gpu::LaunchFuncOp>> launches;
    SmallVector<gpu::GPUFuncOp> kernels;
    for (gpu::GPUFuncOp kernel : device::kernelsOf(getOperation()))
      if (tile::ProgramAttr program = tile::programOf(kernel);
          program && (program.getRing() || kernel->hasAttr(tile::kRingAllowed)))
        kernels.push_back(kernel);
    if (kernels.empty())
      return;
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      launches[symbols.lookupNearestSymbolFrom(launch, launch.getKernel())].push_back(launch);
    });
    for (gpu::GPUFuncOp kernel : kernels)
      if (const TargetInfo *target = device::targetInfoOf(kernel)) {
        RingProgram program(kernel, *target, launches[kernel]);
        if (program.fits())
          program.run();
        else if (tile::programOf(kernel).getRing())
          specializeComputingLoops(kernel, *target, launches[kernel]);
        kernel->removeAttr(tile::kRingAllowed);
      }
  }
};
} // namespace
