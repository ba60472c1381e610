//===- SumParts.h - how a GPU makes a long sum in parts --------*- C++ -*-===//
#ifndef LISPIER_TENSOR_GROUPS_SUMPARTS_H
#define LISPIER_TENSOR_GROUPS_SUMPARTS_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <optional>

namespace lispier {
/// Sums of columns: so many programs fill a large GPU.
inline constexpr int64_t kProgramsOfColumns = 512;
/// Columns that a program has at least, a sector of memory, and at most, a line, each in several rows at once.
constexpr int64_t sectorColumns(int64_t bytesOfElement) { return bytesOfElement < 32 ? 32 / bytesOfElement : 1; }
constexpr int64_t lineColumns(int64_t bytesOfElement) { return bytesOfElement < 128 ? 128 / bytesOfElement : 1; }

/// The sizes of a product of matrices, and the number of such products.
struct ProductSizes {
  int64_t m, n, k, batch;
  bool isExact = false; ///< Of factors of 4 bytes or more whose digits all count: by multiplications of each thread.
};
/// How a GPU makes a long sum in parts.
struct SumParts {
  int64_t each = 0;  ///< Elements of a part; 0 where it is as fast, or faster, in one.
  int64_t least = 0; ///< A shorter sum is faster in one.
};
/// Of a product that sums `length` times the elements that `sizes` has; kDynamic if only the call knows.
SumParts partsOfProduct(const ProductSizes &sizes, int64_t length, int64_t multiprocessors);

/// The sizes of a reduction along one dimension.
struct RowSizes {
  int64_t kept = 1;         ///< Results.
  int64_t columns = 1;      ///< Of them, those that are beside each other in memory.
  int64_t bytes = 0;        ///< What is read for one element of the dimension.
  int64_t element = 4;      ///< Bytes of an element that is read, of the shortest.
  bool isInnermost = false; ///< Whether it is contiguous in memory.
};
/// Of a reduction of `length` elements; kDynamic if only the call knows.
SumParts partsOfRows(const RowSizes &sizes, int64_t length);

/// Rows of a kernel that also sums their columns.
struct SummedRows {
  int64_t columns;
  int64_t sums;  ///< Of each column.
  int64_t bytes; ///< What is read for a column of a row.
};
/// How a program has such rows.
struct SummedRowTiles {
  int64_t lanes;    ///< Threads of a row.
  int64_t columns;  ///< Of a tile, which may be more than a row has.
  int64_t rows;     ///< Of a tile.
  int64_t programs; ///< About so many fill a large GPU in one round.
  bool readsAhead;  ///< Whether registers also hold the next rows.
};
/// Nothing if registers do not hold a row and the sums.
std::optional<SummedRowTiles> tilesOfSummedRows(const SummedRows &sizes);

/// The rows of a program that sums them beside what it makes of each.
struct RowParts {
  unsigned dimension; ///< A program has one place of each row dimension before it, and all of those behind it.
  int64_t each;       ///< Elements of that dimension, which divide it.
};
/// Of rows of the sizes `rows`, outermost first, which are not few; nothing if there are no such parts.
std::optional<RowParts> partsOfSummedRows(llvm::ArrayRef<int64_t> rows, const SummedRows &sizes);
} // namespace lispier
#endif
