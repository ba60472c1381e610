//===- LowerTileAccesses.cpp - tiles from memory and to memory ------------===//
//
// Nothing outside of a memref is accessed. The elements of a tile that lie inside
// are a box, so that a read or write is two loop nests: one for a tile that is
// wholly inside, with constant bounds, and one for the box at an edge.
//
//===----------------------------------------------------------------------===//
#include "LowerTileAccesses.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/ByteSize.h"
#include "lispier/Loops/MemoryExtent.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace lispier::tiles {
namespace {
/// Whether the index cannot be negative. Overflow is no matter: such an index has no memory.
bool isNonNegative(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant >= 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() && isNonNegative(loop.getLowerBound());
  }
  Operation *op = value.getDefiningOp();
  if (isa<gpu::BlockIdOp, gpu::GridDimOp, memref::DimOp>(op))
    return true;
  if (isa<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), isNonNegative);
  return isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp, arith::RemSIOp, arith::DivUIOp,
             arith::RemUIOp>(op) &&
         llvm::all_of(op->getOperands(), isNonNegative);
}

/// A transfer between a tile and a memref, dimension by dimension.
class Transfer {
public:
  Transfer(VectorTransferOpInterface op, TileLoops &tiles, bool readInPlace)
      : op(op), tiles(tiles), readInPlace(readInPlace), b(op), loc(op.getLoc()), memref(op.getBase()),
        tile(op.getVectorType()), leading(cast<MemRefType>(memref.getType()).getRank() - tile.getRank()) {}

  LogicalResult run() {
    if (!isa<MemRefType>(memref.getType()) || !op.getPermutationMap().isMinorIdentity())
      return op.emitOpError("is no op of a tile program: the tile's dimensions are the last ones of a memref");
    findBox();
    if (auto read = dyn_cast<vector::TransferReadOp>(op.getOperation()))
      lowerRead(read);
    else
      lowerWrite(op->getOperand(0));
    return success();
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(loc, predicate, x, y);
  }
  void require(Value &all, Value one) { all = all ? b.createOrFold<arith::AndIOp>(loc, all, one) : one; }

  /// Finds the elements that lie inside, in the dimensions that may go past an end.
  void findBox() {
    SmallVector<bool> inBounds = op.getInBoundsValues();
    for (auto [i, size] : llvm::enumerate(tile.getShape()))
      if (size != 1)
        last = i;
    for (auto [i, size] : llvm::enumerate(tile.getShape())) {
      Value index = op.getIndices()[leading + i], isWhole;
      OpFoldResult first = b.getIndexAttr(0), count = b.getIndexAttr(size);
      if (!inBounds[i]) {
        Value end = b.createOrFold<memref::DimOp>(loc, memref, leading + i);
        if (size == 1) {
          isWhole = compare(arith::CmpIPredicate::ult, index, end);
          require(any, isWhole);
        } else {
          isWhole = findRange(index, end, size, first, count);
        }
        require(whole, isWhole);
        if (int64_t(i) != last)
          require(rowsAreWhole, isWhole);
        else
          endOfRow = end;
      }
      if (size != 1) {
        box.offsets.push_back(first);
        box.sizes.push_back(count);
      }
    }
  }

  /// The elements from `first` on, `count` of them, with 0 <= index + element < end. Returns whether these are all.
  Value findRange(Value index, Value end, int64_t size, OpFoldResult &first, OpFoldResult &count) {
    Value zero = constant(0), all = constant(size);
    auto clamp = [&](Value v) {
      return b.createOrFold<arith::MinSIOp>(loc, b.createOrFold<arith::MaxSIOp>(loc, v, zero), all);
    };
    Value past = clamp(b.createOrFold<arith::SubIOp>(loc, end, index)), number = past;
    if (!isNonNegative(index)) {
      Value before = clamp(b.createOrFold<arith::SubIOp>(loc, zero, index));
      number = b.createOrFold<arith::SubIOp>(loc, past, before);
      first = getAsOpFoldResult(before);
    }
    count = getAsOpFoldResult(number);
    mayBePartial = true;
    require(any, compare(arith::CmpIPredicate::sgt, number, zero));
    bool isBefore = getConstantIntValue(index).value_or(0) < 0;
    return isBefore ? arith::ConstantIntOp::create(b, loc, 0, 1).getResult()
                    : compare(arith::CmpIPredicate::eq, number, all);
  }

