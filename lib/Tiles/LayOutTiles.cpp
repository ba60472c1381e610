//===- LayOutTiles.cpp - give each tile a layout --------------------------===//
//
// Before: a tile program. After: the same program, in which every tile has one
// layout, written on its op, and every op has its operands in the layouts that it
// needs. Ops that are cheap are repeated for each layout in which they are used; a
// tile.convert, right after the op that makes the tile, and so outside of the loops
// that use it, moves what is not cheap. DistributeTiles relies on this.
//
//===----------------------------------------------------------------------===//
#include "LayoutAnalysis.h"
#include "LayoutRules.h"
#include "ProductLayouts.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using lispier::tile::Layout;
using lispier::tile::LayoutAttr;

namespace lispier {
#define GEN_PASS_DEF_LAYOUTTILES
#include "lispier/Tiles/Passes.h.inc"

namespace {
/// A warp's access touches whole sectors of memory from here on.
constexpr int64_t kFewContiguousBytes = 16;
/// What memory writes at once: less of it is written in two parts, which take twice the time.
constexpr int64_t kSectorBytes = 32;
/// Neighbouring columns that a thread has of a product's result, as in mma.sync's fragments of 16 x 8.
constexpr int64_t kNeighbours = 2;
/// A tile that small is rather read by each thread that needs it than moved between threads.
constexpr int64_t kSmallTileBytes = 4096;

/// Whether a use of a tile would rather have it moved from another layout than read from memory like this.
enum class Access { FromAnywhere, NotFromMemory };

class Placement {
public:
  Placement(gpu::GPUFuncOp kernel, const TargetInfo &target, BlockShape block)
      : target(target), block(block), analysis(kernel, target, block), context(kernel.getContext()) {
    kernel.walk([&](Operation *op) { ops.push_back(op); });
  }

  void run() {
    for (Operation *op : ops)
      place(op);
    // What is open, and what was read in another layout, has no use now.
    for (Operation *op : llvm::reverse(ops))
      if (!carriesValues(op) && llvm::any_of(op->getResultTypes(), llvm::IsaPred<VectorType>) && isOpTriviallyDead(op))
        op->erase();
  }

private:
  void place(Operation *op);
  void placeCarriedValues(Operation *op);
  void placeOperands(Operation *op, const Layout &layout);
  void placeWrite(vector::TransferWriteOp write);
  void placeProduct(vector::ContractionOp product);
  void placeReduction(vector::MultiDimReductionOp reduction);
  void placeScan(vector::ScanOp scan);
  void placeScattered(ValueRange tiles, MutableArrayRef<OpOperand> operands);
  Value inLayout(Value tile, const Layout &layout, Access access = Access::FromAnywhere);
  Value make(Value tile, LayoutAttr layout, Access access);
  bool isReadDirectly(vector::TransferReadOp read, const Layout &layout);
  bool isOfSmallReads(Operation *op);
  void require(OpOperand &operand, const Layout &layout, Access access = Access::FromAnywhere) {
    if (isTile(operand.get()))
      operand.set(inLayout(operand.get(), layout, access));
  }
  LayoutAttr attribute(const Layout &layout) { return LayoutAttr::get(context, layout); }

  const TargetInfo &target;
  BlockShape block;
  LayoutAnalysis analysis;
  MLIRContext *context;
  SmallVector<Operation *> ops;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
  llvm::DenseMap<Value, Value> origins; ///< From what is in `made`: the tiles of the program before.
};

/// Whether each access of a warp would touch a good part of what memory transfers at once.
bool Placement::isReadDirectly(vector::TransferReadOp read, const Layout &layout) {
  int64_t bytes = elementBytes(read.getResult());
  if (isShared(read) || layout.numElements() * bytes <= kSmallTileBytes)
    return true;
  return contiguousBytes(layout, bytes, vectorOf(read)) >= kFewContiguousBytes && copies(layout) <= 2;
}

/// Whether the op computes its elements from small tiles of memory and from open tiles alone, such as a row of weights
/// that is cast: threads rather compute it again than wait for each other.
bool Placement::isOfSmallReads(Operation *op) {
  if (auto read = dyn_cast<vector::TransferReadOp>(op))
    return !isShared(read) && read.getVectorType().getNumElements() * elementBytes(read.getResult()) <= kSmallTileBytes;
  return isElementwise(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *made = operand.getDefiningOp();
           return !isTile(operand) || analysis.isOpen(operand) || (made && isOfSmallReads(made));
         });
}

/// Whether the op makes wider elements of the same numbers: the narrow ones are moved with half of the accesses.
bool widens(Operation *op) { return isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op); }

