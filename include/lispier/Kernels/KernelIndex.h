//===- KernelIndex.h - selection of kernel implementations ------*- C++ -*-===//
//
// A kernel implementation is a `deftemplate`. The index holds its head: the op, the
// targets and the operand types. `reasonAgainst` returns the first reason why an
// implementation does not fit; it decides which one is selected, whose bodies are
// expanded, and what --why-kernel prints.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_KERNELS_KERNELINDEX_H
#define LISPIER_KERNELS_KERNELINDEX_H

#include "lispier/NN/GroupKinds.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>
#include <string>
#include <vector>

namespace lispier::kernels {
/// The sizes that an implementation supports in one dimension of an operand, if that dimension is static.
struct KnownSizes {
  unsigned operand, dimension;
  llvm::SmallVector<int64_t> sizes;
};

/// The head of a `deftemplate`.
struct Implementation {
  explicit Implementation(mlir::Location place) : place(place) {}

  std::string op;                                 ///< "nn.linear"
  std::vector<std::string> targets;               ///< From `:for`: "cpu", "gpu+wgmma"; empty: every target.
  llvm::SmallVector<mlir::Type> operands;         ///< Parameter types for the op's operands, in order.
  llvm::SmallVector<mlir::StringAttr> attributes; ///< The op's attributes that are passed after the operands.
  llvm::DenseSet<mlir::StringAttr> values;        ///< Of `attributes`, those that are passed at run time.
  llvm::SmallVector<KnownSizes> sizes;
  llvm::SmallVector<nn::GroupKind> groups; ///< For which it competes with generated kernels.
  mlir::Location place;                    ///< Location of the `deftemplate` form.
  /// Whether its body contains the op itself, for which a later implementation is then selected. The head does not say
  /// it: false until Session's KernelLibrary has expanded the body.
  bool leavesOp = false;
};

/// Reads the head from a function with template attributes (NN/TemplateAttributes.h). `op` is empty if the attribute is
/// not a string.
Implementation headOf(mlir::func::FuncOp function);
/// Declares a private function with template attributes and without a body: --why-kernel mentions it, but it is never
/// selected.
mlir::func::FuncOp declare(const Implementation &implementation, mlir::OpBuilder &builder, llvm::StringRef name);

/// The target that implementations are selected for.
struct Machine {
  llvm::StringRef target; ///< "cpu" or "gpu".
  llvm::ArrayRef<std::string> abilities;
  int64_t multiprocessors = 0; ///< 0 for a CPU.
};

/// The operand types of an op for which an implementation is needed.
struct Request {
  std::string op;
  /// Null for an absent optional operand.
  llvm::SmallVector<mlir::Type> operands;
  /// Whether the types are final. Before bufferization tensors have no layout, and dynamic sizes may still become
  /// static; only mismatches that cannot disappear then count as reasons.
  bool final = true;
  /// For a group of tensor ops that the op computes: its kind. An implementation then has to compete for that.
  std::optional<nn::GroupKind> group = std::nullopt;
};

/// Returns the request of `op`; nullopt if one operand group has several values, which no implementation supports.
std::optional<Request> requestOf(mlir::Operation *op, bool final);
/// Returns the distinct requests, with types that are not final, of all nn ops in a module and of the ops that they may
/// be split into.
std::vector<Request> requestsIn(mlir::ModuleOp module);

/// Returns the first reason why the machine cannot run the implementation, such as "it needs wgmma"; nullopt if it can.
std::optional<std::string> reasonAgainst(const Implementation &implementation, const Machine &machine);

/// Returns the first reason why the implementation does not fit the request on the machine, such as "it needs wgmma" or
/// "operand 1 is memref<8x8xf32>, it takes memref<?x?xbf16>"; nullopt if it fits.
std::optional<std::string> reasonAgainst(const Implementation &implementation, const Request &request,
                                         const Machine &machine);

/// Returns the implementation that a group gets instead of a generated kernel: the first that fits the request's
/// operands, which is the one that its op would be computed by, if it competes for the request's kind of group. Null:
/// the group has a generated kernel.
const Implementation *choose(llvm::ArrayRef<Implementation> library, const Request &request, const Machine &machine);

/// Returns, as flags in the library's order, the implementations that at least one request may use: those that fit,
/// except those shadowed by an earlier one that has the same operand types and is not known to leave the op. To be
/// called again when bodies have been expanded (`leavesOp`).
llvm::BitVector usable(llvm::ArrayRef<Implementation> library, llvm::ArrayRef<Request> requests,
                       const Machine &machine);

/// Returns the location in the user's source: the outermost macro call if a macro generated the op or function.
mlir::Location outermost(mlir::Location place);
} // namespace lispier::kernels
#endif
