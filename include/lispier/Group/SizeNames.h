//===- SizeNames.h - what the source calls sizes ----------------*- C++ -*-===//
//
// The front end writes the names of sizes into locations, which passes keep where they move or copy an op: a
// fused location of one place, with the name as metadata, or of an argument that is a tensor an array of names.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GROUP_SIZENAMES_H
#define LISPIER_GROUP_SIZENAMES_H

#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"

namespace lispier {
/// Whether the name is one of those of sizes without a name: "n0".
bool isSizeNumber(llvm::StringRef name);
/// The location of a value that is a size, with its name.
mlir::Location withSizeName(mlir::Location location, llvm::StringRef name);
/// The location of an argument, a tensor or memory, with a name for each of its sizes.
mlir::Location withSizeNames(mlir::Location location, llvm::ArrayRef<std::string> names);

/// Gives the op that makes an index or integer a name, unless it is a constant or has the name of a variable.
void nameSize(mlir::Value size, llvm::StringRef name);
/// What the source calls the size of a value, or with dimension -1 an index value; empty if it has no name there.
llvm::StringRef sizeName(mlir::Value value, int64_t dimension = -1);

/// Whether both are known to be one size: equal constants, one value, sizes of the function's arguments that have one
/// name, which its checks have compared, or what is computed alike of such. Null is none.
bool isSameSize(mlir::OpFoldResult a, mlir::OpFoldResult b);
/// Whether the size has been read off this dimension of the tensor or memory, or off one of that name.
bool isSizeOf(mlir::OpFoldResult size, mlir::Value shaped, int64_t dimension);

/// Names for sizes that only the run knows, each for one value: that of the source, such as "t", with a number behind
/// it if another value has the same ("t.2"); "arg0[1]" for size 1 of a function's argument 0 that has no name; "n0",
/// "n1", ... for others.
class SizeNames {
public:
  /// The name of a size of a value, or with dimension -1 of an index value. Sizes of one name among a function's
  /// arguments are equal.
  std::string of(mlir::Value value, int64_t dimension = -1);
  /// The value and the dimension of a name that `of` has returned, the value perhaps an integer that was converted to
  /// the index; null for other names.
  std::pair<mlir::Value, int64_t> sizeOf(llvm::StringRef name) const { return sizes.lookup(name); }
  /// The argument of the function `op` is in of which a size has this name; null if there is none.
  static std::pair<mlir::Value, int64_t> argumentOf(mlir::Operation *op, llvm::StringRef name);

private:
  using Size = std::pair<mlir::Value, int64_t>;
  llvm::DenseMap<Size, std::string> names;
  llvm::StringMap<Size> sizes;
};
} // namespace lispier
#endif