/// Repeats the op of `tile` with another layout, or moves its result.
Value Placement::make(Value tile, LayoutAttr attribute, Access access) {
  Layout layout = attribute.layoutOf(shapeOfTile(tile));
  Operation *op = tile.getDefiningOp();
  OpBuilder builder(context);
  auto read = dyn_cast_or_null<vector::TransferReadOp>(op);
  bool reads = read && ((access == Access::FromAnywhere && isReadDirectly(read, layout)) || isShared(read));
  bool computes = op && !read && access == Access::FromAnywhere && isOfSmallReads(op);
  if (op && (analysis.isOpen(tile) || reads || computes || widens(op))) {
    builder.setInsertionPointAfter(op);
    Operation *copy = builder.clone(*op);
    copy->setAttr(tile::kLayout, attribute);
    placeOperands(copy, layout);
    return copy->getResult(0);
  }
  builder.setInsertionPointAfterValue(tile);
  return tile::ConvertOp::create(builder, tile.getLoc(), tile.getType(), tile, attribute);
}

Value Placement::inLayout(Value tile, const Layout &layout, Access access) {
  if (Value original = origins.lookup(tile))
    tile = original;
  if (!analysis.isOpen(tile) && analysis.of(tile).layout == layout)
    return tile;
  LayoutAttr wanted = attribute(layout);
  if (Value known = made.lookup({tile, wanted}))
    return known;
  Value result = make(tile, wanted, access);
  origins[result] = tile;
  return made[{tile, wanted}] = result;
}

/// Of an op whose result, which is not open, is in `layout`.
void Placement::placeOperands(Operation *op, const Layout &layout) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isTile(operand.get()))
      continue;
    if (isa<vector::TransferReadOp, tile::GatherOp>(op)) // Masks and indices: of each element.
      require(operand, layout);
    else if (std::optional<Layout> needed = operandLayout(operand, layout))
      require(operand, *needed);
    else // A reshape through memory takes any.
      require(operand, analysis.layoutOrDefault(operand.get()));
  }
}

void Placement::placeWrite(vector::TransferWriteOp write) {
  Value tile = write.getValueToStore();
  if (isShared(write)) // A copy, in whose slots any layout finds its elements.
    return require(write.getValueToStoreMutable(), analysis.layoutOrDefault(tile));
  int64_t bytes = elementBytes(tile), vector = vectorOf(write);
  Layout layout = analysis.layoutOrDefault(tile);
  // Where each element is written by itself, two neighbours in a thread, as products have, are as good as in two lanes;
  // to move tiles between threads would be most of the code of such a kernel.
  int64_t contiguous = contiguousBytes(layout, bytes, isUnaligned(write) ? kNeighbours : vector);
  bool fits = !analysis.isOpen(tile) && contiguous >= (isUnaligned(write) ? kFewContiguousBytes : kSectorBytes);
  if (!fits && analysis.of(tile).strength != Strength::User) {
    Layout better = memoryLayout(shapeOfTile(tile), vector, block);
    if (analysis.isOpen(tile) || contiguousBytes(better, bytes, vector) > contiguousBytes(layout, bytes, vector))
      layout = better;
  }
  for (OpOperand &operand : write->getOpOperands())
    require(operand, layout);
}

void Placement::placeProduct(vector::ContractionOp product) {
  ProductLayouts layouts = productLayouts(product, target, block);
  if (isOfWarpgroups(product, target, block)) {
    product->setAttr(tile::kWarpgroup, UnitAttr::get(context));
    if (!readsRowsFromSlot(product))
      require(product.getLhsMutable(), layouts.lhs, Access::NotFromMemory);
    require(product.getAccMutable(), layouts.result);
    product->setAttr(tile::kLayout, attribute(layouts.result));
    return;
  }
  require(product.getLhsMutable(), layouts.lhs, Access::NotFromMemory);
  require(product.getRhsMutable(), layouts.rhs, Access::NotFromMemory);
  require(product.getAccMutable(), layouts.result);
  product->setAttr(tile::kLayout, attribute(layouts.result));
}

