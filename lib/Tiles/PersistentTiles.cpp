//===- PersistentTiles.cpp - one tile after the other ---------------------===//
#include "PersistentTiles.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
Value PersistentTiles::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

bool PersistentTiles::fits() {
  return !launches.empty() && llvm::all_of(launches, [](gpu::LaunchFuncOp launch) {
    return launch.getGridSizeX().getType().isIndex() && !launch.hasClusterSize();
  });
}

void PersistentTiles::addGridSizes(bool asConstants) {
  areConstants = asConstants;
  auto sizeOf = [](gpu::LaunchFuncOp launch, unsigned axis) {
    gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
    return axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z;
  };
  SmallVector<unsigned> passed;
  llvm::SmallDenseSet<unsigned> parameters;
  b.setInsertionPointToStart(&kernel.getBody().front());
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (llvm::all_of(launches, [&](gpu::LaunchFuncOp launch) { return matchPattern(sizeOf(launch, axis), m_One()); })) {
      gridSizes[axis] = index(1);
      continue;
    }
    std::optional<int64_t> known = getConstantIntValue(sizeOf(launches.front(), axis));
    passed.push_back(axis);
    if (asConstants && known && llvm::all_of(launches, [&](gpu::LaunchFuncOp launch) {
          return getConstantIntValue(sizeOf(launch, axis)) == known;
        })) {
      gridSizes[axis] = index(*known);
      continue;
    }
    unsigned number = kernel.getNumArguments();
    (void)kernel.insertArgument(number, b.getIndexType(), b.getDictionaryAttr({}), kernel.getLoc());
    gridSizes[axis] = kernel.getArgument(number);
    parameters.insert(axis);
  }
  for (gpu::LaunchFuncOp launch : launches) {
    ImplicitLocOpBuilder host(launch.getLoc(), launch);
    Value blocks;
    for (unsigned axis : passed) {
      Value size = sizeOf(launch, axis);
      if (parameters.contains(axis))
        launch.getKernelOperandsMutable().append(size);
      blocks = blocks ? arith::MulIOp::create(host, blocks, size).getResult() : size;
    }
    Value one = arith::ConstantIndexOp::create(host, 1),
          most = arith::ConstantIndexOp::create(host, std::max(1u, target.multiprocessors));
    launch.getGridSizeXMutable().assign(blocks ? arith::MinUIOp::create(host, blocks, most).getResult() : one);
    launch.getGridSizeYMutable().assign(one);
    launch.getGridSizeZMutable().assign(one);
  }
}

Value PersistentTiles::numberOfBlocks() {
  int64_t all = 1;
  for (Value size : gridSizes) {
    std::optional<int64_t> known = areConstants ? getConstantIntValue(size) : std::nullopt;
    if (!known)
      return gpu::GridDimOp::create(b, gpu::Dimension::x);
    all *= *known;
  }
  return index(std::min<int64_t>(all, std::max(1u, target.multiprocessors)));
}

std::array<Value, 3> PersistentTiles::idsOf(Value tile) {
  Value x = b.createOrFold<arith::RemUIOp>(tile, gridSizes[0]),
        rest = b.createOrFold<arith::DivUIOp>(tile, gridSizes[0]);
  if (matchPattern(gridSizes[1], m_One()) && matchPattern(gridSizes[2], m_One()))
    x = tile;
  return {x, b.createOrFold<arith::RemUIOp>(rest, gridSizes[1]), b.createOrFold<arith::DivUIOp>(rest, gridSizes[1])};
}

void PersistentTiles::makeLoop(ArrayRef<Operation *> ops, unsigned numbers, IRMapping &mapping, Body body) {
  Value blocks = arith::MulIOp::create(b, arith::MulIOp::create(b, gridSizes[0], gridSizes[1]), gridSizes[2]);
  Value first = gpu::BlockIdOp::create(b, gpu::Dimension::x), step = numberOfBlocks();
  SmallVector<Value> inits;
  for (unsigned i = 0; i < numbers; ++i)
    inits.push_back(arith::ConstantIntOp::create(b, 0, 32));
  auto tiles = scf::ForOp::create(b, first, blocks, step, inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(tiles.getBody());
  std::array<Value, 3> ids = idsOf(tiles.getInductionVar());
  for (Operation *op : ops) {
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      mapping.map(id.getResult(), ids[unsigned(id.getDimension())]);
    else if (auto size = dyn_cast<gpu::GridDimOp>(op))
      mapping.map(size.getResult(), gridSizes[unsigned(size.getDimension())]);
  }
  scf::YieldOp::create(b, body(tiles.getRegionIterArgs()));
}
} // namespace lispier
