//===- DistributeTiles.cpp - from tile programs to threads ----------------===//
//
// Before: a tile program whose tiles have layouts, launched with one thread in a
// block. After: a kernel of which each thread has its elements of each tile, in
// vectors of one dimension, launched with the program's warps. Memory of the block
// is allocated where it is used, and has no barriers: ShareMemory comes next.
//
//===----------------------------------------------------------------------===//
#include "CarriedValues.h"
#include "DelayReads.h"
#include "DelayStores.h"
#include "DelayWaits.h"
#include "DistributeControl.h"
#include "DistributeRoles.h"
#include "KeptFactors.h"
#include "LayoutRules.h"
#include "MemoryOrder.h"
#include "RegisterNeed.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_DISTRIBUTETILES
#include "lispier/Tiles/Passes.h.inc"

namespace {
bool hasTiles(Operation *op) {
  auto isVector = llvm::IsaPred<VectorType>;
  return llvm::any_of(op->getResultTypes(), isVector) || llvm::any_of(op->getOperandTypes(), isVector);
}

class Distributor {
public:
  Distributor(gpu::GPUFuncOp kernel, const TargetInfo &target, BlockShape block)
      : kernel(kernel), d(kernel, target, block), inOrder(accessesInOrder(kernel)) {}

  LogicalResult run() {
    Block &body = kernel.getBody().front();
    SmallVector<Operation *> before;
    for (Operation &op : llvm::make_range(d.b.getInsertionPoint(), std::prev(body.end())))
      before.push_back(&op);
    d.b.setInsertionPoint(body.getTerminator());
    for (Operation *op : before)
      if (failed(distribute(op)))
        return failure();
    for (Operation *op : llvm::reverse(before)) {
      op->dropAllUses();
      op->erase();
    }
    delayStores(kernel);
    delayReads(kernel);
    delayWaits(kernel);
    markKeptFactors(kernel);
    return success();
  }

private:
  LogicalResult distributeBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      if (failed(distribute(&op)))
        return failure();
    return success();
  }

  /// Of a block without a terminator.
  LogicalResult distributeOps(Block &block) {
    for (Operation &op : block)
      if (failed(distribute(&op)))
        return failure();
    return success();
  }

  LogicalResult distribute(Operation *op) {
    d.b.setLoc(op->getLoc());
    if (auto roles = dyn_cast<tile::RolesOp>(op))
      return distributeRoles(d, roles, [&](Block &block) { return distributeOps(block); });
    if (auto vacate = dyn_cast<tile::VacateOp>(op))
      return distributeVacate(d, vacate);
    if (auto drain = dyn_cast<tile::DrainOp>(op))
      return distributeDrain(d, drain);
    if (auto turn = dyn_cast<tile::TurnOp>(op))
      return distributeTurn(d, turn);
    if (carriesValues(op))
      return distributeControl(d, op, [&](Block &block) { return distributeBlock(block); });
    if (inOrder.contains(op))
      gpu::BarrierOp::create(d.b);
    if (!hasTiles(op))
      return distributeScalar(op);
    if (failed(readLayouts(op)))
      return failure();
    return distributeTiles(op);
  }

  LogicalResult readLayouts(Operation *op) {
    if (auto convert = dyn_cast<tile::ConvertOp>(op))
      return d.setLayout(convert.getResult(), convert.getLayout());
    Attribute layout = op->getAttr(tile::kLayout);
    if (!layout && isa<vector::TransferReadOp>(op) && isReadByWarpgroups(cast<vector::TransferReadOp>(op)))
      return success();
    auto layouts = dyn_cast_or_null<ArrayAttr>(layout);
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      if (isTile(result) && failed(d.setLayout(result, layouts ? layouts[i] : layout)))
        return failure();
    return success();
  }

