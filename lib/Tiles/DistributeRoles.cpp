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

class Drain {
public:
  Drain(Distribution &d, tile::DrainOp drain)
      : d(d), drain(drain), layout(d.layoutOf(drain.getTile())), table(layout),
        elements(d.elements(d.get(drain.getTile()))),
        places(placesInSlot({layout.shape[0], kPart}, elementBytes(drain.getTile()))) {}

  LogicalResult run() {
    SmallVector<Coordinates> parts;
    for (unsigned number = 0; number < elements.size(); ++number)
      if (Coordinates at = layout.ofRegister(number); at[0] % kPart == 0 && at[1] % kPart == 0)
        parts.push_back(at);
    llvm::sort(parts);
    ReassociationIndices all{0, 1, 2};
    memory = memref::CollapseShapeOp::create(d.b, d.get(drain.getBuffers()), ArrayRef<ReassociationIndices>{all});
    Layout ofGroup{layout.shape, {}, Layout(layout).lanes, {}, {1, 1}};
    for (Coordinates &basis : ofGroup.lanes)
      basis = {0, 0};
    for (auto [bit, basis] : llvm::enumerate(layout.warps))
      ofGroup.warps.push_back(bit < kBitsInGroup ? Coordinates{0, 0} : basis);
    groupRow = d.ofThread(ofGroup, [](ArrayRef<int32_t> basis) { return basis[0]; });
    group = arith::ShRUIOp::create(d.b, d.warp(), d.i32(kBitsInGroup));
    Value inGroup = arith::AndIOp::create(d.b, d.warp(), d.i32(kWarpsOfGroup - 1));
    isLeader = isZero(d, arith::OrIOp::create(d.b, inGroup, d.lane()));
    for (auto [number, at] : llvm::enumerate(parts)) {
      // The buffer before the last may be written again; the last one, too, where a tile begins with it.
      bool isLast = number == 0 && parts.size() % 2;
      if (failed(writePart(at, number % 2, isLast ? 0 : 1)))
        return failure();
    }
    return success();
  }

private:
  LogicalResult writePart(const Coordinates &at, int64_t buffer, int64_t pending) {
    d.onlyIf(isLeader, [&] { tile::DrainedOp::create(d.b, pending, /*written=*/false); });
    join(/*publishes=*/false);
    int64_t begin = buffer * layout.shape[0] * kPart + at[0] * kPart;
    // Where a lane's row of each matrix is.
    Layout rows = layout;
    rows.shape = {layout.shape[0], kPart};
    rows.repeats = {1, 1};
    rows.registers = {{0, 16}, {0, 32}};
    rows.lanes = {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}};
    SharedPlaces::OfThread place(d, places, rows, d.i32(begin));
    for (unsigned step = 0; step < kPart / kFragment; ++step) {
      std::optional<unsigned> first = table.find({at[0], int32_t(at[1] + step * kFragment)});
      if (!first)
        return drain.emitOpError("drains a tile in a layout that does not fit its instruction");
      auto type = VectorType::get({kMatrices, 2}, elements.front().getType());
      Value matrices =
          vector::FromElementsOp::create(d.b, type, ArrayRef(elements).slice(*first, 2 * kMatrices)).getResult();
      tile::StoreMatrixOp::create(d.b, matrices, memory, ValueRange{place[step]});
    }
    join(/*publishes=*/true);
    d.onlyIf(isLeader, [&] {
      SmallVector<Value> indices = llvm::map_to_vector(drain.getIndices(), [&](Value each) { return d.get(each); });
      Value row = d.toIndex(groupRow), &outer = indices[indices.size() - 2], &inner = indices.back();
      outer = d.add(d.add(outer, row), at[0]);
      inner = d.add(inner, at[1]);
      Value from = d.add(arith::MulIOp::create(d.b, row, d.index(kPart)), begin);
      tile::CopyBulkOp::create(d.b, memory, from, d.get(drain.getBase()), indices, kPart, /*map=*/Value());
    });
    return success();
  }

  /// The four warps of a group; the ids below are those of the block, and of all that compute.
  void join(bool publishes) {
    Value id = arith::AddIOp::create(d.b, group, d.i32(kBarrierOfConsumers + 1));
    tile::JoinOp::create(d.b, id, kWarpsOfGroup * d.block.lanes, publishes);
  }

  Distribution &d;
  tile::DrainOp drain;
  const Layout &layout;
  RegisterTable table;
  SmallVector<Value> elements;
  SharedPlaces places;
  Value memory, groupRow, group, isLeader;
};
} // namespace

LogicalResult distributeDrain(Distribution &d, tile::DrainOp drain) {
  if (!isFragment(d.layoutOf(drain.getTile())))
    return drain.emitOpError("drains a tile in a layout that does not fit its instruction");
  return Drain(d, drain).run();
}

LogicalResult distributeRoles(Distribution &d, tile::RolesOp roles, llvm::function_ref<LogicalResult(Block &)> body) {
  Value ring = d.get(roles.getRing()), thread = arith::OrIOp::create(d.b, d.lane(), d.warp());
  d.onlyIf(isZero(d, thread), [&] { tile::RingStartOp::create(d.b, ring, d.block.warps); });
  gpu::BarrierOp::create(d.b);
  Value consumes = arith::CmpIOp::create(d.b, arith::CmpIPredicate::ult, d.warp(), d.i32(d.block.warps));
  auto branch = scf::IfOp::create(d.b, consumes, /*withElseRegion=*/true);
  branch->setAttr(tile::kUniform, d.b.getUnitAttr());
  branch->setAttr(tile::kConsumers, d.b.getI64IntegerAttr(d.block.warps * d.block.lanes));
  if (failed(fillBranch(d, roles.getConsume().front(), branch.thenBlock(), body)))
    return failure();
  OpBuilder::InsertionGuard guard(d.b);
  d.b.setInsertionPoint(branch.elseBlock()->getTerminator());
  Value acts = tile::ElectedOp::create(d.b, d.b.getI1Type());
  auto elected = scf::IfOp::create(d.b, acts, /*withElseRegion=*/false);
  return fillBranch(d, roles.getProduce().front(), elected.thenBlock(), body);
}
} // namespace lispier
