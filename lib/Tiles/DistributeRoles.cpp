//===- DistributeRoles.cpp - warps that copy, and warps that compute ------===//
//
// tile.roles becomes a branch by the warp's number. Results are moved to buffers of
// the block by stores of matrices, 64 x 64 elements of four warps at a time, which
// then copies of the block's memory as a whole write, while the warps go on.
//
//===----------------------------------------------------------------------===//
#include "DistributeRoles.h"
#include "LayoutRules.h"
#include "SharedSlot.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;
using lispier::tile::RegisterTable;

namespace lispier {
namespace {
constexpr int64_t kPart = 64, kWarpsOfGroup = 4, kFragment = 16, kMatrices = 4;
constexpr unsigned kBitsInGroup = 2;

Value isZero(Distribution &d, Value number) {
  return arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, number, d.i32(0));
}

/// Fills a branch's region, which gets no values.
LogicalResult fillBranch(Distribution &d, Block &from, Block *to, llvm::function_ref<LogicalResult(Block &)> body) {
  OpBuilder::InsertionGuard guard(d.b);
  d.b.setInsertionPoint(to->getTerminator());
  return body(from);
}

/// What a thread has of 64 x 64 elements of four warps, 16 rows each, in the order of store_matrix: a lane has two
/// neighbours of a row, four lanes eight of them, and eight rows are a matrix; then come the eight rows below, and the
/// columns to the right.
bool isFragment(const Layout &layout) {
  const Coordinates lanes[] = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, registers[] = {{0, 1}, {8, 0}, {0, 8}};
  return layout.rank() == 2 && ArrayRef(layout.lanes) == ArrayRef(lanes) && layout.registers.size() >= 3 &&
         ArrayRef(layout.registers).take_front(3) == ArrayRef(registers) && layout.warps.size() >= kBitsInGroup &&
         layout.warps[0] == Coordinates{16, 0} && layout.warps[1] == Coordinates{32, 0} &&
         llvm::all_of(ArrayRef(layout.warps).drop_front(kBitsInGroup),
                      [](const Coordinates &basis) { return basis[0] >= kPart && !basis[1]; });
}

/// The warps that compute, four of them a group, which stage and drain rows together.
struct Groups {
  explicit Groups(Distribution &d)
      : number(arith::ShRUIOp::create(d.b, d.warp(), d.i32(kBitsInGroup))), count(d.block.warps / kWarpsOfGroup) {}

  /// The ids of groups are behind those of the block, and of all that compute.
  void join(Distribution &d, bool publishes) {
    Value id = arith::AddIOp::create(d.b, number, d.i32(kBarrierOfConsumers + 1));
    tile::JoinOp::create(d.b, id, kWarpsOfGroup * d.block.lanes, publishes, /*passes=*/false);
  }

  void byLeader(Distribution &d, llvm::function_ref<void()> body) {
    Value inGroup = arith::AndIOp::create(d.b, d.warp(), d.i32(kWarpsOfGroup - 1));
    d.onlyIf(isZero(d, arith::OrIOp::create(d.b, inGroup, d.lane())), body);
  }

  /// How many times 64 rows a group has of the buffers.
  int64_t parts(Value buffers) { return rowsOf(buffers) / (kPart * count); }
  static int64_t rowsOf(Value buffers) { return cast<MemRefType>(buffers.getType()).getDimSize(1); }

  Value number;
  int64_t count;
};

Value flat(Distribution &d, Value buffers) {
  ReassociationIndices all{0, 1, 2};
  return memref::CollapseShapeOp::create(d.b, d.get(buffers), ArrayRef<ReassociationIndices>{all});
}
} // namespace

LogicalResult distributeVacate(Distribution &d, tile::VacateOp vacate) {
  Groups groups(d);
  int64_t pending = vacate.getPending() * groups.parts(vacate.getBuffers());
  groups.byLeader(d, [&] { tile::DrainedOp::create(d.b, pending, /*written=*/false); });
  groups.join(d, /*publishes=*/false);
  return success();
}

LogicalResult distributeStage(Distribution &d, tile::StageOp stage) {
  const Layout &layout = d.layoutOf(stage.getTile());
  if (!isFragment(layout))
    return stage.emitOpError("stages a tile in a layout that does not fit its instruction");
  RegisterTable table(layout);
  SmallVector<Value> elements = d.elements(d.get(stage.getTile()));
  Value memory = flat(d, stage.getBuffers());
  int64_t rows = Groups::rowsOf(stage.getBuffers());
  // Where a lane's row of each matrix is.
  Layout ofLane{{rows, kPart}, {{0, 16}, {0, 32}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}}, layout.warps, {1, 1}};
  SharedPlaces places = placesInSlot({rows, kPart}, elementBytes(stage.getTile()));
  for (int64_t row = 0; row < rows; row += kPart) {
    std::optional<unsigned> first = table.find({int32_t(row), 0});
    if (!first) // Another group's.
      continue;
    int64_t begin = (int64_t(stage.getBuffer()) * rows + row) * kPart;
    SharedPlaces::OfThread place(d, places, ofLane, d.i32(begin));
    auto type = VectorType::get({kMatrices, 2}, elements.front().getType());
    Value matrices =
        vector::FromElementsOp::create(d.b, type, ArrayRef(elements).slice(*first, 2 * kMatrices)).getResult();
    tile::StoreMatrixOp::create(d.b, matrices, memory, ValueRange{place[stage.getColumn() / kFragment]});
  }
  return success();
}