  LogicalResult distributeTiles(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](vector::TransferReadOp read) {
          if (isCopied(read) || isReadByWarpgroups(read)) // With the write; by the products.
            return success();
          return isShared(read) ? distributeSharedRead(d, read) : distributeRead(d, read);
        })
        .Case([&](vector::TransferWriteOp write) {
          return isShared(write) ? distributeCopy(d, write) : distributeWrite(d, write);
        })
        .Case<vector::BroadcastOp, vector::TransposeOp, vector::ShapeCastOp, vector::ExtractStridedSliceOp>(
            [&](Operation *op) { return distributeReshape(d, op); })
        .Case([&](vector::MultiDimReductionOp reduction) { return distributeReduction(d, reduction); })
        .Case([&](vector::ContractionOp product) { return distributeProduct(d, product); })
        .Case([&](tile::StageOp stage) { return distributeStage(d, stage); })
        .Case([&](vector::ScanOp scan) { return distributeScan(d, scan); })
        .Case<tile::GatherOp, tile::ScatterOp, tile::AtomicAddOp>(
            [&](Operation *op) { return distributeScattered(d, op); })
        .Case([&](vector::ExtractOp extract) { return distributeExtract(extract); })
        .Case([&](tile::ConvertOp convert) {
          d.set(convert.getResult(), convertLayout(d, d.get(convert.getSource()), d.layoutOf(convert.getSource()),
                                                   d.layoutOf(convert.getResult())));
          return success();
        })
        .Default([&](Operation *op) -> LogicalResult {
          if (isMadeWhereUsed(op))
            return distributeElementwise(d, op);
          return op->emitOpError("has no meaning for threads yet; dialects/Tile/README.md lists what tile programs "
                                 "consist of");
        });
  }

  /// Of a tile of one element, of which each thread has a copy.
  LogicalResult distributeExtract(vector::ExtractOp extract) {
    if (isTile(extract.getResult()) || d.layoutOf(extract.getSource()).numElements() != 1)
      return extract.emitOpError(
          "takes an element of a tile of several, which one thread has; reduce the tile, or load "
          "the element");
    d.set(extract.getResult(), d.elements(d.get(extract.getSource())).front());
    return success();
  }

  /// Every thread computes the same scalars; what changes memory does so once, between barriers.
  LogicalResult distributeScalar(Operation *op) {
    if (op->getNumRegions())
      return op->emitOpError("has no meaning for threads yet; a tile program has scf.for, scf.while, scf.if and "
                             "scf.index_switch");
    bool isOfCopies = isa<tile::CommitCopiesOp, tile::WaitCopiesOp>(op);
    if (isOfCopies && !d.target.copiesAsync)
      return success();             // Copies have ended when their threads go on.
    if (isa<tile::ReleaseOp>(op)) { // For its warp.
      d.onlyIf(arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, d.lane(), d.i32(0)),
               [&] { d.b.clone(*op, d.mapping()); });
      return success();
    }
    bool isOfAll = isOfCopies || isa<gpu::BarrierOp, device::RequireIndexOp, tile::VacantOp, tile::FillOp,
                                     tile::FilledOp, tile::DrainedOp, tile::AgainOp>(op);
    if (isOfAll || !hasEffect<MemoryEffects::Write>(op)) {
      d.b.clone(*op, d.mapping());
      return success();
    }
    if (op->getNumResults())
      return op->emitOpError("returns a value from memory that it changes, which only one thread would have");
    gpu::BarrierOp::create(d.b);
    Value number = arith::OrIOp::create(d.b, d.lane(), d.warp());
    d.onlyIf(arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, number, d.i32(0)),
             [&] { d.b.clone(*op, d.mapping()); });
    gpu::BarrierOp::create(d.b);
    return success();
  }

  gpu::GPUFuncOp kernel;
  Distribution d;
  llvm::DenseSet<Operation *> inOrder;
};

void setBlockSize(gpu::LaunchFuncOp launch, int64_t threads) {
  OpBuilder builder(launch);
  Value one = arith::ConstantIndexOp::create(builder, launch.getLoc(), 1);
  launch.getBlockSizeXMutable().assign(arith::ConstantIndexOp::create(builder, launch.getLoc(), threads));
  launch.getBlockSizeYMutable().assign(one);
  launch.getBlockSizeZMutable().assign(one);
}

std::string describe(VectorType type) {
  std::string shape =
      llvm::join(llvm::map_range(type.getShape(), [](int64_t size) { return std::to_string(size); }), " ");
  return debugString(type.getElementType()) + " [" + shape + "]";
}

/// Why a tile takes more registers than its elements, if it does.
StringRef whyRepeated(const RegisterNeed &need, int64_t threads, VectorType type) {
  bool isOdd = llvm::any_of(type.getShape(), [](int64_t size) { return size > 1 && size % 2; });
  int64_t needed = llvm::divideCeil(type.getNumElements() * elementBytes(need.largest), threads * 4);
  return isOdd && need.registers >= 2 * needed ? "; only factors of two of a size are divided among threads" : "";
}

tile::RolesOp rolesOf(gpu::GPUFuncOp kernel) {
  auto roles = kernel.getBody().front().getOps<tile::RolesOp>();
  return roles.empty() ? tile::RolesOp() : *roles.begin();
}