  /// The memref's elements of the whole tile, or of the box.
  Value memory(OpBuilder &b, bool isWhole) {
    SmallVector<OpFoldResult> offsets, sizes;
    SmallVector<bool> isDropped;
    size_t loop = 0;
    for (auto [i, index] : llvm::enumerate(op.getIndices())) {
      int64_t size = i < size_t(leading) ? 1 : tile.getDimSize(i - leading);
      isDropped.push_back(size == 1);
      OpFoldResult offset = getAsOpFoldResult(index), count = b.getIndexAttr(size);
      if (size != 1) {
        if (!isWhole) {
          Value first = getValueOrCreateConstantIndexOp(b, loc, box.offsets[loop]);
          offset = getAsOpFoldResult(b.createOrFold<arith::AddIOp>(loc, index, first));
          count = box.sizes[loop];
        }
        ++loop;
      }
      offsets.push_back(offset);
      sizes.push_back(count);
    }
    return viewOf(b, loc, memref, offsets, sizes, isDropped);
  }

  /// Makes code for a tile that is wholly inside, for one of which a part is, and for one of which nothing is. There is
  /// none for what is known not to be: a view of it would not be valid.
  void branch(function_ref<void(OpBuilder &, bool isWhole)> body, function_ref<void(OpBuilder &)> outside) {
    auto edge = [&](OpBuilder &b) {
      if (!mayBePartial)
        return outside(b);
      when(b, any, [&](OpBuilder &part) { body(part, false); }, outside);
    };
    when(b, whole, [&](OpBuilder &inside) { body(inside, true); }, edge);
  }

  /// scf.if, unless the condition is known. Null stands for true.
  void when(OpBuilder &b, Value condition, function_ref<void(OpBuilder &)> then,
            function_ref<void(OpBuilder &)> otherwise) {
    std::optional<int64_t> known = condition ? getConstantIntValue(condition) : 1;
    if (known)
      return *known ? then(b) : otherwise(b);
    auto choice = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
    OpBuilder yes = choice.getThenBodyBuilder(), no = choice.getElseBodyBuilder();
    then(yes);
    otherwise(no);
  }

  /// A loop nest over the tile or the box; `body` gets the indices in the tile, and in the memref's view.
  void eachElement(OpBuilder &b, bool isWhole, function_ref<void(OpBuilder &, ValueRange, ValueRange)> body) {
    const Box *part = isWhole ? nullptr : &box;
    tiles.nest(b, loc, tile.getShape(), part, [&](OpBuilder &inner, ValueRange indices) {
      SmallVector<Value> inView(indices);
      if (part)
        for (auto [i, first] : llvm::enumerate(part->offsets))
          if (!isConstantIntValue(first, 0))
            inView[i] =
                arith::SubIOp::create(inner, loc, indices[i], getValueOrCreateConstantIndexOp(inner, loc, first));
      Value chosen = tiles.elementAt(inner, loc, op.getMask(), identityAxes(tile), indices);
      auto only = scf::IfOp::create(inner, loc, chosen, /*withElseRegion=*/false);
      OpBuilder then = only.getThenBodyBuilder();
      body(then, indices, inView);
    });
  }

  //===-- Rows that end before their tile does, and tiles that stay in memory ----===//

  /// Whether the tile's memory may have only what is there of its rows.
  bool mayEndEarly(vector::TransferReadOp read) {
    return !op.getMask() && last >= 0 && tiles.isFlexible(read) && getConstantIntValue(box.offsets.back()) == 0 &&
           TileLoops::bufferType(tile.getElementType(), tile.getShape()).getElementType() == tile.getElementType();
  }