void Placement::placeReduction(vector::MultiDimReductionOp reduction) {
  require(reduction.getSourceMutable(), analysis.layoutOrDefault(reduction.getSource()));
  if (!isTile(reduction.getResult()))
    return;
  Layout layout = analysis.of(reduction.getResult()).layout;
  require(reduction.getAccMutable(), layout);
  reduction->setAttr(tile::kLayout, attribute(layout));
}

void Placement::placeScan(vector::ScanOp scan) {
  Layout layout = analysis.of(scan.getDest()).layout, total = layout.without(scan.getReductionDim());
  require(scan.getSourceMutable(), layout);
  require(scan.getInitialValueMutable(), total);
  scan->setAttr(tile::kLayout, ArrayAttr::get(context, {attribute(layout), attribute(total)}));
}

/// All in the layout of the first that is not open.
void Placement::placeScattered(ValueRange tiles, MutableArrayRef<OpOperand> operands) {
  auto closed = llvm::find_if(tiles, [&](Value tile) { return !analysis.isOpen(tile); });
  Layout layout = analysis.layoutOrDefault(closed == tiles.end() ? tiles.front() : *closed);
  for (OpOperand &operand : operands)
    require(operand, layout);
}

void Placement::placeCarriedValues(Operation *op) {
  SmallVector<CarriedValue> values = carriedValues(op);
  SmallVector<Attribute> layouts;
  for (const CarriedValue &value : values) {
    Value target = value.targets.front();
    if (!isTile(target)) {
      layouts.push_back(UnitAttr::get(context));
      continue;
    }
    Layout layout = analysis.of(target).layout;
    layouts.push_back(attribute(layout));
    for (OpOperand *source : value.sources)
      require(*source, layout);
  }
  if (llvm::any_of(layouts, llvm::IsaPred<LayoutAttr>))
    op->setAttr(tile::kLayout, ArrayAttr::get(context, layouts));
}

void Placement::place(Operation *op) {
  if (carriesValues(op))
    return placeCarriedValues(op);
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](vector::TransferWriteOp write) { placeWrite(write); })
      .Case([&](vector::ContractionOp product) { placeProduct(product); })
      .Case([&](vector::MultiDimReductionOp reduction) { placeReduction(reduction); })
      .Case([&](vector::ScanOp scan) { placeScan(scan); })
      .Case<tile::ScatterOp, tile::AtomicAddOp>([&](auto write) {
        SmallVector<Value> tiles{write.getValue()};
        llvm::append_range(tiles, write.getIndices());
        placeScattered(tiles, write->getOpOperands());
      })
      .Default([&](Operation *other) {
        if (other->getNumResults() != 1 || !isTile(other->getResult(0)) || isa<tile::ConvertOp>(other)) {
          if (!other->hasTrait<OpTrait::IsTerminator>()) // Their operands are placed with the op around them.
            for (OpOperand &operand : other->getOpOperands())
              if (isTile(operand.get()))
                require(operand, analysis.layoutOrDefault(operand.get()));
          return;
        }
        if (analysis.isOpen(other->getResult(0)))
          return;
        Layout layout = analysis.of(other->getResult(0)).layout;
        other->setAttr(tile::kLayout, attribute(layout));
        placeOperands(other, layout);
      });
}

LogicalResult layOut(gpu::GPUFuncOp kernel) {
  tile::ProgramAttr program = tile::programOf(kernel);
  if (!program)
    return success();
  const TargetInfo *target = device::targetInfoOf(kernel);
  if (!target)
    return kernel.emitOpError("is for no target; its module has no `") << device::kTarget << "`";
  WalkResult checked = kernel.walk([](vector::ContractionOp product) {
    if (productShape(product) && product.getKind() == vector::CombiningKind::ADD)
      return WalkResult::advance();
    product.emitOpError("is no product of matrices; a block multiplies [m k] by [k n], or with a batch [b m k] by "
                        "[b k n], either factor transposed");
    return WalkResult::interrupt();
  });
  if (checked.wasInterrupted())
    return failure();
  Placement(kernel, *target, {target->warpWidth, static_cast<unsigned>(program.getWarps())}).run();
  return success();
}

struct LayOutTiles : impl::LayOutTilesBase<LayOutTiles> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(layOut(kernel)))
        signalPassFailure();
  }
};
} // namespace
} // namespace lispier
