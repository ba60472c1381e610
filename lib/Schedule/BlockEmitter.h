//===- BlockEmitter.h - a group's values, a block at a time ----*- C++ -*-===//
//
// Makes a block of a tensor of a group's body in memory, by linalg ops on memrefs: of an
// argument it is a part of the operand, of what elementwise ops make it is a buffer of
// the thread, of a size that is known when compiling.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_SCHEDULE_BLOCKEMITTER_H
#define LISPIER_LIB_SCHEDULE_BLOCKEMITTER_H

#include "MaskRange.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

namespace lispier::tensors {
/// The part of a dimension that a block has: one index, or `size` indices from `start` on.
struct BlockAxis {
  mlir::Value start;       ///< Null: 0.
  mlir::OpFoldResult size; ///< Null: one index, for which the block has no dimension.
  int64_t most = 1;        ///< Of `size`, for buffers; kDynamic if it is not known.

  bool isPoint() const { return !size; }
};

/// Memory of a block, whose dimension i is dimension `order[i]` of those that the block has.
struct BlockMemory {
  mlir::Value memory;
  llvm::SmallVector<unsigned, 2> order;
};

class BlockEmitter {
public:
  using Axes = llvm::ArrayRef<BlockAxis>;
  /// An operand of a linalg op, and the op's dimension for each dimension of the operand.
  struct Operand {
    mlir::Value memory;
    llvm::SmallVector<unsigned, 2> dims;
  };
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::ValueRange inputs, mlir::Value output)>;

  /// Emits in `loop`, and before it what is the same for all blocks.
  BlockEmitter(group::KernelOp kernel, mlir::OpBuilder &builder, mlir::scf::ParallelOp loop)
      : kernel(kernel), b(builder), loc(kernel.getLoc()), loop(loop) {}

  /// The block of a tensor of the body. Nullopt if an op has no rule: whyNot() says which.
  std::optional<BlockMemory> block(mlir::Value tensor, Axes axes);
  /// Makes `block` the one of the tensor.
  void provide(mlir::Value tensor, Axes axes, BlockMemory block);

  /// out[..] = the value `yielded` of the op's region; `axes` are those of the op's loops, of which `outLoops` are the
  /// dimensions of `out`.
  bool compute(mlir::linalg::LinalgOp op, mlir::Value yielded, Axes axes, mlir::Value out,
               llvm::ArrayRef<unsigned> outLoops);

  /// The indices of `loop` at which `value`, of the region of `op`, may be another than -inf; null: from 0, or to the
  /// end.
  LoopRange seen(mlir::linalg::LinalgOp op, mlir::Value value, Axes axes, unsigned loop);

  /// A linalg.generic on memory. `kinds`: p for a parallel, r for a reduced dimension.
  void generic(llvm::StringRef kinds, llvm::ArrayRef<Operand> inputs, Operand output, Body body);
  void copy(const BlockMemory &from, llvm::ArrayRef<unsigned> dims, mlir::Value to);
  void fill(mlir::Value memory, double number);

  /// Memory of the thread for a block. `padded`: between rows there are elements that are not used, against strides
  /// that are powers of two.
  mlir::Value buffer(mlir::Type element, Axes axes, bool padded = false);

  /// Blocks that do not depend on the inner loop are made before it.
  void enter(mlir::scf::ForOp loop) { inner = loop; }
  void leave() { inner = nullptr; }

  /// The number of elements; null if it is not known.
  mlir::OpFoldResult size(mlir::Value tensor, unsigned dimension);
  mlir::Value index(mlir::OpFoldResult value);
  const std::string &whyNot() const { return reason; }

private:
  struct BlockSite;

  std::nullopt_t fail(mlir::Operation *op, const llvm::Twine &why);
  std::optional<BlockMemory> part(mlir::Value memory, Axes axes);
  std::optional<BlockMemory> make(mlir::linalg::LinalgOp op, unsigned result, Axes axes);
  std::optional<BlockMemory> bytesOf(const BlockMemory &bits, Axes axes);
  mlir::Value reusable(mlir::linalg::LinalgOp op, llvm::ArrayRef<unsigned> outLoops, mlir::Type element, Axes axes);
  bool cloneRegion(mlir::linalg::LinalgOp op, mlir::Operation &inside, Axes axes, llvm::ArrayRef<int> dimOf,
                   mlir::OpBuilder &body, mlir::IRMapping &mapping);
  /// The operand of the kernel of which the tensor is an argument, or a reshaped one; null for others.
  mlir::Value whole(mlir::Value tensor);
  /// A number of the body, outside of the loop; null if there is no rule.
  mlir::Value outside(mlir::Value number);

  group::KernelOp kernel;
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::scf::ParallelOp loop;
  mlir::scf::ForOp inner;
  llvm::DenseMap<mlir::Value, mlir::Value> numbers, memories;
  std::map<std::pair<void *, std::vector<std::pair<void *, bool>>>, BlockMemory> known;
  std::string reason;
};
} // namespace lispier::tensors
#endif
