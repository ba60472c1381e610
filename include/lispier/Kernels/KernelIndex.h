//===- KernelIndex.h - which implementation an op gets ---------*- C++ -*-===//
//
// A kernel implementation is a `deftemplate`: of it the index knows the head,
// which op it computes, on which targets, from operands of which types. One
// question decides what is taken, what is generated at all, and what
// --why-kernel prints: what is the first reason against an implementation?
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_KERNELS_KERNELINDEX_H
#define LISPIER_KERNELS_KERNELINDEX_H

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
/// The sizes that an implementation has code for, where an operand's size is known when it is chosen.
struct KnownSizes {
  unsigned operand, dimension;
  llvm::SmallVector<int64_t> sizes;
};

/// The head of a `deftemplate`.
struct Implementation {
  explicit Implementation(mlir::Location place) : place(place) {}

  std::string op;                                 ///< "nn.linear"
  std::vector<std::string> targets;               ///< Of `:for`: "cpu", "gpu+wgmma"; none: every target.
  llvm::SmallVector<mlir::Type> operands;         ///< What the op's operands are passed as, in order.
  llvm::SmallVector<mlir::StringAttr> attributes; ///< Those of the op's that are passed after them.
  llvm::DenseSet<mlir::StringAttr> values;        ///< Of the attributes, those that are passed when the program runs.
  llvm::SmallVector<KnownSizes> sizes;
  mlir::Location place; ///< In a file of implementations.
  /// Whether its code may leave the op to the implementations after it.
  bool leavesOp = false;
};

/// The head of a function that is marked as a template (NN/Templates.h); its op is empty when the mark is no name.
Implementation headOf(mlir::func::FuncOp function);
/// A private function without a body that is marked so: a head to ask about, which nothing can call.
mlir::func::FuncOp declare(const Implementation &implementation, mlir::OpBuilder &builder, llvm::StringRef name);

/// What implementations are for and may count on.
struct Machine {
  llvm::StringRef target; ///< "cpu" or "gpu".
  llvm::ArrayRef<std::string> abilities;
};

/// What an op passes to whatever computes it.
struct Request {
  std::string op;
  /// Null: the optional operand is absent.
  llvm::SmallVector<mlir::Type> operands;
  /// Whether the types are the last word. Before, tensors have no layout, and a size that is not known may still become
  /// so: what is not yet against an implementation does not count.
  bool final = true;
};

/// What `op` asks for. Nothing: it gives several values for one operand, which no implementation takes.
std::optional<Request> requestOf(mlir::Operation *op, bool final);
/// What the nn ops in a module, and those that they may be split into, ask for before they have their last types; what
/// is asked for twice comes once.
std::vector<Request> requestsIn(mlir::ModuleOp module);

/// The first reason why the implementation is not for the machine, such as "it needs wgmma". Nothing: it is.
std::optional<std::string> reasonAgainst(const Implementation &implementation, const Machine &machine);

/// The first reason why the implementation does not serve the request on the machine, such as "it needs wgmma" or
/// "operand 1 is memref<8x8xf32>, it takes memref<?x?xbf16>". Nothing: it does.
std::optional<std::string> reasonAgainst(const Implementation &implementation, const Request &request,
                                         const Machine &machine);

/// The implementations of a library that some request may come to use, as flags in their order: those against which
/// there is no reason, but for what stands behind one that takes the same operands.
llvm::BitVector usable(llvm::ArrayRef<Implementation> library, llvm::ArrayRef<Request> requests,
                       const Machine &machine);

/// Where the text stands that had an op or function made: the outermost macro's call.
mlir::Location outermost(mlir::Location place);
} // namespace lispier::kernels
#endif
