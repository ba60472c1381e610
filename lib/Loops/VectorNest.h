//===- VectorNest.h - a structured op as a nest of vector loops -*- C++ -*-===//
//
// What lispier-vectorize-linalg decides about one linalg op on memrefs: along
// which dimension vectors extend, and how many indices of each dimension one tile
// computes at once. The tile's results, or its sums, are in registers.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_LOOPS_VECTORNEST_H
#define LISPIER_LIB_LOOPS_VECTORNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace lispier {
/// Fewer rows than these are computed one by one, by wider vectors.
inline constexpr int64_t kFewRows = 2;

/// One operand of the op: a scalar, or a memref accessed at map(indices).
struct NestAccess {
  mlir::Value value;
  mlir::AffineMap map;
  bool isPrefetched = false; ///< And not read.

  /// A memref whose elements the op reads or writes.
  bool isMemory() const { return !isPrefetched && mlir::isa<mlir::MemRefType>(value.getType()); }
  bool dependsOn(unsigned dimension) const { return isMemory() && map.isFunctionOfDim(dimension); }
  /// Whether consecutive indices of the dimension are consecutive elements in memory.
  bool isContiguousAlong(unsigned dimension) const;
};

/// How an output's value becomes its next one along the reduced dimensions: combine(output, value).
struct NestReduction {
  mlir::Operation *combine = nullptr; ///< Null if partial results cannot be combined.
  mlir::vector::CombiningKind kind;
  mlir::TypedAttr neutral;
};

/// Whether the op is in a parallel loop, a launch or a kernel: other threads run beside the one that executes it.
bool isInsideThread(mlir::Operation *op);

/// Whether the body is yield(out + extend(a) * extend(b)) with at most one extension for each factor.
bool multipliesAndAdds(mlir::linalg::LinalgOp op);

/// Returns an estimate of the instructions of the body for each vector.
int64_t bodyCost(mlir::linalg::GenericOp op);

/// The processor's vectors.
struct VectorMachine {
  unsigned vectorBytes; ///< 64 with AVX-512, which has 32 registers; else 32, of which there are 16.
  bool pairs = false;   ///< Whether it has AVX512-BF16.
  bool hasManyRegisters() const { return vectorBytes >= 64; }
};

struct VectorNest {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<NestAccess> inputs, outputs;
  llvm::SmallVector<NestReduction> reductions; ///< Of each output, if the op has reduced dimensions; else empty.
  llvm::SmallVector<int64_t> staticSizes;      ///< Of each dimension.
  llvm::SmallVector<mlir::utils::IteratorType> kinds;
  unsigned vectorDim = 0;
  int64_t lanes = 0;
  /// Products of BF16 numbers are added up by vdpbf16ps: a lane of a sum is of two lanes of the factors.
  bool inPairs = false;
  /// Of each dimension: indices that a tile has; of `vectorDim`, vectors. 1: the dimension is an ordinary loop.
  llvm::SmallVector<int64_t> tile;
  /// A tiled dimension of unknown size: if it has at most kFewRows indices, it is an ordinary loop, and tiles have
  /// `wideTile` vectors.
  std::optional<unsigned> rowDim;
  int64_t wideTile = 1;
  /// The dimension along which inputs are contiguous that are not so along `vectorDim`: they are transposed in
  /// registers, in blocks of lanes x lanes.
  std::optional<unsigned> transposedDim;

  unsigned rank() const { return staticSizes.size(); }
  bool isParallel(unsigned dimension) const { return kinds[dimension] == mlir::utils::IteratorType::parallel; }
  /// Whether a tile has several indices of another dimension than the vectors'.
  bool hasRows() const {
    for (unsigned d = 0; d < rank(); ++d)
      if (d != vectorDim && tile[d] > 1)
        return true;
    return false;
  }
  bool isReducing() const { return !reductions.empty(); }
  /// The reduced dimensions, outermost first.
  llvm::SmallVector<unsigned> reducedDims() const {
    llvm::SmallVector<unsigned> dims;
    for (unsigned d = 0; d < rank(); ++d)
      if (!isParallel(d))
        dims.push_back(d);
    return dims;
  }
  bool reducesVectors() const { return !isParallel(vectorDim); }
  bool isTransposed(const NestAccess &input) const {
    return transposedDim && input.dependsOn(vectorDim) && !input.isContiguousAlong(vectorDim);
  }
};

/// Decides how to vectorise the op; nothing if no dimension suits, or if the body has ops that vectors do not have.
std::optional<VectorNest> planNest(mlir::linalg::GenericOp op, VectorMachine machine);

/// Emits the loops before the op, and leaves it to the caller to erase it. `parallel`: the outermost loops run on
/// threads.
void emitNest(mlir::OpBuilder &builder, VectorNest &nest, bool parallel);

/// Computes the op's body on scalars and vectors: what one of vectors depends on becomes a vector.
class NestBody {
public:
  NestBody(mlir::OpBuilder &builder, VectorNest &nest) : builder(builder), nest(nest) {}

  /// Returns the yielded values. `arguments`: a value of each block argument; `at`: the index in each dimension, of
  /// `vectorDim` that of the first lane; `mask`: the lanes that are used, null for all.
  llvm::SmallVector<mlir::Value> evaluate(mlir::ValueRange arguments, mlir::ArrayRef<mlir::Value> at, mlir::Value mask);
  /// combine(left, right) of an output, on scalars or vectors.
  mlir::Value combine(unsigned output, mlir::Value left, mlir::Value right);
  mlir::Value toVector(mlir::Value value);
  mlir::VectorType vectorType(mlir::Type element) const {
    return mlir::VectorType::get(nest.inPairs && element.isF32() ? nest.lanes / 2 : nest.lanes, element);
  }

private:
  mlir::Value clone(mlir::Operation &op, mlir::IRMapping &mapping, mlir::Value mask = mlir::Value());

  mlir::OpBuilder &builder;
  VectorNest &nest;
};

/// As emitNest, of a nest with a `transposedDim`.
void emitTransposition(mlir::OpBuilder &builder, VectorNest &nest, bool parallel);

/// Swaps rows and columns of as many vectors as each has lanes, a power of two, in log2(lanes) steps: step s exchanges
/// the off-diagonal blocks of s x s.
void transposeRows(mlir::OpBuilder &builder, mlir::Location loc, mlir::MutableArrayRef<mlir::Value> rows);

/// The sizes of the op's dimensions, in index values.
llvm::SmallVector<mlir::Value> loopSizes(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op);

/// The value of a linear expression of the dimensions at `at`.
mlir::Value linearIndex(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr expression,
                        mlir::ArrayRef<mlir::Value> at);
} // namespace lispier
#endif
