//===- NamedSizes.h - sizes of a kernel's tensors, by name ------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_GROUPS_NAMEDSIZES_H
#define LISPIER_LIB_TENSOR_GROUPS_NAMEDSIZES_H

#include "lispier/Buffers/SymbolicSize.h"
#include "lispier/Group/Group.h"
#include "lispier/Group/SizeNames.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <map>

namespace lispier {
/// What a unit of a device does of a kernel: counts, each with the microseconds that the unit takes at least for one.
struct UnitWork {
  llvm::StringRef of; ///< "bytes"
  llvm::SmallVector<std::pair<SymbolicSize, double>, 2> parts = {};
};

/// What a kernel does: bytes of memory, and operations.
struct KernelCost {
  SymbolicSize reads, writes;
  SymbolicSize work;         ///< In additions, of which other operations are several: what the compiler weighs.
  SymbolicSize operations;   ///< Additions and multiplications of floats outside of products: what no kernel can avoid.
  SymbolicSize exponentials; ///< Results of functions for which GPUs have an instruction of a unit of its own.
  /// Multiplications and additions of contractions, two for each of their iterations, by how long one takes at least:
  /// in halves of the time of one of 16-bit factors.
  std::map<int64_t, SymbolicSize> products;

  /// The cost as the attribute kCostAttr, and the reverse.
  mlir::ArrayAttr attribute(mlir::MLIRContext *context) const;
  static KernelCost of(mlir::ArrayAttr attribute);
  /// What can be evaluated for no sizes.
  static KernelCost unknown(mlir::MLIRContext *context);

  /// Adds what another kernel does.
  KernelCost &operator+=(const KernelCost &other);

  /// On a device of a speed that is known: bytes first, then what its other units do. These work side by side, so that
  /// the kernel takes at least the longest of their times.
  llvm::SmallVector<UnitWork> unitWork(const DeviceSpeed &speed) const;
};

/// Sizes of a kernel's operands and of the tensors in its body, with names for what only the run knows (SizeNames).
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

  /// The value whose size has the name, and its dimension, or -1 if it is an index itself; null for other names.
  std::pair<mlir::Value, int64_t> sizeOf(llvm::StringRef name) const { return names.sizeOf(name); }

  static std::string nameOf(const void *symbol);
  static std::string text(const SymbolicSize &size) { return size.text(nameOf); }
  /// What `text` has printed.
  static SymbolicSize read(mlir::MLIRContext *context, llvm::StringRef text);

private:
  SymbolicSize named(const llvm::Twine &name) const;
  /// A size that only the run knows; the same for the same value and dimension.
  SymbolicSize unknown(mlir::Value value, int64_t dimension = -1) { return named(names.of(value, dimension)); }
  SymbolicSize bytesRead(mlir::OpOperand &operand);
  void addWork(mlir::linalg::LinalgOp op, KernelCost &cost);
  SymbolicSize ofResult(mlir::OpResult shaped, int64_t dimension);

  mlir::MLIRContext *context;
  group::KernelOp kernel; ///< May be null.
  SizeNames names;
};
} // namespace lispier
#endif