/// The warps of a block: those of the program, and one that copies for them, or four that leave registers to them.
int64_t warpsOfBlock(gpu::GPUFuncOp kernel) {
  int64_t warps = tile::programOf(kernel).getWarps();
  tile::RolesOp roles = rolesOf(kernel);
  return !roles ? warps : warps + (roles.getGrants() ? 4 : 1);
}

/// A program that would keep most of its tiles in memory is slow to compile, and slower to run; so is one whose
/// accesses are thousands of instructions.
LogicalResult checkRegisters(gpu::GPUFuncOp kernel, const TargetInfo &target, BlockShape block) {
  constexpr int64_t kMostAccessed = 512, kQuarters = 4, kMoreOfRings = 8;
  int64_t threads = int64_t(block.lanes) * warpsOfBlock(kernel);
  RegisterNeed need = registerNeed(kernel);
  // Each quarter of a multiprocessor has a quarter of the registers, and of the warps, the first one more.
  int64_t most = std::min<int64_t>(target.maxRegisters,
                                   target.blockRegisters / llvm::alignTo(threads, kQuarters * int64_t(block.lanes)));
  tile::RolesOp roles = rolesOf(kernel);
  if (roles && roles.getGrants())
    most = grantedRegisters(block.warps, block.lanes, target.blockRegisters).ofConsumers;
  // What has a ring where memory is aligned may keep some tiles in memory where it is not, which is rare.
  if (!roles && tile::programOf(kernel).getRing())
    most += most / kMoreOfRings;
  if (need.at && target.maxRegisters && need.registers > most) {
    auto type = cast<VectorType>(need.largest.getType());
    InFlightDiagnostic error = emitError(need.at->getLoc());
    error << "the tiles that are in use here take " << need.registers << " registers of each of " << threads
          << " threads, which have " << most << " at most: use smaller tiles, more warps, or a fold over chunks";
    error.attachNote(need.largest.getLoc())
        << "the largest of them is this one, " << describe(type) << whyRepeated(need, threads, type);
    return failure();
  }
  RegisterNeed access = largestAccess(kernel);
  if (access.registers <= kMostAccessed)
    return success();
  auto type = cast<VectorType>(access.largest.getType());
  return emitError(access.at->getLoc()) << "this tile, " << describe(type) << ", takes " << access.registers
                                        << " registers of each of " << threads
                                        << " threads, and a load or store at most " << kMostAccessed
                                        << ": use smaller tiles, more warps, or a loop over chunks"
                                        << whyRepeated(access, threads, type);
}

/// Changes nothing outside of the kernel: kernels are distributed in parallel.
LogicalResult distribute(gpu::GPUFuncOp kernel) {
  const TargetInfo *target = device::targetInfoOf(kernel);
  if (!target || !llvm::hasSingleElement(kernel.getBody()))
    return kernel.emitOpError("is distributed for a target, and while its control flow is structured");
  BlockShape block{target->warpWidth, static_cast<unsigned>(tile::programOf(kernel).getWarps())};
  if (failed(checkRegisters(kernel, *target, block)))
    return failure();
  kernel->removeAttr(tile::kProgram);
  kernel->setAttr(tile::kDistributed, UnitAttr::get(kernel.getContext()));
  return Distributor(kernel, *target, block).run();
}

struct DistributeTiles : impl::DistributeTilesBase<DistributeTiles> {
  void runOnOperation() override {
    llvm::DenseMap<Operation *, int64_t> threads;
    SmallVector<gpu::GPUFuncOp> programs;
    for (gpu::GPUFuncOp kernel : device::kernelsOf(getOperation())) {
      tile::ProgramAttr program = tile::programOf(kernel);
      if (!program)
        continue;
      programs.push_back(kernel);
      if (const TargetInfo *target = device::targetInfoOf(kernel))
        threads[kernel] = int64_t(target->warpWidth) * warpsOfBlock(kernel);
    }
    auto distributeOne = [&](size_t index) { return distribute(programs[index]); };
    if (failed(device::forEachInParallel(&getContext(), programs.size(), distributeOne)))
      return signalPassFailure();
    SymbolTableCollection symbols;
    device::forEachLaunch(getOperation(), [&](gpu::LaunchFuncOp launch) {
      auto kernel = threads.find(symbols.lookupNearestSymbolFrom(launch, launch.getKernel()));
      if (kernel != threads.end())
        setBlockSize(launch, kernel->second);
    });
  }
};
} // namespace
} // namespace lispier
