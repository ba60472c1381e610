//===- LayoutRules.cpp - how ops pass layouts on --------------------------===//
#include "LayoutRules.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using lispier::tile::Coordinates;
using lispier::tile::Layout;

namespace lispier {
namespace {
constexpr int64_t kMaxAccessBytes = 16;

/// Without dimensions of size 1.
Layout squeezed(Layout layout) {
  for (unsigned dimension = layout.rank(); dimension-- > 0;)
    if (layout.shape[dimension] == 1)
      layout = layout.without(dimension);
  return layout;
}

Layout beforeBroadcast(vector::BroadcastOp op, Layout layout) {
  ArrayRef<int64_t> source = shapeOfTile(op.getSource());
  while (layout.rank() > source.size())
    layout = layout.without(0);
  for (auto [dimension, size] : llvm::enumerate(source))
    if (size == 1 && layout.shape[dimension] != 1)
      layout = layout.collapsed(dimension);
  return layout;
}

Layout reduced(vector::MultiDimReductionOp op, Layout layout) {
  for (unsigned dimension = layout.rank(); dimension-- > 0;)
    if (op.isReducedDim(dimension))
      layout = layout.without(dimension);
  return layout;
}
/// A layout in which a slice has its elements where the tile has them; nullopt if lanes or warps differ in more.
std::optional<Layout> sliced(vector::ExtractStridedSliceOp op, Layout layout) {
  for (auto [dimension, size] : llvm::enumerate(op.getType().getShape())) {
    auto isOutside = [&, dimension = dimension, size = size](const Coordinates &basis) {
      return basis[dimension] >= size;
    };
    int64_t unit = layout.unitSize(dimension);
    if (size == layout.shape[dimension])
      continue;
    if (llvm::any_of(layout.lanes, isOutside) || llvm::any_of(layout.warps, isOutside) ||
        std::max(size, unit) % std::min(size, unit))
      return std::nullopt;
    llvm::erase_if(layout.registers, isOutside);
    layout.shape[dimension] = size;
    layout.repeats[dimension] = std::max<int64_t>(1, size / unit);
  }
  return layout;
}
} // namespace

bool isTile(Value value) { return isa<VectorType>(value.getType()); }

ArrayRef<int64_t> shapeOfTile(Value tile) { return cast<VectorType>(tile.getType()).getShape(); }

int64_t elementBytes(Value tile) {
  Type type = getElementTypeOrSelf(tile.getType());
  return type.isIndex() ? 8 : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1 && isTile(op->getResult(0));
}

bool isMadeWhereUsed(Operation *op) {
  return isa<arith::ConstantOp, vector::StepOp, vector::CreateMaskOp, vector::ConstantMaskOp, vector::BroadcastOp,
             vector::TransposeOp, vector::ShapeCastOp>(op) ||
         isElementwise(op);
}

bool isShared(VectorTransferOpInterface transfer) {
  auto memory = dyn_cast<MemRefType>(transfer.getBase().getType());
  return memory && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memory);
}

bool isCopied(vector::TransferReadOp read) {
  if (isShared(read) || !read->hasOneUse())
    return false;
  auto write = dyn_cast<vector::TransferWriteOp>(*read->user_begin());
  return write && isShared(write) && write.getValueToStore() == read.getResult();
}

int64_t vectorOf(VectorTransferOpInterface transfer) {
  auto vector = transfer->getAttrOfType<IntegerAttr>(tile::kVector);
  Type element = transfer.getVectorType().getElementType();
  if (!vector || element.isInteger(1))
    return 1;
  int64_t bytes = element.isIndex() ? 8 : element.getIntOrFloatBitWidth() / 8;
  return std::clamp<int64_t>(kMaxAccessBytes / bytes, 1, vector.getInt());
}

bool isUnaligned(VectorTransferOpInterface transfer) {
  auto vector = transfer->getAttrOfType<IntegerAttr>(tile::kVector);
  return vector && vector.getInt() == 1;
}

std::optional<Layout> reshape(const Layout &layout, ArrayRef<int64_t> shape) {
  Layout small = squeezed(layout);
  if (!llvm::equal(small.shape, llvm::make_filter_range(shape, [](int64_t size) { return size != 1; })))
    return layout.reshaped(shape);
  for (auto [position, size] : llvm::enumerate(shape))
    if (size == 1)
      small = small.withUnitDimension(position);
  return small;
}

std::optional<Layout> operandLayout(OpOperand &operand, const Layout &result) {
  using Found = std::optional<Layout>;
  return llvm::TypeSwitch<Operation *, Found>(operand.getOwner())
      .Case([&](vector::BroadcastOp op) { return Found(beforeBroadcast(op, result)); })
      .Case([&](vector::TransposeOp op) {
        return Found(result.transposed(invertPermutationVector(op.getPermutation())));
      })
      .Case([&](vector::ShapeCastOp op) { return reshape(result, shapeOfTile(op.getSource())); })
      .Default([&](Operation *op) { return isElementwise(op) ? Found(result) : std::nullopt; });
}

std::optional<Layout> resultLayout(OpOperand &operand, const Layout &layout) {
  using Found = std::optional<Layout>;
  return llvm::TypeSwitch<Operation *, Found>(operand.getOwner())
      .Case([&](vector::TransposeOp op) { return Found(layout.transposed(op.getPermutation())); })
      .Case([&](vector::ShapeCastOp op) { return reshape(layout, shapeOfTile(op.getResult())); })
      .Case([&](vector::MultiDimReductionOp op) { return Found(reduced(op, layout)); })
      .Case([&](vector::ExtractStridedSliceOp op) { return sliced(op, layout); })
      .Case([](vector::BroadcastOp) { return std::nullopt; }) // Many would do: its user chooses.
      .Default([&](Operation *op) { return isElementwise(op) ? Found(layout) : std::nullopt; });
}
} // namespace lispier
