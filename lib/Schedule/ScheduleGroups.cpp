//===- ScheduleGroups.cpp - groups of tensor ops as tile programs ---------===//
//
// Before: group.kernel on memrefs. After: a launch of a tile program in its place, or
// of one of a few, by sizes that only the call knows. A group without a rule keeps its
// op, with the reason as the attribute `group.unscheduled`.
//
// What lib/Tiles would refuse is never emitted: of a program that does not fit a block the
// tiles are made smaller until it does, and if the smallest does not, the group has none.
//
//===----------------------------------------------------------------------===//
#include "ProgramTrials.h"
#include "TileEmitter.h"
#include "WindowViews.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Group/ScanLoop.h"
#include "lispier/Schedule/Passes.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tensor/Explain/SourcePlaces.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tile/TileSlots.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_SCHEDULEGROUPS
#include "lispier/Schedule/Passes.h.inc"

namespace tensors {
namespace {
/// The programs of one group, and their launch.
class GroupScheduler {
public:
  GroupScheduler(group::KernelOp kernel, const GroupDimensions &dimensions, const PaddedReads &padded,
                 gpu::GPUModuleOp module, SymbolTable &symbols, const TargetInfo &target, ProgramTrials &trials)
      : kernel(kernel), dimensions(dimensions), padded(padded), module(module), symbols(symbols), target(target),
        trials(trials) {}

  /// Makes those of `schedules` smaller whose programs do not fit a block. Fails, with the reason in `whyNot`, before
  /// it has changed anything but its own kernels.
  LogicalResult emit(Schedules &schedules, std::string &whyNot);

private:
  struct Program {
    const GuardedSchedule *when;
    std::unique_ptr<TileProgram> program;
  };

  LogicalResult emitFitting(GuardedSchedule &schedule, std::string &whyNot);
  LogicalResult emitProgram(const GuardedSchedule &schedule, std::string &whyNot);
  TileAxes blockAxes(TileEmitter &emitter, const TileSchedule &schedule);
  Value inStrips(OpBuilder &b, Value id, Value &rows, Value columns, int64_t height, bool isWhole);
  TileAxes axesOf(ArrayRef<unsigned> own, const TileSchedule &schedule, ArrayRef<TileAxis> first);
  Value firstOfSame(TileEmitter &emitter, unsigned result, ArrayRef<TileAxis> first);
  LogicalResult storeScanned(TileEmitter &emitter, group::ScanOp scan, ArrayRef<TileAxis> first,
                             const TileSchedule &schedule);
  LogicalResult storeRows(TileEmitter &emitter, ArrayRef<TileAxis> first, const TileSchedule &schedule);
  bool storeResult(TileEmitter &emitter, unsigned result, TileAxes axes, Value isFirst, const TileSchedule &schedule);
  void launch(OpBuilder &b, const Program &program, SmallVector<Value> operands = {});
  void launchOne(OpBuilder &b, ArrayRef<Program> rest);
  Value elementsOfResult(OpBuilder &b, const TileProgram &program);
  scf::IfOp alternative();
  ArrayRef<unsigned> dimensionsOf(unsigned result) { return dimensions.of(kernel.initArgument(result)); }
  bool isInGrid(unsigned dimension, const TileSchedule &schedule) const {
    return !schedule.reduced.contains(dimension) && !llvm::is_contained(schedule.parts, dimension);
  }