  /// Whether each block reads the tile from another place, from which it comes into the cache slowly.
  bool dependsOnBlock(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return !argument.getOwner()->isEntryBlock();
    Operation *op = value.getDefiningOp();
    return isa<gpu::BlockIdOp>(op) ||
           llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnBlock(operand); });
  }

  /// Whether the tile may be a view of the memory: that no memory is written that overlaps it. Null if it may not.
  Value mayStay() {
    auto type = cast<MemRefType>(memref.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    // Copying a short row waits for the memory and nothing else; what is longer would not leave the first cache to
    // others.
    constexpr int64_t kShortBytes = 4096;
    bool isShort = tile.getNumElements() * byteSize(tile.getElementType()) <= kShortBytes;
    if (isShort && llvm::any_of(op.getIndices(), [&](Value index) { return dependsOnBlock(index); }))
      return nullptr;
    if (!readInPlace || !tiles.uses.written() || !isa<BlockArgument>(memref) ||
        !memref.getParentBlock()->isEntryBlock() || llvm::is_contained(*tiles.uses.written(), memref) ||
        last != tile.getRank() - 1 || failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
      return nullptr;
    Value all = rowsAreWhole ? rowsAreWhole : arith::ConstantIntOp::create(b, loc, 1, 1).getResult();
    for (Value written : *tiles.uses.written()) {
      MemoryExtent here = extentOf(b, loc, memref), there = extentOf(b, loc, written);
      all = b.createOrFold<arith::AndIOp>(loc, all, doNotOverlap(b, loc, here, there));
    }
    return all;
  }

  void readRows(vector::TransferReadOp read) {
    Value stays = mayStay();
    SmallVector<OpFoldResult> sizes;
    for (int64_t size : properSizes(tile.getShape()))
      sizes.push_back(b.getIndexAttr(size));
    sizes.back() = box.sizes.back();
    auto copied = [&](OpBuilder &b) {
      Value buffer = tiles.newBuffer(read.getType());
      Value rows = viewOf(b, loc, buffer, SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(0)), sizes,
                          SmallVector<bool>(sizes.size(), false));
      when(b, rowsAreWhole, [](OpBuilder &) {}, [&](OpBuilder &edge) { pad(edge, rows); });
      when(b, any, [&](OpBuilder &part) { copyIn(part, buffer, /*isWhole=*/false); }, [](OpBuilder &) {});
      return rows;
    };
    Value rows;
    if (stays) {
      Value view = memoryOfRows(b, sizes); // Only an address.
      auto shaped = cast<MemRefType>(view.getType());
      SmallVector<int64_t> strides(shaped.getRank(), ShapedType::kDynamic);
      strides.back() = 1;
      auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
      Type type = MemRefType::get(shaped.getShape(), shaped.getElementType(), layout);
      auto choice = scf::IfOp::create(b, loc, TypeRange(type), stays, /*withElseRegion=*/true);
      OpBuilder yes = choice.getThenBodyBuilder(), no = choice.getElseBodyBuilder();
      scf::YieldOp::create(yes, loc, memref::CastOp::create(yes, loc, type, view).getResult());
      Value copy = copied(no);
      scf::YieldOp::create(no, loc, memref::CastOp::create(no, loc, type, copy).getResult());
      rows = choice.getResult(0);
    } else {
      rows = copied(b);
    }
    tiles.setBuffer(read, rows);
    if (auto length = dyn_cast<Value>(box.sizes.back()))
      tiles.setShort(read, {length, op.getIndices()[leading + last], endOfRow, read.getPadding()});
  }

  /// The rows of the tile where they are, each as long as the memory's is.
  Value memoryOfRows(OpBuilder &b, ArrayRef<OpFoldResult> rows) {
    SmallVector<OpFoldResult> offsets(llvm::map_range(op.getIndices(), [](Value v) { return getAsOpFoldResult(v); }));
    SmallVector<OpFoldResult> sizes(leading, b.getIndexAttr(1));
    SmallVector<bool> isDropped(leading, true);
    size_t next = 0;
    for (int64_t size : tile.getShape()) {
      isDropped.push_back(size == 1);
      sizes.push_back(size == 1 ? b.getIndexAttr(1) : rows[next++]);
    }
    return viewOf(b, loc, memref, offsets, sizes, isDropped);
  }

  void lowerRead(vector::TransferReadOp read) {
    if (mayEndEarly(read) && (isa<Value>(box.sizes.back()) || readInPlace))
      return readRows(read);
    Value buffer = tiles.place(read);
    tiles.setBuffer(read, buffer);
    if (!op.getMask()) {
      auto copy = [&](OpBuilder &b, bool isWhole) {
        if (!isWhole)
          padAround(b, buffer);
        copyIn(b, buffer, isWhole);
      };
      return branch(copy, [&](OpBuilder &b) { pad(b, buffer); });
    }
    pad(b, buffer);
    auto copyChosen = [&](OpBuilder &b, bool isWhole) {
      Value view = memory(b, isWhole);
      eachElement(b, isWhole, [&](OpBuilder &inner, ValueRange indices, ValueRange inView) {
        Value element = memref::LoadOp::create(inner, loc, view, inView);
        tiles.storeElement(inner, loc, element, buffer, indices);
      });
    };
    branch(copyChosen, [](OpBuilder &) {});
  }

  void pad(OpBuilder &b, Value part) {
    Value padding = cast<vector::TransferReadOp>(op.getOperation()).getPadding();
    Type type = cast<MemRefType>(part.getType()).getElementType();
    linalg::FillOp::create(b, loc, toMemory(b, loc, padding, type), part);
  }

  /// Pads what is not in the box: for each dimension, in the box's part of those before, what lies before and after it.
  void padAround(OpBuilder &b, Value buffer) {
    ArrayRef<int64_t> sizes = cast<MemRefType>(buffer.getType()).getShape();
    Box part;
    for (int64_t size : sizes) {
      part.offsets.push_back(b.getIndexAttr(0));
      part.sizes.push_back(b.getIndexAttr(size));
    }
    auto value = [&](OpFoldResult v) { return getValueOrCreateConstantIndexOp(b, loc, v); };
    auto fill = [&](size_t dimension, Value from, Value to) {
      Box strip = part;
      strip.offsets[dimension] = getAsOpFoldResult(from);
      strip.sizes[dimension] = getAsOpFoldResult(b.createOrFold<arith::SubIOp>(loc, to, from));
      if (getConstantIntValue(strip.sizes[dimension]) != 0)
        pad(b, viewOf(b, loc, buffer, strip.offsets, strip.sizes, SmallVector<bool>(sizes.size(), false)));
    };
    for (auto [i, size] : llvm::enumerate(sizes)) {
      Value first = value(box.offsets[i]);
      fill(i, arith::ConstantIndexOp::create(b, loc, 0), first);
      fill(i, b.createOrFold<arith::AddIOp>(loc, first, value(box.sizes[i])),
           arith::ConstantIndexOp::create(b, loc, size));
      part.offsets[i] = box.offsets[i];
      part.sizes[i] = box.sizes[i];
    }
  }

  void copyIn(OpBuilder &b, Value buffer, bool isWhole) {
    Value from = memory(b, isWhole), to = buffer;
    auto rank = cast<MemRefType>(buffer.getType()).getRank();
    if (!isWhole && rank)
      to = viewOf(b, loc, buffer, box.offsets, box.sizes, SmallVector<bool>(rank, false));
    if (getElementTypeOrSelf(from.getType()) == getElementTypeOrSelf(to.getType())) {
      linalg::CopyOp::create(b, loc, from, to);
      return;
    }
    SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    linalg::GenericOp::create(b, loc, from, to, maps, iterators, [&](OpBuilder &body, Location, ValueRange arguments) {
      linalg::YieldOp::create(body, loc, toMemory(body, loc, arguments[0], arguments[1].getType()));
    });
  }

  void lowerWrite(Value value) {
    auto write = [&](OpBuilder &b, bool isWhole) {
      Value view = memory(b, isWhole);
      if (!op.getMask())
        return tiles.evaluate(b, loc, value, view, isWhole ? nullptr : &box);
      eachElement(b, isWhole, [&](OpBuilder &inner, ValueRange indices, ValueRange inView) {
        Value element = tiles.elementAt(inner, loc, value, identityAxes(tile), indices);
        memref::StoreOp::create(inner, loc, element, view, inView);
      });
    };
    branch(write, [](OpBuilder &) {});
  }

  VectorTransferOpInterface op;
  TileLoops &tiles;
  bool readInPlace;
  OpBuilder b;
  Location loc;
  Value memref;
  VectorType tile;
  int64_t leading;    ///< Dimensions of the memref before the tile's.
  Value whole;        ///< Whether all elements lie inside; null if they always do.
  Value any;          ///< Whether any does.
  int64_t last = -1;  ///< The tile's last dimension of more than one element.
  Value rowsAreWhole; ///< As `whole`, of the dimensions other than the last.
  Value endOfRow;     ///< The end of the memory along the last.
  bool mayBePartial = false;
  Box box; ///< The elements that do, in the dimensions of more than one element.
};

