//===- DistributeWarpgroups.cpp - products of four warps ------------------===//
//
// The factors stay in the slots of a pipelined loop, where the instruction reads
// them; only sums are in registers, 64 rows of each group of four warps in one
// instruction. All products of an op are begun before the first is waited for.
//
//===----------------------------------------------------------------------===//
#include "LayoutRules.h"
#include "ProductLayouts.h"
#include "SharedSlot.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;
using lispier::tile::RegisterTable;

namespace lispier {
namespace {
constexpr int64_t kRows = 64, kStep = 16, kFragmentColumns = 8, kFragmentRegisters = 4, kRowBytes = 128;
constexpr unsigned kGroupBits = 2; ///< Of the warp's number.

/// A factor in its slot.
struct Factor {
  Factor(Distribution &d, Value tile)
      : read(tile.getDefiningOp<vector::TransferReadOp>()), places(placesInSlot(shapeOfTile(tile), elementBytes(tile))),
        slot(d, read.getBase(), read.getIndices(), read.getVectorType().getNumElements()) {}

  vector::TransferReadOp read;
  SharedPlaces places;
  TileSlot slot;
};

/// Where a group's rows begin: what of a layout [m k] its threads have in common.
Layout ofGroup(const Layout &sums, ArrayRef<int64_t> shape) {
  Layout layout{{shape.begin(), shape.end()}, {}, {}, {}, {1, 1}};
  for (unsigned bit = 0; bit < sums.lanes.size(); ++bit)
    layout.lanes.push_back({0, 0});
  for (auto [bit, basis] : llvm::enumerate(sums.warps))
    layout.warps.push_back({bit < kGroupBits ? 0 : basis[0], 0});
  return layout;
}

/// The registers of 64 rows from `row` on, in the order of the instruction.
std::optional<SmallVector<unsigned>> registersOf(const Layout &sums, const RegisterTable &table, int32_t row) {
  SmallVector<unsigned> all;
  for (int32_t column = 0; column < sums.shape[1]; column += kFragmentColumns) {
    std::optional<unsigned> first = table.find({row, column});
    if (!first)
      return std::nullopt;
    for (unsigned i = 0; i < kFragmentRegisters; ++i)
      all.push_back(*first + i);
  }
  return all;
}
} // namespace

bool isReadByWarpgroups(vector::TransferReadOp read) {
  return isShared(read) &&
         llvm::all_of(read->getUsers(), [](Operation *user) { return user->hasAttr(tile::kWarpgroup); });
}

LogicalResult distributeWarpgroupProduct(Distribution &d, vector::ContractionOp product) {
  ProductShape shape = *productShape(product);
  const Layout &sums = d.layoutOf(product.getResult());
  RegisterTable table(sums);
  Factor lhs(d, product.getLhs()), rhs(d, product.getRhs());
  Layout group = ofGroup(sums, lhs.read.getVectorType().getShape());
  Value groupBegin = SharedPlaces::OfThread(d, lhs.places, group, lhs.slot.begin)[0];
  Value rhsBegin = d.toIndex(rhs.slot.begin);
  SmallVector<Value> elements = d.elements(d.get(product.getAcc()));
  SmallVector<std::pair<SmallVector<unsigned>, Value>> begun;
  tile::WarpgroupFenceOp::create(d.b);
  for (unsigned number = 0; number < elements.size(); ++number) {
    Coordinates at = sums.ofRegister(number);
    if (at[1] || at[0] % kRows)
      continue;
    std::optional<SmallVector<unsigned>> registers = registersOf(sums, table, at[0]);
    if (!registers)
      return product.emitOpError("has sums in a layout that does not fit its instruction");
    Value part = d.vectorOf(llvm::map_to_vector(*registers, [&](unsigned i) { return elements[i]; }));
    for (int32_t k = 0; k < shape.k; k += kStep) {
      Value a = d.add(groupBegin, lhs.places.place({at[0], k}));
      bool columns = shape.rhsTransposed; // b is [n k].
      Value c = d.add(rhsBegin, rhs.places.place(columns ? Coordinates{0, k} : Coordinates{k, 0}));
      part = tile::WarpgroupMmaOp::create(d.b, part.getType(), part, lhs.slot.memory, a, rhs.slot.memory, c, shape.n,
                                          /*apart=*/columns ? kStep : shape.k * kRowBytes, /*transposed=*/!columns);
    }
    begun.push_back({std::move(*registers), part});
  }
  for (auto &[registers, part] : begun) {
    Value complete = tile::WarpgroupWaitOp::create(d.b, part.getType(), part);
    for (auto [i, element] : llvm::zip(registers, d.elements(complete)))
      elements[i] = element;
  }
  d.set(product.getResult(), d.vectorOf(elements));
  return success();
}
} // namespace lispier
