//===- ScalarForm.h - what an element of a tensor is ------------*- C++ -*-===//
//
// How an element of a tensor follows from elements of other tensors: read off the linalg
// ops that make it, and composed through them with their indexing maps. Formulas are
// compared by their forms, never by values at sample points: what two forms compute is
// equal for every number, at every place.
//
// A form is normal over rounded numbers. Operands of commutative ops are in one order, a
// widening of a float is no op, a narrowing is one (unless the compiler may leave it out:
// fast-math flag contract), and exact identities are applied: x * 1, x / 1, -(-x),
// a - -b, division by a power of two, x^2 as x * x, constants in the op's own type, selects
// by known conditions. Nothing is cancelled, distributed or associated otherwise, since that would
// round other numbers: (y + 12582912) - 12582912 rounds y to an integer.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_FORMULAS_SCALARFORM_H
#define LISPIER_LIB_TENSOR_FORMULAS_SCALARFORM_H

#include "lispier/Group/Group.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/FoldingSet.h"
#include <functional>
#include <map>

namespace lispier {
/// A node of a formula. Nodes of one ScalarForms are unique: equal formulas are one node.
struct ScalarForm : llvm::FoldingSetNode {
  using Ref = const ScalarForm *;
  enum class Kind {
    Constant, ///< `attribute` is the number.
    Place,    ///< The index of the element in dimension `number`.
    Reduced,  ///< The index in reduced loop `number` of the linalg op `owner`.
    Element,  ///< Of the tensor `value`, at the indices `operands`.
    Number,   ///< `value`, which is outside of regions.
    Apply,    ///< The op `name`, with `attribute`: a predicate, or other attributes that count.
    Reduce,   ///< By the op `name`: the operands are what is reduced, the first value, and the Reduced indices.
    Unknown   ///< Of no rule; equal to nothing else.
  };

  Kind kind;
  mlir::Type type;
  llvm::StringRef name;
  mlir::Attribute attribute;
  mlir::Value value;
  mlir::Operation *owner = nullptr;
  unsigned number = 0;
  llvm::ArrayRef<Ref> operands;
  unsigned id = 0; ///< In the order in which nodes are made.

  bool is(llvm::StringRef op) const { return kind == Kind::Apply && name == op; }
  template <typename Op> bool is() const { return is(Op::getOperationName()); }
  /// The floating-point or integer constant; nothing for other nodes.
  std::optional<double> constant() const;
  std::optional<int64_t> integer() const;

  void Profile(llvm::FoldingSetNodeID &id) const;
};

/// Which dimension of the source each dimension of the result is, for a reshape that adds or drops only dimensions of
/// one element: -1 for one that the source does not have. Nothing for other ops.
std::optional<llvm::SmallVector<int>> placesOfUnitReshape(mlir::Operation *op);

/// Whether a rounding may be left out within a kernel (TensorElementwise.cpp makes it).
bool mayBeLeftOut(mlir::arith::TruncFOp op);

class ScalarForms {
public:
  using Ref = ScalarForm::Ref;

  /// With `asWritten` no identities are applied: the ops of the form are the program's, with their casts.
  explicit ScalarForms(mlir::MLIRContext *context, bool asWritten = false) : context(context), asWritten(asWritten) {}
  ScalarForms(const ScalarForms &) = delete;
  mlir::MLIRContext *getContext() const { return context; }

  /// Hook of the caller: whether elements of a tensor, or a number, are not followed to the op that makes it.
  std::function<bool(mlir::Value value)> isLeaf;

  // What the IR computes.
  Ref element(mlir::Value tensor, llvm::ArrayRef<Ref> place);
  /// The element of a tensor at its place.
  Ref element(mlir::Value tensor);
  /// A value in the region of `op`, in the iteration with these indices.
  Ref inRegion(mlir::linalg::LinalgOp op, llvm::ArrayRef<Ref> loops, mlir::Value value);
  /// What the region of attention makes of a score; place(loop) is the index of a loop.
  Ref changedScore(group::AttentionOp op, Ref score);
  /// A number outside of regions.
  Ref number(mlir::Value value);
  /// A number of which nothing is known; equal to nothing else.
  Ref variable(mlir::Type type) { return unknown(type); }

  // Nodes.
  Ref place(unsigned dimension);
  llvm::SmallVector<Ref> places(unsigned rank);
  Ref constant(mlir::TypedAttr value);
  Ref index(int64_t value);
  /// The number, rounded to the type.
  Ref constant(mlir::Type type, double value);
  Ref apply(llvm::StringRef op, mlir::Type type, llvm::ArrayRef<Ref> operands, mlir::Attribute attribute = {});
  template <typename Op> Ref apply(mlir::Type type, llvm::ArrayRef<Ref> operands, mlir::Attribute attribute = {}) {
    return apply(Op::getOperationName(), type, operands, attribute);
  }

  /// The form with other nodes in place of some, in normal form.
  Ref replace(Ref form, const llvm::DenseMap<Ref, Ref> &others);
  Ref replace(Ref form, Ref from, Ref to) { return replace(form, llvm::DenseMap<Ref, Ref>{{from, to}}); }
  /// All nodes of the form, each once, operands first.
  static llvm::SmallVector<Ref> nodesOf(Ref form);
  static bool contains(Ref form, llvm::function_ref<bool(Ref)> matches) { return llvm::any_of(nodesOf(form), matches); }

private:
  using Numbers = llvm::DenseMap<mlir::Value, Ref>;
  /// An iteration of an op: its indices, and what its region computes of them.
  struct Iteration {
    mlir::linalg::LinalgOp op; ///< Null: `known` has all arguments of the block.
    mlir::Block *block;
    llvm::SmallVector<Ref> loops;
    Numbers known;
  };

  Ref made(mlir::linalg::LinalgOp op, unsigned result, llvm::ArrayRef<Ref> place);
  Ref reduced(mlir::linalg::LinalgOp op, unsigned result, Iteration &iteration, llvm::ArrayRef<Ref> indices);
  Ref valueIn(Iteration &iteration, mlir::Value value);
  Ref argumentIn(Iteration &iteration, mlir::BlockArgument argument);
  Ref applied(mlir::Operation *op, llvm::ArrayRef<Ref> operands);
  Ref indexBy(mlir::AffineExpr expression, llvm::ArrayRef<Ref> dims);
  Ref unknown(mlir::Type type);
  Ref unique(const ScalarForm &node);

  /// The node that an exact identity makes of the op; null if none does.
  Ref simplified(llvm::StringRef op, mlir::Type type, llvm::ArrayRef<Ref> operands, mlir::Attribute attribute);
  Ref folded(llvm::StringRef op, mlir::Type type, llvm::ArrayRef<Ref> operands, mlir::Attribute attribute);
  Ref negated(Ref form) { return apply<mlir::arith::NegFOp>(form->type, {form}); }

  mlir::MLIRContext *context;
  bool asWritten;
  llvm::BumpPtrAllocator memory;
  llvm::FoldingSet<ScalarForm> nodes;
  unsigned count = 0;
  std::map<std::pair<void *, std::vector<Ref>>, Ref> elements;
};
} // namespace lispier
#endif
