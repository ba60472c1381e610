//===- NamedSizes.h - sizes of a kernel's tensors, by name ------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_NAMEDSIZES_H
#define LISPIER_LIB_TENSOR_GROUPS_NAMEDSIZES_H

#include "lispier/Buffers/SymbolicSize.h"
#include "lispier/Group/Group.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace lispier {
/// How many microseconds a device takes at least for a byte, for an operation of a product, and for another operation.
struct LeastTimes {
  double byte = 0, product = 0, other = 0;
};

/// What a kernel does: bytes of memory, and additions, of which other operations are several.
struct KernelCost {
  SymbolicSize reads, writes, work;
  SymbolicSize products;       ///< Multiplications and additions of contractions, two for each of their iterations.
  SymbolicSize others;         ///< The part of `work` that is in other ops.
  bool narrowProducts = false; ///< Of factors of 16 bits or less.

  /// The cost as the attribute kCostAttr, and the reverse.
  mlir::ArrayAttr attribute(mlir::MLIRContext *context) const;
  static KernelCost of(mlir::ArrayAttr attribute);

  /// Adds what another kernel does.
  KernelCost &operator+=(const KernelCost &other);

  /// On a device of a speed that is known.
  LeastTimes leastTimes(const DeviceSpeed &speed) const;
};

/// Sizes of a kernel's operands and of the tensors in its body, with names for what only the run knows: "arg0[1]" is
/// size 1 of the function's argument 0, "n0" any other unknown size.
class NamedSizes {
public:
  explicit NamedSizes(group::KernelOp kernel) : NamedSizes(kernel.getContext(), kernel) {}
  /// Of memory outside of kernels.
  explicit NamedSizes(mlir::MLIRContext *context, group::KernelOp kernel = {}) : context(context), kernel(kernel) {}

  SymbolicSize of(mlir::Value shaped, int64_t dimension);
  SymbolicSize elements(mlir::Value shaped);
  SymbolicSize bytes(mlir::Value shaped);
  /// What an index value is.
  SymbolicSize ofIndex(mlir::Value index);
  /// How many elements the loops of the op go through.
  SymbolicSize iterations(mlir::linalg::LinalgOp op);
  SymbolicSize ofLoop(mlir::linalg::LinalgOp op, unsigned loop);

  KernelCost cost();

  /// The value that "n0" or the like names, and its dimension, or -1 if it is an index itself; null for other names.
  std::pair<mlir::Value, int64_t> unknownOf(llvm::StringRef name) const;

  static std::string nameOf(const void *symbol);
  static std::string text(const SymbolicSize &size) { return size.text(nameOf); }
  /// What `text` has printed.
  static SymbolicSize read(mlir::MLIRContext *context, llvm::StringRef text);

private:
  SymbolicSize named(const llvm::Twine &name) const;
  /// A size that nothing names; the same for the same value and dimension.
  SymbolicSize unknown(mlir::Value value, int64_t dimension = -1);
  SymbolicSize bytesRead(mlir::OpOperand &operand);
  void addWork(mlir::linalg::LinalgOp op, KernelCost &cost);
  SymbolicSize ofResult(mlir::OpResult shaped, int64_t dimension);

  mlir::MLIRContext *context;
  group::KernelOp kernel; ///< May be null.
  llvm::MapVector<std::pair<mlir::Value, int64_t>, unsigned> unknowns;
};
} // namespace lispier
#endif