/// Runs `then` for each element whose index tiles name a place inside of the memref, and `otherwise` for the others.
/// `required`: those that are outside where the mask is true end the program.
void eachIndexed(OpBuilder &b, Location loc, TileLoops &tiles, VectorType tile, Value memref, ValueRange indexTiles,
                 Value mask, bool required, function_ref<void(OpBuilder &, ValueRange at, ValueRange place)> then,
                 function_ref<void(OpBuilder &, ValueRange at)> otherwise) {
  SmallVector<Value> ends;
  for (size_t i = 0; i < indexTiles.size(); ++i)
    ends.push_back(b.createOrFold<memref::DimOp>(loc, memref, i));
  Axes axes = identityAxes(tile);
  tiles.nest(b, loc, tile.getShape(), nullptr, [&](OpBuilder &body, ValueRange at) {
    Value inside = mask ? tiles.elementAt(body, loc, mask, axes, at) : Value();
    SmallVector<Value> place;
    if (required) {
      OpBuilder checks = inside ? scf::IfOp::create(body, loc, inside, /*withElseRegion=*/false).getThenBodyBuilder()
                                : OpBuilder(body);
      for (auto [dimension, index, end] : llvm::enumerate(indexTiles, ends))
        device::RequireIndexOp::create(checks, loc, tiles.elementAt(checks, loc, index, axes, at), end, dimension);
    }
    for (auto [index, end] : llvm::zip(indexTiles, ends)) {
      place.push_back(tiles.elementAt(body, loc, index, axes, at));
      Value one = arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ult, place.back(), end);
      inside = inside ? arith::AndIOp::create(body, loc, inside, one).getResult() : one;
    }
    auto choice = scf::IfOp::create(body, loc, inside, /*withElseRegion=*/bool(otherwise));
    OpBuilder yes = choice.getThenBodyBuilder();
    then(yes, at, place);
    if (otherwise) {
      OpBuilder no = choice.getElseBodyBuilder();
      otherwise(no, at);
    }
  });
}