LogicalResult distributeDrain(Distribution &d, tile::DrainOp drain) {
  Groups groups(d);
  groups.join(d, /*publishes=*/true);
  Value memory = flat(d, drain.getBuffers());
  int64_t rows = Groups::rowsOf(drain.getBuffers());
  groups.byLeader(d, [&] {
    SmallVector<Value> indices = llvm::map_to_vector(drain.getIndices(), [&](Value each) { return d.get(each); });
    Value own = d.toIndex(arith::MulIOp::create(d.b, groups.number, d.i32(kPart))),
          begin = d.add(arith::MulIOp::create(d.b, own, d.index(kPart)), int64_t(drain.getBuffer()) * rows * kPart);
    Value outer = d.add(indices[indices.size() - 2], own);
    for (int64_t part = 0; part < groups.parts(drain.getBuffers()); ++part) {
      int64_t row = part * groups.count * kPart;
      indices[indices.size() - 2] = d.add(outer, row);
      tile::CopyBulkOp::create(d.b, memory, d.add(begin, row * kPart), d.get(drain.getBase()), indices, kPart,
                               /*map=*/Value());
    }
  });
  return success();
}

/// Of each group that waits for its turn, which the group before it ends.
static void joinTurn(Distribution &d, Groups &groups, Value group, bool passes) {
  constexpr int64_t kGroupsOfTurn = 2;
  Value id = arith::AddIOp::create(d.b, group, d.i32(kBarrierOfConsumers + 1 + groups.count));
  tile::JoinOp::create(d.b, id, kGroupsOfTurn * kWarpsOfGroup * d.block.lanes, /*publishes=*/false, passes);
}

LogicalResult distributeTurn(Distribution &d, tile::TurnOp turn) {
  Groups groups(d);
  Value group = groups.number;
  if (turn.getEnds()) {
    Value next = arith::AddIOp::create(d.b, group, d.i32(1));
    Value isLast = arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, next, d.i32(groups.count));
    group = arith::SelectOp::create(d.b, isLast, d.i32(0), next);
  }
  joinTurn(d, groups, group, turn.getEnds());
  return success();
}

/// The first turn is that of the first group, as if the last one had ended its own.
static void beginTurns(Distribution &d) {
  Groups groups(d);
  Value isLast = arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, groups.number, d.i32(groups.count - 1));
  d.onlyIf(isLast, [&] { joinTurn(d, groups, d.i32(0), /*passes=*/true); });
}

GrantedRegisters grantedRegisters(int64_t warps, int64_t lanes, int64_t ofBlock) {
  constexpr int64_t kUnit = 8, kFewest = 40;
  int64_t groups = warps / kWarpsOfGroup, threads = kWarpsOfGroup * lanes;
  int64_t atLaunch = ofBlock / (threads * (groups + 1)) / kUnit * kUnit;
  return {kFewest, ((groups + 1) * atLaunch - kFewest) / groups / kUnit * kUnit};
}

LogicalResult distributeRoles(Distribution &d, tile::RolesOp roles, llvm::function_ref<LogicalResult(Block &)> body) {
  Value thread = arith::OrIOp::create(d.b, d.lane(), d.warp());
  SmallVector<Value> rings = llvm::map_to_vector(roles.getRings(), [&](Value ring) { return d.get(ring); });
  d.onlyIf(isZero(d, thread), [&] {
    for (Value ring : rings)
      tile::RingStartOp::create(d.b, ring, d.block.warps);
  });
  gpu::BarrierOp::create(d.b);
  // A warp's number is the same in its lanes, which a compiler that sees a shift of the thread's does not know: where
  // slots are is computed once for a warp, not in each lane. Of 62 instructions of a step 48 are left.
  if (!roles.getGrants()) {
    Value same =
        gpu::ShuffleOp::create(d.b, d.warp(), d.i32(0), d.i32(d.block.lanes), gpu::ShuffleMode::IDX).getShuffleResult();
    d.setThread({d.lane(), same});
  }
  GrantedRegisters registers = grantedRegisters(d.block.warps, d.block.lanes, d.target.blockRegisters);
  auto setRegisters = [&](Block *of, int64_t count, bool more) {
    OpBuilder::InsertionGuard guard(d.b);
    d.b.setInsertionPoint(of->getTerminator());
    if (roles.getGrants())
      tile::RegistersOp::create(d.b, count, more);
  };
  Value consumes = arith::CmpIOp::create(d.b, arith::CmpIPredicate::ult, d.warp(), d.i32(d.block.warps));
  auto branch = scf::IfOp::create(d.b, consumes, /*withElseRegion=*/true);
  branch->setAttr(tile::kUniform, d.b.getUnitAttr());
  branch->setAttr(tile::kConsumers, d.b.getI64IntegerAttr(d.block.warps * d.block.lanes));
  setRegisters(branch.thenBlock(), registers.ofConsumers, /*more=*/true);
  WalkResult turns = roles.getConsume().walk([](tile::TurnOp) { return WalkResult::interrupt(); });
  LogicalResult filled = fillBranch(d, roles.getConsume().front(), branch.thenBlock(), [&](Block &block) {
    if (turns.wasInterrupted())
      beginTurns(d);
    return body(block);
  });
  if (failed(filled))
    return failure();
  OpBuilder::InsertionGuard guard(d.b);
  setRegisters(branch.elseBlock(), registers.ofProducers, /*more=*/false);
  d.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  if (roles.getGrants()) { // One of four warps copies.
    Value copies = arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, d.warp(), d.i32(d.block.warps));
    auto one = scf::IfOp::create(d.b, copies, /*withElseRegion=*/false);
    d.b.setInsertionPoint(one.thenBlock()->getTerminator());
  }
  Value acts = tile::ElectedOp::create(d.b, d.b.getI1Type());
  auto elected = scf::IfOp::create(d.b, acts, /*withElseRegion=*/false);
  return fillBranch(d, roles.getProduce().front(), elected.thenBlock(), body);
}
} // namespace lispier
