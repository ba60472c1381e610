//===- RingResults.cpp - what becomes of the sums of a ring ---------------===//
#include "RingResults.h"
#include "LayoutRules.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
constexpr int64_t kDrainedColumns = 64; ///< Rows, and columns, of what is drained together.
constexpr int64_t kPieceColumns = 16;   ///< Columns of what is computed together: one store of four matrices.
constexpr int64_t kDrainBuffers = 2;
constexpr int64_t kDrainedBytes = 2, kAlignedBytes = 16;
constexpr int64_t kMostMapped = 5;   ///< Of a copy by a tensor map.
constexpr int64_t kMostWhole = 1024; ///< Bytes of all tiles that are read, but not in columns.

Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

VectorType withColumns(VectorType type, int64_t columns) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = columns;
  return VectorType::get(shape, type.getElementType());
}

bool isSplat(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  return constant && isa<SplatElementsAttr>(constant.getValue());
}
} // namespace

bool isAlignedParameter(VectorTransferOpInterface transfer) {
  auto argument = dyn_cast<BlockArgument>(transfer.getBase());
  auto type = dyn_cast<MemRefType>(transfer.getBase().getType());
  return argument && isa<gpu::GPUFuncOp>(argument.getOwner()->getParentOp()) && type && type.isLastDimUnitStride() &&
         type.getRank() >= 2 && type.getRank() <= kMostMapped &&
         vectorOf(transfer) * elementBytes(transfer.getVector()) >= kAlignedBytes && !transfer.getMask() &&
         transfer.getVectorType().getRank() == 2 && transfer.getPermutationMap().isMinorIdentity();
}

//===-- What fits ---------------------------------------------------------===//

/// A tile that does not depend on the loop, and takes few registers.
bool RingResults::isWhole(Value tile) {
  if (!isTile(tile))
    return true;
  Operation *op = tile.getDefiningOp();
  if (auto read = dyn_cast_or_null<vector::TransferReadOp>(op)) {
    wholeBytes += read.getVectorType().getNumElements() * elementBytes(tile);
    return wholeBytes <= kMostWhole && isWhole(read.getMask() ? read.getMask() : read.getPadding());
  }
  return op && op != loop && isMadeWhereUsed(op) &&
         llvm::all_of(op->getOperands(), [&](Value each) { return isWhole(each); });
}

/// A tile whose last dimension has the results' columns, from ops that have them, too.
bool RingResults::isCut(Value tile) {
  Operation *op = tile.getDefiningOp();
  auto sizeOf = [](Value of) { return shapeOfTile(of).empty() ? 1 : shapeOfTile(of).back(); };
  if (!op || sizeOf(tile) != columns)
    return false;
  if (op == loop || isSplat(op))
    return true;
  if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
    if (!llvm::is_contained(reads, read))
      reads.push_back(read);
    return !read.getMask() && read.getPermutationMap().isMinorIdentity();
  }
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return isTile(broadcast.getSource()) && sizeOf(broadcast.getSource()) == columns ? isCut(broadcast.getSource())
                                                                                     : isWhole(broadcast.getSource());
  if (auto cast = dyn_cast<vector::ShapeCastOp>(op))
    return isCut(cast.getSource());
  return isElementwise(op) && llvm::all_of(op->getOperands(), [&](Value each) { return !isTile(each) || isCut(each); });
}

/// Results are written from where products leave them: numbers of 32 bits by the threads that have them, those of 16
/// through memory of the block.
bool RingResults::fitsWrite(vector::TransferWriteOp write) {
  VectorType tile = write.getVectorType();
  Value stored = write.getValueToStore();
  auto sums = cast<VectorType>(loop.getResultTypes().front());
  if (!isAlignedParameter(write) || tile.getShape() != sums.getShape() || !isCut(stored))
    return false;
  writes.push_back(write);
  if (elementBytes(stored) == 2 * kDrainedBytes)
    return true;
  drained.push_back(write);
  return elementBytes(stored) == kDrainedBytes && tile.getShape()[0] % kDrainedColumns == 0 &&
         tile.getShape()[1] % kDrainedColumns == 0;
}

/// Columns may be read after others have been written: of memory that is written, only what the same tile replaces.
bool RingResults::fitsReads() {
  return llvm::all_of(reads, [&](vector::TransferReadOp read) {
    return llvm::all_of(writes, [&](vector::TransferWriteOp write) {
      return rootOf(read.getBase()) != rootOf(write.getBase()) ||
             (read.getBase() == write.getBase() && llvm::equal(read.getIndices(), write.getIndices()) &&
              read.getVectorType().getShape() == write.getVectorType().getShape());
    });
  });
}

bool RingResults::fits(scf::ForOp ofSums, ArrayRef<Operation *> ops) {
  loop = ofSums;
  auto sums = dyn_cast<VectorType>(loop.getResultTypes().front());
  if (!sums || sums.getRank() != 2 || sums.getShape()[1] % kPieceColumns)
    return false;
  columns = sums.getShape()[1];
  for (Operation *op : ops) {
    if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
      if (op->isBeforeInBlock(loop) || !fitsWrite(write))
        return false;
    } else if (op != loop && !isa<vector::TransferReadOp>(op) && (!isMemoryEffectFree(op) || op->getNumRegions())) {
      return false;
    }
  }
  return !writes.empty() && fitsReads() && llvm::all_of(loop.getInits(), [&](Value init) { return isWhole(init); });
}