void lowerGather(tile::GatherOp op, TileLoops &tiles) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value buffer = tiles.place(op);
  tiles.setBuffer(op, buffer);
  eachIndexed(
      b, loc, tiles, tileType(op), op.getBase(), op.getIndices(), op.getMask(), op.getRequired(),
      [&](OpBuilder &yes, ValueRange at, ValueRange place) {
        Value element = memref::LoadOp::create(yes, loc, op.getBase(), place);
        tiles.storeElement(yes, loc, element, buffer, at);
      },
      [&](OpBuilder &no, ValueRange at) { tiles.storeElement(no, loc, op.getOtherwise(), buffer, at); });
}

template <typename OpT>
void lowerScatter(OpT op, TileLoops &tiles, function_ref<void(OpBuilder &, Value element, ValueRange place)> write) {
  OpBuilder b(op);
  VectorType type = tileType(op.getValue());
  eachIndexed(
      b, op.getLoc(), tiles, type, op.getBase(), op.getIndices(), op.getMask(), /*required=*/false,
      [&](OpBuilder &yes, ValueRange at, ValueRange place) {
        write(yes, tiles.elementAt(yes, op.getLoc(), op.getValue(), identityAxes(type), at), place);
      },
      nullptr);
}
} // namespace

std::optional<LogicalResult> lowerTileAccess(Operation *op, TileLoops &tiles, bool readInPlace) {
  if (isa<vector::TransferReadOp, vector::TransferWriteOp>(op))
    return Transfer(cast<VectorTransferOpInterface>(op), tiles, readInPlace).run();
  if (auto gather = dyn_cast<tile::GatherOp>(op)) {
    lowerGather(gather, tiles);
    return success();
  }
  if (auto scatter = dyn_cast<tile::ScatterOp>(op)) {
    lowerScatter(scatter, tiles, [&](OpBuilder &b, Value element, ValueRange place) {
      memref::StoreOp::create(b, op->getLoc(), element, scatter.getBase(), place);
    });
    return success();
  }
  if (auto add = dyn_cast<tile::AtomicAddOp>(op)) {
    lowerScatter(add, tiles, [&](OpBuilder &b, Value element, ValueRange place) {
      bool isFloat = isa<FloatType>(element.getType());
      memref::AtomicRMWOp::create(b, op->getLoc(), element.getType(),
                                  isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi, element,
                                  add.getBase(), place);
    });
    return success();
  }
  return std::nullopt;
}
} // namespace lispier::tiles