  group::KernelOp kernel;
  const GroupDimensions &dimensions;
  const PaddedReads &padded;
  gpu::GPUModuleOp module;
  SymbolTable &symbols;
  const TargetInfo &target;
  ProgramTrials &trials;
  SmallVector<Program> programs;
};

LogicalResult GroupScheduler::emit(Schedules &schedules, std::string &whyNot) {
  for (GuardedSchedule &schedule : schedules)
    if (failed(emitFitting(schedule, whyNot))) {
      for (Program &program : programs)
        program.program->kernel.erase();
      return failure();
    }
  for (Program &program : programs)
    symbols.insert(program.program->kernel);
  OpBuilder b(kernel);
  launchOne(b, programs);
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

LogicalResult GroupScheduler::emitFitting(GuardedSchedule &schedule, std::string &whyNot) {
  while (succeeded(emitProgram(schedule, whyNot))) {
    bool hasOther = schedule.withoutRing.has_value();
    if (trials.fits(programs.back().program->kernel, /*launches=*/hasOther || schedule.leastElements))
      return success();
    if (schedule.leastElements) { // The last one is for these, too.
      programs.pop_back_val().program->kernel.erase();
      return success();
    }
    std::optional<TileSchedule> next =
        hasOther ? std::exchange(schedule.withoutRing, std::nullopt) : smallerThan(schedule.schedule, target);
    if (!next) {
      whyNot = "its smallest tiles take more registers or shared memory than a block has";
      return failure();
    }
    programs.pop_back_val().program->kernel.erase();
    schedule.schedule = std::move(*next);
  }
  return failure();
}

LogicalResult GroupScheduler::emitProgram(const GuardedSchedule &guarded, std::string &whyNot) {
  const TileSchedule &schedule = guarded.schedule;
  std::string name =
      llvm::join_items("", kernel.getName(), guarded.dimension ? "_" + std::to_string(guarded.limit) : "",
                       guarded.leastElements ? "_large" : "");
  programs.push_back({&guarded, std::make_unique<TileProgram>(kernel, dimensions, padded, module, name)});
  TileProgram &program = *programs.back().program;
  program.kernel->setAttr(tile::kProgram,
                          tile::ProgramAttr::get(kernel.getContext(), schedule.warps, schedule.stages, schedule.ring));
  if (guarded.leastElements || (schedule.ring && alternative()))
    program.kernel->setAttr(tile::kAlignedAlone, UnitAttr::get(kernel.getContext()));
  if (schedule.keepsRows)
    program.kernel->setAttr(tile::kKeepsRows, UnitAttr::get(kernel.getContext()));
  TileEmitter emitter(program, dimensions, schedule);
  TileAxes first = blockAxes(emitter, schedule);
  if (group::ScanOp scan = group::scanIn(kernel)) {
    if (failed(storeScanned(emitter, scan, first, schedule))) {
      whyNot = emitter.whyNot();
      return failure();
    }
    emitter.finish();
    return success();
  }
  if (!schedule.rows.empty()) {
    if (failed(storeRows(emitter, first, schedule))) {
      whyNot = emitter.whyNot();
      return failure();
    }
    emitter.finish();
    return success();
  }
  for (unsigned result = 0; result < kernel.getInits().size(); ++result) {
    TileAxes axes = axesOf(dimensionsOf(result), schedule, first);
    if (axes.size() != dimensionsOf(result).size()) {
      whyNot = "its results are not cut into tiles in the same way";
      return failure();
    }
    if (!storeResult(emitter, result, axes, firstOfSame(emitter, result, first), schedule)) {
      whyNot = emitter.whyNot();
      return failure();
    }
  }
  emitter.finish();
  return success();
}

/// The number of a tile in an order of strips, each `height` tiles high, column by column: programs that run at about
/// the same time read the same rows and columns. Returns the column, and sets `rows` to the row.
Value GroupScheduler::inStrips(OpBuilder &b, Value id, Value &rows, Value columns, int64_t height, bool isWhole) {
  Location loc = kernel.getLoc();
  Value high = arith::ConstantIndexOp::create(b, loc, height);
  Value perStrip = arith::MulIOp::create(b, loc, columns, high);
  Value first = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, id, perStrip), high);
  Value within = arith::RemUIOp::create(b, loc, id, perStrip);
  Value left = isWhole ? high : arith::MinUIOp::create(b, loc, arith::SubIOp::create(b, loc, rows, first), high);
  rows = arith::AddIOp::create(b, loc, first, arith::RemUIOp::create(b, loc, within, left));
  return arith::DivUIOp::create(b, loc, within, left);
}

/// The tile of the first result that this program has: its number is taken apart, the last dimension first.
TileAxes GroupScheduler::blockAxes(TileEmitter &emitter, const TileSchedule &schedule) {
  OpBuilder &b = emitter.builder();
  Location loc = kernel.getLoc();
  ArrayRef<unsigned> own = dimensionsOf(0);
  TileAxes axes(own.size());
  SmallVector<unsigned> grid;
  for (auto [position, dimension] : llvm::enumerate(own))
    if (isInGrid(dimension, schedule))
      grid.push_back(position);
  auto blockOf = [&](unsigned position) { return std::max<int64_t>(1, schedule.blocks[position]); };
  auto countOf = [&](unsigned position) -> Value {
    Value size = emitter.size(own[position]);
    return blockOf(position) == 1
               ? size
               : arith::CeilDivUIOp::create(b, loc, size, emitter.index(blockOf(position))).getResult();
  };
  auto set = [&](unsigned position, Value number) {
    // Of a causal mask the last tokens see most positions: blocks that have several tiles begin with these.
    if (schedule.ring && schedule.online && own[position] == schedule.online->tokens) {
      Value last = arith::SubIOp::create(b, loc, countOf(position), emitter.index(1));
      number = arith::SubIOp::create(b, loc, last, number);
    }
    Value start = blockOf(position) == 1
                      ? number
                      : arith::MulIOp::create(b, loc, number, emitter.index(blockOf(position))).getResult();
    axes[position] = {start, schedule.blocks[position]};
  };
  Value id = emitter.programId();
  if (schedule.superRows && grid.size() >= 2) {
    unsigned row = *llvm::find_if(grid, [&](unsigned position) { return schedule.blocks[position] != kPoint; });
    unsigned column =
        *llvm::find_if(llvm::reverse(grid), [&](unsigned position) { return schedule.blocks[position] != kPoint; });
    llvm::erase_if(grid, [&](unsigned position) { return position == row || position == column; });
    Value rows = countOf(row), columns = countOf(column);
    Value inBatch = id;
    if (!grid.empty()) {
      Value ofBatch = arith::MulIOp::create(b, loc, rows, columns);
      inBatch = arith::RemUIOp::create(b, loc, id, ofBatch);
      id = arith::DivUIOp::create(b, loc, id, ofBatch);
    }
    // A block that stays takes a number apart for each tile, during which nothing is multiplied.
    bool isWhole = schedule.ring && dimensions.isStatic(own[row]) &&
                   llvm::divideCeil(dimensions.size(own[row]), blockOf(row)) % schedule.superRows == 0;
    Value columnNumber = inStrips(b, inBatch, rows, columns, schedule.superRows, isWhole);
    set(row, rows);
    set(column, columnNumber);
  }
  while (!grid.empty()) {
    unsigned position = grid.pop_back_val();
    Value number = id;
    if (!grid.empty()) {
      Value count = countOf(position);
      number = arith::RemUIOp::create(b, loc, id, count);
      id = arith::DivUIOp::create(b, loc, id, count);
    }
    set(position, number);
  }
  return axes;
}

/// The same tile of a tensor with the dimensions `own`. Reduced ones are whole, or get their place in a loop.
TileAxes GroupScheduler::axesOf(ArrayRef<unsigned> own, const TileSchedule &schedule, ArrayRef<TileAxis> first) {
  TileAxes axes;
  llvm::SmallDenseSet<unsigned> used;
  for (unsigned dimension : own) {
    if (!isInGrid(dimension, schedule)) {
      axes.push_back({Value(), schedule.reduced.lookup(dimension).size});
      continue;
    }
    for (auto [position, each] : llvm::enumerate(dimensionsOf(0)))
      if (each == dimension && used.insert(position).second) {
        axes.push_back(first[position]);
        break;
      }
  }
  size_t inGrid = llvm::count_if(dimensionsOf(0), [&](unsigned each) { return isInGrid(each, schedule); });
  // The log-sum-exp of attention has no dimension of the values' size.
  return used.size() == inGrid || (schedule.online && used.size() + 1 == inGrid) ? axes : TileAxes(own.size() + 1);
}

/// Of programs that make the same tile of the result, since it has not all dimensions of the grid, only the first
/// stores it: the condition for that; null if there is one such program.
Value GroupScheduler::firstOfSame(TileEmitter &emitter, unsigned result, ArrayRef<TileAxis> first) {
  Value condition;
  ArrayRef<unsigned> own = dimensionsOf(result);
  for (auto [dimension, axis] : llvm::zip(dimensionsOf(0), first)) {
    bool isOne = dimensions.isStatic(dimension) && dimensions.size(dimension) <= axis.step();
    if (llvm::is_contained(own, dimension) || isOne || !axis.start)
      continue;
    OpBuilder &b = emitter.builder();
    Value isFirst = arith::CmpIOp::create(b, kernel.getLoc(), arith::CmpIPredicate::eq, axis.start, emitter.index(0));
    condition = condition ? arith::AndIOp::create(b, kernel.getLoc(), condition, isFirst).getResult() : isFirst;
  }
  return condition;
}

/// All results in one loop along the scan, since each has its elements.
LogicalResult GroupScheduler::storeScanned(TileEmitter &emitter, group::ScanOp scan, ArrayRef<TileAxis> first,
                                           const TileSchedule &schedule) {
  auto place = [&](ArrayRef<unsigned> own) {
    return llvm::find_if(own, [&](unsigned each) { return !isInGrid(each, schedule); }) - own.begin();
  };
  ArrayRef<unsigned> scanned = dimensions.of(scan.getResult());
  return emitter.scan(scan, axesOf(scanned, schedule, first), place(scanned), [&](Value start) {
    for (unsigned result = 0; result < kernel.getInits().size(); ++result) {
      TileAxes axes = axesOf(dimensionsOf(result), schedule, first);
      axes[place(dimensionsOf(result))].start = start;
      Value tile = emitter.tile(kernel.yieldOp().getResults()[result], axes);
      if (!tile)
        return false;
      emitter.store(tile, result, axes);
    }
    return true;
  });
}

/// The program's rows, tile by tile, and behind the loop the sums of their columns.
LogicalResult GroupScheduler::storeRows(TileEmitter &emitter, ArrayRef<TileAxis> first, const TileSchedule &schedule) {
  auto resultsOf = [&](bool areSums) {
    return llvm::filter_to_vector(llvm::seq<unsigned>(0, kernel.getInits().size()), [&](unsigned result) {
      return areSums ==
             llvm::none_of(schedule.rows, [&](unsigned row) { return llvm::is_contained(dimensionsOf(result), row); });
    });
  };
  SmallVector<unsigned> sums = resultsOf(true), others = resultsOf(false);
  auto axisOf = [&](unsigned dimension) -> TileAxis {
    for (auto [position, own] : llvm::enumerate(dimensionsOf(0)))
      if (own == dimension && isInGrid(dimension, schedule))
        return first[position];
    return {Value(), schedule.reduced.lookup(dimension).size};
  };
  auto axesAt = [&](unsigned result, ArrayRef<Value> starts) {
    TileAxes axes;
    for (unsigned dimension : dimensionsOf(result)) {
      axes.push_back(axisOf(dimension));
      if (auto *at = llvm::find(schedule.rows, dimension); at != schedule.rows.end())
        axes.back().start = starts[at - schedule.rows.begin()];
    }
    return axes;
  };
  SmallVector<linalg::LinalgOp> ops = llvm::map_to_vector(sums, [&](unsigned result) {
    return cast<linalg::LinalgOp>(kernel.yieldOp().getResults()[result].getDefiningOp());
  });
  SmallVector<Value> tiles = emitter.sumColumns(ops, axisOf, [&](ArrayRef<Value> starts) {
    return llvm::all_of(others, [&](unsigned result) {
      TileAxes axes = axesAt(result, starts);
      Value tile = emitter.tile(kernel.yieldOp().getResults()[result], axes);
      if (tile)
        emitter.store(tile, result, axes);
      return bool(tile);
    });
  });
  if (tiles.size() != sums.size())
    return failure();
  for (auto [result, tile] : llvm::zip(sums, tiles))
    emitter.store(tile, result, axesAt(result, {}));
  return success();
}

bool GroupScheduler::storeResult(TileEmitter &emitter, unsigned result, TileAxes axes, Value isFirst,
                                 const TileSchedule &schedule) {
  ArrayRef<unsigned> own = dimensionsOf(result);
  SmallVector<unsigned> looped, parts;
  for (auto [position, dimension] : llvm::enumerate(own))
    if (llvm::is_contained(schedule.parts, dimension))
      parts.push_back(position);
    else if (schedule.reduced.lookup(dimension).looped)
      looped.push_back(position);
  std::function<bool(ArrayRef<unsigned>)> storeTiles = [&](ArrayRef<unsigned> loops) {
    if (loops.empty() && !parts.empty()) {
      unsigned position = parts.pop_back_val();
      bool stored = true;
      for (int64_t part = 0; part < dimensions.size(own[position]) && stored; ++part) {
        axes[position].start = emitter.index(part);
        stored = storeTiles(loops);
      }
      parts.push_back(position);
      return stored;
    }
    if (loops.empty()) {
      Value tile = emitter.tile(kernel.yieldOp().getResults()[result], axes);
      if (tile && isFirst) {
        auto branch = scf::IfOp::create(emitter.builder(), kernel.getLoc(), isFirst, /*withElseRegion=*/false);
        OpBuilder::InsertionGuard guard(emitter.builder());
        emitter.builder().setInsertionPointToStart(branch.thenBlock());
        emitter.store(tile, result, axes);
      } else if (tile) {
        emitter.store(tile, result, axes);
      }
      return bool(tile);
    }
    TileAxis &axis = axes[loops.front()];
    bool stored = false;
    FailureOr<scf::ForOp> loop = emitter.loop(own[loops.front()], axis.step(), {}, [&](Value start, ValueRange) {
      axis.start = start;
      stored = storeTiles(loops.drop_front());
      return SmallVector<Value>();
    });
    if (failed(loop) || !stored)
      return false;
    if (loops.size() == 1)
      emitter.readAhead(*loop);
    return true;
  };
  return storeTiles(looped);
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// What takes the kernel for large results alone, and something else for all others and for other memory; null if
/// nothing does.
scf::IfOp GroupScheduler::alternative() {
  auto choice = dyn_cast<scf::IfOp>(kernel->getParentOp());
  bool isOne = kernel->hasAttr(kLargeAttr) && choice && kernel->getBlock() == choice.thenBlock() &&
               llvm::none_of(kernel->getOperands(), [&](Value operand) {
                 return choice->isAncestor(operand.getParentRegion()->getParentOp());
               });
  return isOne ? choice : scf::IfOp();
}

/// On the host; null if only the kernel knows.
Value GroupScheduler::elementsOfResult(OpBuilder &b, const TileProgram &program) {
  Value count;
  for (unsigned dimension : dimensionsOf(0)) {
    Value size = program.hostSize(b, dimension);
    if (!size)
      return {};
    count = count ? b.createOrFold<arith::MulIOp>(kernel.getLoc(), count, size) : size;
  }
  return count;
}

/// The first of `rest` whose guard holds.
void GroupScheduler::launchOne(OpBuilder &b, ArrayRef<Program> rest) {
  const Program &program = rest.front();
  if (rest.size() == 1) {
    SmallVector<Value> operands;
    if (scf::IfOp choice = alternative(); choice && program.when->schedule.ring) {
      OpBuilder before(choice);
      operands = program.program->operands(before);
    }
    return launch(b, program, operands);
  }
  Location loc = kernel.getLoc();
  bool isLarge = program.when->leastElements;
  Value size = isLarge ? elementsOfResult(b, *program.program) : program.program->hostSize(b, *program.when->dimension);
  if (!size) // The last program is right for all sizes.
    return launchOne(b, rest.drop_front());
  Value limit = arith::ConstantIndexOp::create(b, loc, isLarge ? program.when->leastElements : program.when->limit);
  Value isIts =
      arith::CmpIOp::create(b, loc, isLarge ? arith::CmpIPredicate::uge : arith::CmpIPredicate::ule, size, limit);
  auto choice = scf::IfOp::create(b, loc, isIts, /*withElseRegion=*/true);
  OpBuilder taken = choice.getThenBodyBuilder(), other = choice.getElseBodyBuilder();
  SmallVector<Value> operands;
  if (isLarge) { // Before the choice, which also depends on whether they are aligned.
    OpBuilder before(choice);
    operands = program.program->operands(before);
  }
  launch(taken, program, operands);
  launchOne(other, rest.drop_front());
}

/// Nothing is launched for results without elements. `operands`: empty if they are to be made.
void GroupScheduler::launch(OpBuilder &b, const Program &program, SmallVector<Value> operands) {
  Location loc = kernel.getLoc();
  const TileSchedule &schedule = program.when->schedule;
  Value one = arith::ConstantIndexOp::create(b, loc, 1), count = one;
  bool mayBeEmpty = false;
  for (auto [position, dimension] : llvm::enumerate(dimensionsOf(0))) {
    if (!isInGrid(dimension, schedule))
      continue;
    int64_t block = std::max<int64_t>(1, schedule.blocks[position]);
    Value tiles = program.program->hostSize(b, dimension);
    if (block > 1)
      tiles = b.createOrFold<arith::CeilDivUIOp>(loc, tiles, arith::ConstantIndexOp::create(b, loc, block));
    count = b.createOrFold<arith::MulIOp>(loc, count, tiles);
    mayBeEmpty |= !dimensions.isStatic(dimension) || dimensions.size(dimension) == 0;
  }
  scf::IfOp guard;
  OpBuilder inside = b;
  if (mayBeEmpty && !program.when->leastElements && operands.empty()) {
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value isSome = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, count, zero);
    guard = scf::IfOp::create(b, loc, isSome, /*withElseRegion=*/false);
    inside = guard.getThenBodyBuilder();
  }
  auto symbol =
      SymbolRefAttr::get(module.getNameAttr(), {FlatSymbolRefAttr::get(program.program->kernel.getNameAttr())});
  if (operands.empty())
    operands = program.program->operands(inside);
  gpu::LaunchFuncOp::create(inside, loc, symbol, gpu::KernelDim3{count, one, one}, gpu::KernelDim3{one, one, one},
                            /*dynamicSharedMemorySize=*/Value(), operands);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Schedules by what is in the group.
Schedules schedulesFor(group::KernelOp kernel, const std::optional<group::AttentionParts> &attention,
                       const GroupDimensions &dimensions, const PaddedReads &padded, const TargetInfo &target,
                       std::string &whyNot) {
  if (attention)
    return scheduleAttention(kernel, *attention, dimensions, target, whyNot);
  if (group::ScanOp scan = group::scanIn(kernel))
    return scheduleScan(kernel, scan, dimensions, target);
  bool contracts = false, reduces = false;
  for (auto op : kernel.getBody().front().getOps<linalg::LinalgOp>()) {
    contracts |= contractionOf(op, dimensions).has_value();
    reduces |= llvm::is_contained(dimensions.loops(op).reduced, true);
  }
  if (SmallVector<linalg::LinalgOp> inner = innerProductsOf(kernel, dimensions); !inner.empty())
    return scheduleChain(kernel, inner, dimensions, target, whyNot);
  if (contracts)
    return scheduleContraction(kernel, dimensions, target, whyNot);
  if (reduces)
    return scheduleReductions(kernel, dimensions, !padded.empty(), target, whyNot);
  return scheduleElementwise(kernel, dimensions, target, whyNot);
}

struct ScheduleGroups : impl::ScheduleGroupsBase<ScheduleGroups> {
  using ScheduleGroupsBase::ScheduleGroupsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ScheduleGroupsBase::getDependentDialects(registry);
    for (const OpPassManager &passes : trial)
      passes.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp program = getOperation();
    SmallVector<group::KernelOp> kernels;
    program.walk([&](group::KernelOp kernel) {
      if (kernel->getNumResults() == 0)
        kernels.push_back(kernel);
    });
    const TargetInfo *target = device::targetInfoOf(program);
    if (kernels.empty() || !target)
      return;
    OpBuilder b = OpBuilder::atBlockEnd(program.getBody());
    auto module = gpu::GPUModuleOp::create(b, program.getLoc(), kGroupsModule);
    SymbolTable(program).insert(module);
    program->setAttr(gpu::GPUDialect::getContainerModuleAttrName(), b.getUnitAttr());
    SymbolTable symbols(module);
    auto passes = [&](ModuleOp programs) { return fit(programs); };
    ProgramTrials trials(program, passes);
    for (group::KernelOp kernel : kernels)
      schedule(kernel, *target, module, symbols, trials);
    if (module.getBody()->empty())
      module.erase();
  }

  /// Whether no pass of `trial` refuses the tile programs of `programs`. What they report is no error of the program.
  bool fit(ModuleOp programs) {
    ScopedDiagnosticHandler quiet(&getContext(), [](Diagnostic &) { return success(); });
    return llvm::all_of(*trial, [&](OpPassManager &passes) { return succeeded(runPipeline(passes, programs)); });
  }

  void schedule(group::KernelOp kernel, const TargetInfo &target, gpu::GPUModuleOp module, SymbolTable &symbols,
                ProgramTrials &trials) {
    std::string whyNot;
    std::optional<group::AttentionParts> attention;
    if (group::AttentionOp op = group::attentionIn(kernel))
      attention = group::expandAttention(op);
    expandPlaces(kernel);
    group::KernelOp original = kernel; // Without a schedule, borders are memory.
    if (!kernel.getBody().getOps<tensor::PadOp>().empty())
      original = cast<group::KernelOp>(OpBuilder(kernel).clone(*kernel));
    PaddedReads padded = viewWindows(kernel);
    GroupDimensions::separateReads(kernel);
    auto dimensions = GroupDimensions::of(kernel, padded, whyNot);
    Schedules schedules;
    if (dimensions)
      schedules = schedulesFor(kernel, attention, *dimensions, padded, target, whyNot);
    bool isScheduled =
        !schedules.empty() &&
        succeeded(GroupScheduler(kernel, *dimensions, padded, module, symbols, target, trials).emit(schedules, whyNot));
    if (explain)
      remark(kernel, isScheduled ? schedules : Schedules(), whyNot);
    if (original != kernel)
      (isScheduled ? original : std::exchange(kernel, original)).erase();
    if (isScheduled)
      kernel.erase();
    else
      kernel->setAttr(kUnscheduledAttr, StringAttr::get(&getContext(), whyNot));
  }

  static void remark(group::KernelOp kernel, const Schedules &schedules, StringRef whyNot) {
    SmallVector<FileLineColRange> places = sourcePlacesOf(kernel.getLoc());
    Location place = firstOf(places, kernel.getContext());
    InFlightDiagnostic remark = emitRemark(place)
                                << "kernel " << kernel.getName() << ": "
                                << (schedules.empty()       ? "no tile program, " + whyNot.str()
                                    : schedules.size() == 1 ? std::string("a tile program")
                                                            : "a tile program of " + std::to_string(schedules.size()));
    for (const GuardedSchedule &each : schedules)
      remark.attachNote(place) << (each.dimension ? "up to " + std::to_string(each.limit) + " elements: " : "")
                               << (each.leastElements
                                       ? "results of " + std::to_string(each.leastElements) + " elements or more: "
                                       : "")
                               << textOf(each.schedule);
  }
};
} // namespace
} // namespace tensors
} // namespace lispier
