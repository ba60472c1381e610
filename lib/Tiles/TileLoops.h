//===- TileLoops.h - buffers of tiles, and loops over their elements -*- C++ -*-===//
//
// A stored tile is a contiguous memref of its dimensions of more than one
// element; one that is only read element by element (isFlexible) may be a
// strided view of its source, and shorter. i1 is stored as i8: vectors of i1
// in memory are bits.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TILES_TILELOOPS_H
#define LISPIER_TILES_TILELOOPS_H

#include "TileUses.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace lispier::tiles {
/// The part of a tile that a loop nest is over: for each loop, the first element and how many.
struct Box {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;
};

/// A stored tile that ends before its last dimension of more than one element does: memory has the first elements only.
struct ShortTile {
  mlir::Value length;     ///< How many there are: end - start, but at least 0 and at most the dimension's size.
  mlir::Value start, end; ///< Indices of the memory that the tile was read from.
  mlir::Value beyond;     ///< The value of all others.
};

/// What is known of the indices of loop `axis` of a nest: that they are less than the lengths of the tiles `within`, or
/// no less than that of `beyond`.
struct LoopPart {
  int axis = kOnly; ///< kOnly: of no loop.
  llvm::SmallVector<ShortTile, 2> within;
  std::optional<ShortTile> beyond;
};

/// A linalg.generic to be made. The elements of `sources` and the old element of `out` are combined to the new one.
struct Loops {
  llvm::SmallVector<std::pair<mlir::Value, Axes>, 2> sources;
  mlir::Value out;
  mlir::AffineMap outMap;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  mlir::Type element; ///< Of the result. The memory may have another, for i1.
  llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange elements, mlir::Value old)> combine;
  const Box *box = nullptr;                        ///< Null for whole tiles. `out` is the box already.
  std::optional<mlir::vector::CombiningKind> kind; ///< How a reduction combines elements.
};

class TileLoops {
public:
  explicit TileLoops(mlir::FunctionOpInterface function)
      : uses(function), function(function), entry(&function.getFunctionBody().front()) {}

  //===-- Memory ----------------------------------------------------------===//
  static mlir::MemRefType bufferType(mlir::Type elementType, llvm::ArrayRef<int64_t> shape);
  /// For a tile, or for a number that a loop computes in memory.
  mlir::Value newBuffer(mlir::Type tileOrScalar);
  /// The buffer that the tile is in; null for one that is not stored, or not yet.
  mlir::Value bufferOf(mlir::Value tile) const { return buffers.lookup(tile); }
  void setBuffer(mlir::Value tile, mlir::Value buffer);
  void forgetBuffer(mlir::Value tile) { buffers.erase(tile); }
  /// Where the tile's elements are to be written: its destination, if one was chosen, or a new buffer.
  mlir::Value place(mlir::Value tile);
  void setDestination(mlir::Value tile, mlir::Value buffer) { destinations[tile] = buffer; }
  mlir::Value destinationOf(mlir::Value tile) const { return destinations.lookup(tile); }
  /// The tiles that are, or were, in the buffer.
  llvm::ArrayRef<mlir::Value> occupantsOf(mlir::Value buffer) { return occupants[buffer]; }
  /// Records that the tile is short, since it was read at the end of memory or computed from such a tile.
  void setShort(mlir::Value tile, const ShortTile &end) { shorts.try_emplace(tile, end); }
  /// Whether the tile may be a view of memory, or short: all its uses read it element by element, and no
  /// destination was chosen for it.
  bool isFlexible(mlir::Value tile) const { return !destinationOf(tile) && !TileUses::needsBuffer(tile); }
  /// Gives large buffers heap memory; called once, at the end.
  void placeBuffers();

