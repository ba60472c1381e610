//===- DistributeWarpgroups.cpp - products of four warps ------------------===//
//
// A factor that is in a slot of a pipelined loop stays there, where the instruction
// reads it; the lhs may be in registers, as sums are, 64 rows of each group of four
// warps in one instruction. All products of an op are one group, which is waited for
// right after it; delayWaits then moves the waits to where sums are used.
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
constexpr int64_t kRows = 64, kStepBytes = 32, kFragmentColumns = 8, kFragmentRegisters = 4, kFactorRegisters = 8,
                  kRowElements = 64;
constexpr int64_t kUnusedStride = 16; ///< Of a factor that is not transposed.
constexpr unsigned kGroupBits = 2;    ///< Of the warp's number.

/// A factor in its slot.
struct SlotFactor {
  SlotFactor(Distribution &d, Value tile)
      : read(tile.getDefiningOp<vector::TransferReadOp>()), places(placesInSlot(shapeOfTile(tile), elementBytes(tile))),
        slot(d, read.getBase(), read.getIndices(), read.getVectorType().getNumElements()) {}

  vector::TransferReadOp read;
  SharedPlaces places;
  TileSlot slot;
};

/// Where a group's rows begin: what of a layout [m k], or [k m] if it is transposed, its threads have in common.
Layout ofGroup(const Layout &sums, ArrayRef<int64_t> shape, bool transposed) {
  Layout layout{{shape.begin(), shape.end()}, {}, {}, {}, {1, 1}};
  for (unsigned bit = 0; bit < sums.lanes.size(); ++bit)
    layout.lanes.push_back({0, 0});
  for (auto [bit, basis] : llvm::enumerate(sums.warps)) {
    int32_t row = bit < kGroupBits ? 0 : basis[0];
    layout.warps.push_back(transposed ? Coordinates{0, row} : Coordinates{row, 0});
  }
  return layout;
}

/// The registers of 64 rows from `row` on, in the order of the instruction.
std::optional<SmallVector<unsigned>> registersOfRow(const Layout &sums, const RegisterTable &table, int32_t row) {
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

/// The rows of the lhs that an instruction multiplies.
class Rows {
public:
  virtual ~Rows() = default;
  /// 64 rows of 32 bytes from `row` and `k` on, as the operands of tile.warpgroup_mma.
  virtual std::optional<std::pair<Value, Value>> at(int32_t row, int32_t k) = 0;
};

class RowsInSlot : public Rows {
public:
  RowsInSlot(Distribution &d, Value tile, const Layout &sums, bool transposed)
      : d(d), transposed(transposed), factor(d, tile) {
    Layout group = ofGroup(sums, shapeOfTile(tile), transposed);
    begin = SharedPlaces::OfThread(d, factor.places, group, factor.slot.begin)[0];
  }
  std::optional<std::pair<Value, Value>> at(int32_t row, int32_t k) override {
    Coordinates place = transposed ? Coordinates{k, row} : Coordinates{row, k};
    return std::pair(factor.slot.memory, d.add(begin, factor.places.place(place)));
  }

private:
  Distribution &d;
  bool transposed;
  SlotFactor factor;
  Value begin;
};

class RowsInRegisters : public Rows {
public:
  RowsInRegisters(Distribution &d, Value tile, bool transposed)
      : d(d), transposed(transposed), table(d.layoutOf(tile)), elements(d.elements(d.get(tile))) {}
  std::optional<std::pair<Value, Value>> at(int32_t row, int32_t k) override {
    std::optional<unsigned> first = transposed ? table.find({k, row}) : table.find({row, k});
    if (!first)
      return std::nullopt;
    return std::pair(d.vectorOf(ArrayRef(elements).slice(*first, kFactorRegisters)), Value());
  }

private:
  Distribution &d;
  bool transposed;
  RegisterTable table;
  SmallVector<Value> elements;
};

std::unique_ptr<Rows> rowsOf(Distribution &d, vector::ContractionOp product, const Layout &sums) {
  bool transposed = productShape(product)->lhsTransposed;
  if (readsRowsFromSlot(product))
    return std::make_unique<RowsInSlot>(d, product.getLhs(), sums, transposed);
  return std::make_unique<RowsInRegisters>(d, product.getLhs(), transposed);
}
} // namespace

bool isReadByWarpgroups(vector::TransferReadOp read) {
  return isShared(read) && llvm::all_of(read->getUses(), [](OpOperand &use) {
           auto product = dyn_cast<vector::ContractionOp>(use.getOwner());
           return product && product->hasAttr(tile::kWarpgroup) &&
                  (use.get() == product.getRhs() || readsRowsFromSlot(product));
         });
}

LogicalResult distributeWarpgroupProduct(Distribution &d, vector::ContractionOp product) {
  ProductShape shape = *productShape(product);
  const Layout &sums = d.layoutOf(product.getResult());
  RegisterTable table(sums);
  std::unique_ptr<Rows> lhs = rowsOf(d, product, sums);
  SlotFactor rhs(d, product.getRhs());
  bool columns = shape.rhsTransposed; // b is [n k].
  auto place = [&](int32_t k, int32_t n) { return rhs.places.place(columns ? Coordinates{n, k} : Coordinates{k, n}); };
  int64_t bytes = elementBytes(product.getRhs()), step = kStepBytes / bytes;
  int64_t apart = columns ? kUnusedStride : place(0, kRowElements) * bytes;
  Value rhsBegin = d.toIndex(rhs.slot.begin);
  SmallVector<Value> elements = d.elements(d.get(product.getAcc())), factors;
  tile::WarpgroupFenceOp::create(d.b);
  for (unsigned number = 0; number < elements.size(); ++number) {
    Coordinates at = sums.ofRegister(number);
    if (at[1] || at[0] % kRows)
      continue;
    std::optional<SmallVector<unsigned>> registers = registersOfRow(sums, table, at[0]);
    if (!registers)
      return product.emitOpError("has sums in a layout that does not fit its instruction");
    Value part = d.vectorOf(llvm::map_to_vector(*registers, [&](unsigned i) { return elements[i]; }));
    for (int32_t k = 0; k < shape.k; k += step) {
      auto a = lhs->at(at[0], k);
      if (!a)
        return product.emitOpError("has a factor in a layout that does not fit its instruction");
      part = tile::WarpgroupMmaOp::create(d.b, part.getType(), part, a->first, a->second, rhs.slot.memory,
                                          d.add(rhsBegin, place(k, 0)), shape.n, apart, /*transposed=*/!columns,
                                          /*aTransposed=*/shape.lhsTransposed && a->second);
      if (isTile(a->first))
        factors.push_back(a->first);
    }
    for (auto [i, element] : llvm::zip(*registers, d.elements(part)))
      elements[i] = element;
  }
  tile::WarpgroupCommitOp::create(d.b);
  // The products of one step of a loop, while those of the step before are complete. The next step would overwrite
  // registers that a product still reads.
  bool mayBeInFlight = product->hasAttr(tile::kInFlight) && factors.empty();
  int64_t pending = mayBeInFlight ? llvm::range_size(product->getBlock()->getOps<vector::ContractionOp>()) : 0;
  Value all = d.vectorOf(elements);
  d.set(product.getResult(), tile::WarpgroupWaitOp::create(d.b, all.getType(), all, pending, factors));
  return success();
}
} // namespace lispier