MemRefType RingResults::buffersType() const {
  if (drained.empty())
    return {};
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto type = cast<VectorType>(vector::TransferWriteOp(drained.front()).getValueToStore().getType());
  return MemRefType::get({kDrainBuffers, type.getShape()[0], kDrainedColumns}, type.getElementType(),
                         MemRefLayoutAttrInterface(), space);
}

//===-- Columns -----------------------------------------------------------===//

Value RingResults::whole(Value tile, IRMapping &mapping) {
  Operation *op = tile.getDefiningOp();
  if (!isTile(tile) || mapping.contains(tile))
    return mapping.lookupOrDefault(tile);
  for (Value operand : op->getOperands())
    whole(operand, mapping);
  b.clone(*op, mapping);
  return mapping.lookup(tile);
}

SmallVector<Value> RingResults::indicesAt(OperandRange indices, int64_t column, IRMapping &mapping) {
  SmallVector<Value> all = llvm::map_to_vector(indices, [&](Value each) { return mapping.lookupOrDefault(each); });
  if (column)
    all.back() = arith::AddIOp::create(b, all.back(), arith::ConstantIndexOp::create(b, column));
  return all;
}

Value RingResults::makeColumns(Value tile, int64_t column, IRMapping &mapping) {
  Operation *op = tile.getDefiningOp();
  VectorType type = withColumns(cast<VectorType>(tile.getType()), kPieceColumns);
  if (op == loop) {
    int64_t rows = type.getShape()[0];
    return vector::ExtractStridedSliceOp::create(b, mapping.lookup(tile), ArrayRef<int64_t>{0, column},
                                                 ArrayRef<int64_t>{rows, kPieceColumns}, ArrayRef<int64_t>{1, 1});
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(b, cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  IRMapping of = mapping;
  auto read = dyn_cast<vector::TransferReadOp>(op);
  for (Value operand : op->getOperands())
    if (isTile(operand))
      of.map(operand,
             shapeOfTile(operand).back() == columns ? columnsOf(operand, column, mapping) : whole(operand, mapping));
  SmallVector<Value> indices;
  if (read)
    indices = indicesAt(read.getIndices(), column, mapping);
  Operation *copy = b.clone(*op, of);
  if (read)
    cast<vector::TransferReadOp>(copy).getIndicesMutable().assign(indices);
  copy->getResult(0).setType(type);
  return copy->getResult(0);
}

Value RingResults::columnsOf(Value tile, int64_t column, IRMapping &mapping) {
  if (Value known = made.lookup({tile, column}))
    return known;
  Value columns = makeColumns(tile, column, mapping);
  made[{tile, column}] = columns;
  return columns;
}

/// Waits until a buffer may be written again, of two the one before the last. Only at the start of a tile it may be the
/// last one.
int64_t RingResults::vacate(Value buffers) {
  int64_t buffer = drains % kDrainBuffers, ofTile = int64_t(drained.size()) * columns / kDrainedColumns;
  tile::VacateOp::create(b, buffers, drains == 0 && ofTile % kDrainBuffers ? 0 : kDrainBuffers - 1);
  ++drains;
  return buffer;
}

/// The first result of 16 bits is staged while the others are computed: these stay in registers.
void RingResults::makePart(int64_t begin, int64_t end, IRMapping &mapping, Value buffers) {
  int64_t buffer = drained.empty() ? 0 : vacate(buffers);
  auto stage = [&](vector::TransferWriteOp write, int64_t column) {
    tile::StageOp::create(b, columnsOf(write.getValueToStore(), column, mapping), buffers, buffer, column - begin);
  };
  auto drain = [&](vector::TransferWriteOp write) {
    tile::DrainOp::create(b, buffers, buffer, write.getBase(), indicesAt(write.getIndices(), begin, mapping));
  };
  for (int64_t column = begin; column < end; column += kPieceColumns)
    for (vector::TransferWriteOp write : writes) {
      Value tile = columnsOf(write.getValueToStore(), column, mapping);
      if (!llvm::is_contained(drained, write))
        vector::TransferWriteOp::create(b, tile, write.getBase(), indicesAt(write.getIndices(), column, mapping),
                                        write.getPermutationMapAttr(), write.getInBoundsAttr())
            ->setDiscardableAttrs(write->getDiscardableAttrDictionary());
      else if (write == drained.front())
        stage(write, column);
    }
  for (vector::TransferWriteOp write : drained) {
    if (write != drained.front()) {
      buffer = vacate(buffers);
      for (int64_t column = begin; column < end; column += kPieceColumns)
        stage(write, column);
    }
    drain(write);
  }
}

void RingResults::make(IRMapping &mapping, Value buffers) {
  made.clear();
  drains = 0;
  for (int64_t begin = 0; begin < columns; begin += kDrainedColumns)
    makePart(begin, std::min(begin + kDrainedColumns, columns), mapping, buffers);
}
} // namespace lispier