  //===-- Elements --------------------------------------------------------===//
  /// The value of all elements, if the tile is one that is not computed from others.
  mlir::Value uniformValue(mlir::OpBuilder &b, mlir::Value tile);
  /// In a loop nest: element `axes` of the tile, at the loops' indices.
  mlir::Value elementAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile, const Axes &axes,
                        mlir::ValueRange indices);
  void storeElement(mlir::OpBuilder &b, mlir::Location loc, mlir::Value element, mlir::Value buffer,
                    mlir::ValueRange indices);
  /// Loops over the tile's elements, from 0, or over a part of them; `body` gets an index for each dimension of more
  /// than one element.
  void nest(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<int64_t> sizes, const Box *box,
            llvm::function_ref<void(mlir::OpBuilder &, mlir::ValueRange)> body);
  /// One linalg.generic; where tiles are short, one for what they have, and what is needed for the rest.
  void emit(mlir::OpBuilder &b, mlir::Location loc, const Loops &loops);
  /// Calls `see` for each tile in memory that an element of `tile` is computed from, with the element's axes there.
  void forEachStored(mlir::Value tile, const Axes &axes, llvm::function_ref<void(mlir::Value, const Axes &)> see) const;
  /// buffer = tile. With a box, `buffer` is memory of the box's sizes.
  void evaluate(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile, mlir::Value buffer, const Box *box = nullptr);
  /// buffer = tile, of a tile that is stored there from now on. It is short if the tiles that it is computed from are.
  void store(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile, mlir::Value buffer);
  /// buffers = tiles, as if at the same time: in an order in which each reads what it needs, if there is one.
  void assign(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange tiles, mlir::ValueRange targets);

  const TileUses uses;

private:
  friend class ElementBuilder;
  /// A tile to be computed in a buffer.
  struct Move {
    mlir::Value tile, target;
  };
  /// Whether the tile must be computed before the buffer is written.
  bool readsBefore(const Move &reader, mlir::Value written) const;
  struct Inputs;
  Inputs inputsOf(mlir::OpBuilder &b, mlir::Location loc, const Loops &loops, const LoopPart &part);
  /// One linalg.generic, over indices of which something is known.
  void emitPart(mlir::OpBuilder &b, mlir::Location loc, const Loops &loops, const LoopPart &part);
  /// Over the indices of a loop that are beyond the ends of short tiles.
  void emitBeyond(mlir::OpBuilder &b, mlir::Location loc, const Loops &loops, const Box &box, const LoopPart &part);
  /// out = tile.
  static Loops copyLoops(mlir::OpBuilder &b, mlir::Value tile, mlir::Value out);
  /// Element by element.
  void emitElements(mlir::OpBuilder &b, mlir::Location loc, const Loops &loops, const Box &box);
  /// Combines each result with `value` that many times; returns whether it can.
  bool combineTimes(mlir::OpBuilder &b, mlir::Location loc, const Loops &loops, mlir::Value value, mlir::Value times);
  /// The first elements of all loops, and how many.
  Box wholeBox(mlir::OpBuilder &b, const Loops &loops) const;
  /// The part of `out` that belongs to the box.
  mlir::Value partOfOut(mlir::OpBuilder &b, mlir::Location loc, const Loops &loops, const Box &box) const;

  /// The short tiles that the nest reads, and the loop that ends with them: none if there are several such loops.
  LoopPart shortSources(mlir::ArrayRef<std::pair<mlir::Value, Axes>> sources, bool &haveOneLoop) const;
  bool isShortAlong(mlir::Value tile, const Axes &axes, const LoopPart &part) const;
  /// The value of all elements beyond the part's end, before the loops; null if they differ.
  mlir::Value valueBeyond(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile, const Axes &axes,
                          const LoopPart &part);
  mlir::Value scalarConstant(mlir::OpBuilder &b, mlir::Location loc, mlir::TypedAttr value);

  mlir::FunctionOpInterface function;
  mlir::Block *entry;
  llvm::DenseMap<mlir::Value, mlir::Value> buffers, destinations;
  llvm::DenseMap<mlir::Value, ShortTile> shorts;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> occupants;
  llvm::SmallVector<mlir::memref::AllocaOp> allocations;
};

/// true if a condition holds for all indices of the part, false if for none; nullopt if that is not known, or it holds
/// for some.
std::optional<bool> conditionIn(const LoopPart &part, mlir::Value condition, const Axes &axes);

/// The buffer that `buffer` reshapes (memref.reinterpret_cast), or `buffer` itself. A view of a part, as viewOf makes,
/// is taken for a buffer of its own.
mlir::Value memoryOf(mlir::Value buffer);

/// The element as its type in the memory, and back.
mlir::Value toMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value element, mlir::Type memoryType);
mlir::Value fromMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value element, mlir::Type type);

/// `count` elements of each dimension from `offset` on; dimensions where `isDropped` have one element, and are not
/// dimensions of the result.
mlir::Value viewOf(mlir::OpBuilder &b, mlir::Location loc, mlir::Value memref,
                   llvm::ArrayRef<mlir::OpFoldResult> offsets, llvm::ArrayRef<mlir::OpFoldResult> sizes,
                   llvm::ArrayRef<bool> isDropped);
} // namespace lispier::tiles
#endif
