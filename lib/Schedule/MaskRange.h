//===- MaskRange.h - the positions that a block of attention sees -*- C++ -*-===//
//
// A mask that compares a position with a sum of numbers of elements and of what the
// call knows, such as a causal one or a window, leaves a range of positions to the
// tokens of a tile or block. Only these are walked; the mask is still computed.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_SCHEDULE_MASKRANGE_H
#define LISPIER_LIB_SCHEDULE_MASKRANGE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <memory>

namespace lispier::tensors {
/// The part of a dimension that a loop walks; null: from 0, or to the end.
struct LoopRange {
  mlir::Value begin, end;
};

/// Whether the two are the same number, computed twice.
bool isSameNumber(mlir::Value a, mlir::Value b);

/// An op of a group, of which a tile or block is computed.
class MaskSite {
public:
  explicit MaskSite(mlir::linalg::LinalgOp op) : op(op) {}
  virtual ~MaskSite() = default;

  virtual unsigned loopCount() const = 0;
  /// The loop of an iterator of the op; none if it has one iteration.
  virtual std::optional<unsigned> loopOf(unsigned iterator) const = 0;
  /// The first or the last index of the loop in the block.
  virtual mlir::Value indexAt(unsigned loop, bool isLast) const = 0;
  /// The number that a value of the region is in the whole block; null if it is none.
  virtual mlir::Value number(mlir::Value value) = 0;

  struct Origin;
  /// The elementwise op that makes the tensor of which `value`, of the region, is an element.
  virtual std::optional<Origin> originOf(mlir::Value value) = 0;

  mlir::linalg::LinalgOp op;
};
struct MaskSite::Origin {
  std::unique_ptr<MaskSite> site;
  mlir::Value value;                                      ///< In the region of the site.
  llvm::SmallVector<std::pair<unsigned, unsigned>> loops; ///< Those with the same index: the reader's, the site's.
};

/// What a masked element is.
enum class Masked { NegativeInfinity, Zero };

/// The indices of a loop for which an element can be another than what masked elements are.
struct SeenRange : LoopRange {
  /// Those of which a mask may leave out some elements of the tile: all; none; those from `bound` on; those before it.
  enum class Partial { All, None, From, Before } partial = Partial::None;
  mlir::Value bound;
  llvm::SmallVector<mlir::Value> conditions; ///< Of selects, which hold for all elements of the tile elsewhere.
};

/// The indices of the loop for which `value`, an element of the site, can be another than what masked elements are, as
/// far as masks decide: what is computed with others, such as a difference from -inf, is finite. They may be beyond the
/// loop's bounds.
SeenRange seenRange(mlir::OpBuilder &builder, mlir::Location loc, MaskSite &site, mlir::Value value, unsigned loop,
                    Masked masked = Masked::NegativeInfinity);
} // namespace lispier::tensors
#endif
