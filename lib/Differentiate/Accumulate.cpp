//===- Accumulate.cpp - sums that begin with what is there -----------------===//
//
// Of d + a b, where the product begins with zeros, it begins with d: linalg ops read
// their `outs`. So a sum over micro-batches costs no kernel and no memory of its own.
// A loop that puts a slice of each iteration in its place of zeros begins with d, and
// what makes the slice with that of d.
//
//===----------------------------------------------------------------------===//
#include "Accumulate.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace lispier {
namespace {
bool isZeros(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

/// Whether the op adds to what its result begins with.
bool isSum(Operation *op) {
  if (isa<linalg::ContractOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumReductionLoops() == 0 || generic->getNumResults() != 1)
    return false;
  auto combiner = generic.getBody()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  Value out = generic.getBody()->getArguments().back();
  return combiner && out.hasOneUse() && *out.user_begin() == combiner;
}

class Accumulator {
public:
  explicit Accumulator(Reverse &reverse) : reverse(reverse) {}

  /// Makes what the builder's place is told to begin with.
  using Start = llvm::function_ref<Value(OpBuilder &)>;

  /// Has the value begin with `start` in place of zeros; false if it does not begin with zeros, or others need it: it
  /// has `uses` that count as none.
  bool begin(Value value, unsigned uses, Start start) {
    Operation *op = value.getDefiningOp();
    if (!op || !value.hasNUses(uses))
      return false;
    if (isa<tensor::CastOp>(op))
      return begin(op->getOperand(0), 1, start);
    if (isSum(op))
      return replaceZeros(op, cast<DestinationStyleOpInterface>(op).getDpsInitsMutable()[0], start);
    if (auto rows = dyn_cast<nn::AddAtOp>(op))
      return replaceZeros(op, rows.getOutMutable(), start) || begin(rows.getOut(), 1, start);
    if (isa<tensor::InsertSliceOp>(op))
      return beginSlices(value, start);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return beginLoop(loop, cast<OpResult>(value).getResultNumber(), start);
    return false;
  }

private:
  bool replaceZeros(Operation *op, OpOperand &zeros, Start start) {
    if (!isZeros(zeros.get()))
      return false;
    OpBuilder b(op);
    zeros.set(asType(b, op->getLoc(), start(b), zeros.get().getType()));
    return true;
  }

  static Value asType(OpBuilder &b, Location loc, Value value, Type type) {
    return value.getType() == type ? value : tensor::CastOp::create(b, loc, type, value).getResult();
  }

  /// A chain of slices in places of zeros, which are apart or are read before they are added to, or of slices that are
  /// all that there is.
  bool beginSlices(Value value, Start start) {
    tensor::InsertSliceOp first;
    for (Value at = value; auto insert = at.getDefiningOp<tensor::InsertSliceOp>(); at = insert.getDest())
      first = insert;
    if (!isZeros(first.getDest()) && !first.getDest().getDefiningOp<tensor::EmptyOp>())
      return false;
    OpBuilder b(first);
    Value whole = asType(b, first.getLoc(), start(b), first.getDest().getType());
    first.getDestMutable().set(whole);
    addToSlices(value, whole, start);
    return true;
  }

  /// Has each slice on the way from `whole` to the value begin with that of `whole`, where it has not been added.
  void addToSlices(Value value, Value whole, Start start) {
    while (value != whole) {
      if (auto cast = value.getDefiningOp<tensor::CastOp>()) {
        value = cast.getSource();
        continue;
      }
      auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
      if (!insert)
        return; // A sum, `whole` being one of what is added.
      value = insert.getDest();
      Operation *made = insert.getSource().getDefiningOp();
      bool isAdded = made && llvm::any_of(made->getOperands(), [&](Value operand) {
                       auto old = operand.getDefiningOp<tensor::ExtractSliceOp>();
                       return old && old.getSource() == value;
                     });
      if (!isAdded)
        addToSlice(insert, start);
    }
  }

  void addToSlice(tensor::InsertSliceOp insert, Start start) {
    auto slice = [&](OpBuilder &b) -> Value {
      return tensor::ExtractSliceOp::create(b, insert.getLoc(), insert.getSourceType(), start(b),
                                            insert.getMixedOffsets(), insert.getMixedSizes(), insert.getMixedStrides());
    };
    if (begin(insert.getSource(), 1, slice))
      return;
    OpBuilder::InsertionGuard guard(reverse.b);
    reverse.b.setInsertionPoint(insert);
    insert.getSourceMutable().set(reverse.sum(insert.getLoc(), {slice(reverse.b), insert.getSource()}));
  }

  /// A loop that carries the sum, or puts its slices in their places.
  bool beginLoop(scf::ForOp loop, unsigned number, Start start) {
    OpOperand &init = loop.getInitArgsMutable()[number];
    if (!replaceZeros(loop, init, start))
      return begin(init.get(), 1, start);
    BlockArgument carried = loop.getRegionIterArg(number);
    addToSlices(loop.getYieldedValues()[number], carried, [&](OpBuilder &) -> Value { return carried; });
    return true;
  }

  Reverse &reverse;
};
} // namespace

Value accumulate(Reverse &reverse, Location loc, Value before, Value gradient) {
  auto start = [&](OpBuilder &) { return before; };
  if (isa<RankedTensorType>(gradient.getType()) && Accumulator(reverse).begin(gradient, 0, start))
    return gradient;
  return reverse.sum(loc, {before, gradient});
}
} // namespace lispier
