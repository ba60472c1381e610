//===- PlacementRules.cpp - placements of what is computed ----------------===//
//
// An op on numbers says how its result depends on a partial sum; an op of linalg has
// such a body, and loops: what is split along a loop is split there in all operands
// that have the loop, and so is the result, or it is a partial sum over the ranks.
//
//===----------------------------------------------------------------------===//
#include "PlacementAnalysis.h"
#include "lispier/Group/Group.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace lispier {
namespace {
/// How a result depends on each operand by itself.
enum class Dependence {
  Sum,      ///< Linear in all together.
  Product,  ///< Linear in each, the others being the same.
  Quotient, ///< Linear in the first.
  Choice,   ///< Linear in all but the first.
  Any       ///< Linear in none.
};

Dependence dependenceOf(Operation *op) {
  if (isa<arith::AddFOp, arith::SubFOp, arith::AddIOp, arith::SubIOp, arith::NegFOp, arith::ExtFOp, arith::TruncFOp,
          arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp, linalg::YieldOp, tensor::FromElementsOp>(op))
    return Dependence::Sum;
  if (isa<arith::MulFOp, arith::MulIOp>(op))
    return Dependence::Product;
  return isa<arith::DivFOp>(op)     ? Dependence::Quotient
         : isa<arith::SelectOp>(op) ? Dependence::Choice
                                    : Dependence::Any;
}

bool isZeroOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().isZero();
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getValue().isZero();
}

Placement::Kind kindOfConstant(arith::ConstantOp op) {
  Attribute value = op.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(value); dense && dense.isSplat())
    value = dense.getSplatValue<Attribute>();
  return isZeroOf(value) ? Placement::Zero : isa<FloatAttr, IntegerAttr>(value) ? Placement::Uniform : Placement::Same;
}
} // namespace

/// Of operands that are combined element by element: at most one dimension is split, in all of them that are no
/// numbers. Nothing after an error, which was reported.
std::optional<Placement> PlacementAnalysis::placedAlike(Operation *op, ArrayRef<Placement> operands) {
  const Placement *split = nullptr;
  bool joins = false;
  for (const Placement &operand : operands)
    if (operand.isSplit()) {
      split = &operand;
      joins |= operand.joins;
    }
  for (auto [value, operand] : llvm::zip(op->getOperands(), operands)) {
    bool fits = !split || operand.isSplitAs(*split) || operand.kind <= Placement::Uniform ||
                operand.kind == Placement::Own || !isa<RankedTensorType>(value.getType());
    if (fits)
      continue;
    auto diag = fail(op, "this combines a part over " + axis + " with what is " + operand.text());
    if (diag) {
      diag->attachNote(split->origin) << "the parts are made here";
      diag->attachNote(operand.origin) << "the other operand is made here";
    }
    return std::nullopt;
  }
  return split ? split->joining(joins) : made(op, Placement::Same);
}

/// The placement of an op's results, as far as they depend on operands with these. Nothing after an error.
std::optional<Placement> PlacementAnalysis::combined(Operation *op, ArrayRef<Placement> operands) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return made(op, kindOfConstant(constant));
  const Placement *partial = nullptr, *other = nullptr;
  bool isOwn = false, isZero = true, isUniform = true, isSplit = false;
  for (const Placement &operand : operands) {
    if (operand.isPartial())
      partial = &operand;
    else if (operand.kind != Placement::Zero)
      other = &operand;
    isOwn |= operand.kind == Placement::Own;
    isZero &= operand.kind == Placement::Zero;
    isUniform &= operand.kind <= Placement::Uniform;
    isSplit |= operand.isSplit();
  }
  if (isSplit && !isa<RankedTensorType>(op->getResult(0).getType()))
    return made(op, Placement::Own);
  if (isSplit && !partial && !isOwn)
    return placedAlike(op, operands);
  if (!partial) {
    Dependence dependence = dependenceOf(op);
    bool isProductOfZero = dependence == Dependence::Product && llvm::any_of(operands, [](const Placement &operand) {
                             return operand.kind == Placement::Zero;
                           });
    bool staysZero = isProductOfZero || (dependence == Dependence::Sum && isZero && !operands.empty());
    return made(op, isOwn                                 ? Placement::Own
                    : staysZero                           ? Placement::Zero
                    : isUniform && isMemoryEffectFree(op) ? Placement::Uniform
                                                          : Placement::Same);
  }
  auto refuse = [&] {
    refusePartial(op, *partial);
    return std::nullopt;
  };
  if (isOwn)
    return made(op, Placement::Own);
  unsigned partials = llvm::count_if(operands, [](const Placement &operand) { return operand.isPartial(); });
  switch (dependenceOf(op)) {
  case Dependence::Choice:
    if (operands.front().isPartial())
      return refuse();
    operands = operands.drop_front();
    other = nullptr;
    for (const Placement &operand : operands)
      if (!operand.isPartial() && operand.kind != Placement::Zero)
        other = &operand;
    [[fallthrough]];
  case Dependence::Sum: {
    if (!other)
      return *partial;
    refuseAdding(op, *partial, *other);
    return std::nullopt;
  }
  case Dependence::Product:
    return partials == 1 && !isSplit ? std::optional(*partial) : refuse();
  case Dependence::Quotient:
    return partials == 1 && !isSplit && operands.front().isPartial() ? std::optional(*partial) : refuse();
  case Dependence::Any:
    return refuse();
  }
  return refuse();
}

namespace {
/// How the iterations of a reduction become one.
bool isAdded(linalg::LinalgOp op) {
  if (isa<linalg::ContractOp, linalg::MatmulOp, linalg::BatchMatmulOp>(op.getOperation()))
    return true;
  return llvm::all_of(op.getBlock()->getTerminator()->getOperands(), [](Value value) {
    return value.getDefiningOp<arith::AddFOp>() || value.getDefiningOp<arith::AddIOp>();
  });
}

/// Whether the operand is what a sum along the loop begins with.
bool beginsSum(linalg::LinalgOp op, OpOperand &operand, unsigned loop) {
  return op.isDpsInit(&operand) && !op.getMatchingIndexingMap(&operand).isFunctionOfDim(loop) && isAdded(op);
}
} // namespace

/// What the body of an op makes of its operands, splits along a loop aside: its first result's placement. Nothing after
/// an error.
std::optional<Placement> PlacementAnalysis::ofBody(linalg::LinalgOp op, std::optional<unsigned> loop) {
  llvm::DenseMap<Value, Placement> inside;
  auto plain = [&](Value value) {
    Placement placement = of(value);
    return placement.isSplit() ? Placement(Placement::Same, placement.origin) : placement;
  };
  auto find = [&](Value value) {
    auto found = inside.find(value);
    return found != inside.end() ? found->second : plain(value);
  };
  for (OpOperand &operand : op->getOpOperands())
    if (BlockArgument argument = op.getMatchingBlockArgument(&operand))
      inside.insert(
          {argument, loop && beginsSum(op, operand, *loop) ? made(op, Placement::Zero) : plain(operand.get())});
  for (Operation &each : *op.getBlock()) {
    SmallVector<Placement> operands = llvm::map_to_vector(each.getOperands(), find);
    std::optional<Placement> result;
    if (isa<linalg::IndexOp>(each)) {
      result = made(op, Placement::Same);
    } else if (isa<linalg::YieldOp>(each)) {
      Placement all = made(op, Placement::Zero);
      for (const Placement &operand : operands)
        all = joined(all, operand);
      return all;
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(each)) { // Of a table, at an index.
      Placement table = of(extract.getTensor());
      bool isOwn = table.isSplit() && !extract.getIndices()[table.dimension].getDefiningOp<linalg::IndexOp>();
      for (const Placement &operand : ArrayRef(operands).drop_front())
        isOwn |= !operand.isSame();
      result = isOwn ? made(op, Placement::Own) : operands.front();
    } else if (each.getNumRegions() > 0) {
      bool isSame = llvm::all_of(operands, [](const Placement &operand) { return operand.isSame(); });
      result = made(op, isSame ? Placement::Same : Placement::Own);
    } else {
      result = combined(&each, operands);
    }
    if (!result)
      return std::nullopt;
    for (Value value : each.getResults())
      inside.insert_or_assign(value, *result);
  }
  return made(op, Placement::Same);
}

namespace {
/// The loop that a dimension of the operand has the index of; nothing if it is at a sum of several, or at a constant.
std::optional<unsigned> loopOf(linalg::LinalgOp op, OpOperand &operand, int64_t dimension) {
  auto loop = dyn_cast<AffineDimExpr>(op.getMatchingIndexingMap(&operand).getResult(dimension));
  return loop ? std::optional(loop.getPosition()) : std::nullopt;
}
} // namespace

/// The dimensions of a result along which all elements are equal: no operand differs along their loops.
uint64_t PlacementAnalysis::equalAlong(linalg::LinalgOp op, OpOperand &init) const {
  bool reads = op.getBlock() && !op.getBlock()->getOps<tensor::ExtractOp>().empty();
  uint64_t equal = 0;
  AffineMap target = op.getMatchingIndexingMap(&init);
  for (unsigned d = 0; !reads && d < target.getNumResults(); ++d) {
    auto loop = dyn_cast<AffineDimExpr>(target.getResult(d));
    bool isEqual = loop && llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
                     if (!isa<RankedTensorType>(operand.get().getType()) || !op.payloadUsesValueFromOperand(&operand))
                       return true;
                     AffineMap map = op.getMatchingIndexingMap(&operand);
                     if (!map.isFunctionOfDim(loop.getPosition()))
                       return true;
                     std::optional<unsigned> position = map.getResultPosition(loop);
                     return position && of(operand.get()).isEqualAlong(*position);
                   });
    equal |= uint64_t(isEqual) << d;
  }
  return equal;
}

void PlacementAnalysis::visitLinalg(linalg::LinalgOp op) {
  if (op->getNumResults() == 0) { // On memory.
    bool isSame = llvm::all_of(op.getDpsInputs(), [&](Value value) { return of(value).isSame(); });
    for (Value target : op.getDpsInits())
      set(target, made(op, isSame ? Placement::Same : Placement::Own));
    return;
  }
  auto isRead = [&](OpOperand &operand) {
    return isa<RankedTensorType>(operand.get().getType()) && op.payloadUsesValueFromOperand(&operand);
  };
  OpOperand *first = nullptr; // The first operand that is split, along this loop.
  unsigned loop = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    Placement in = of(operand.get());
    if (!isRead(operand) || !in.isSplit())
      continue;
    std::optional<unsigned> along = loopOf(op, operand, in.dimension);
    if (!along) {
      auto diag = fail(op, "this reads neighbours along dimension " + Twine(in.dimension) +
                               ", of which each rank over " + axis + " has a part");
      if (diag)
        diag->attachNote(in.origin) << "the parts are made here";
      return;
    }
    if (first && *along != loop) {
      auto diag = fail(op, "this combines parts of different dimensions over " + axis);
      if (diag) {
        diag->attachNote(of(first->get()).origin) << "the parts of one operand are made here";
        diag->attachNote(in.origin) << "those of the other here";
      }
      return;
    }
    if (!first) {
      first = &operand;
      loop = *along;
    }
  }
  // A table that is read at the index of a loop has that loop.
  Value table;
  if (op.getBlock())
    for (auto extract : op.getBlock()->getOps<tensor::ExtractOp>()) {
      Placement in = of(extract.getTensor());
      auto index =
          in.isSplit() ? extract.getIndices()[in.dimension].getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
      if (!index || first || table)
        continue;
      table = extract.getTensor();
      loop = index.getDim();
    }
  bool isSplit = first || table;
  Placement part = first ? of(first->get()) : table ? of(table) : made(op, Placement::Same);
  bool isOwn = false;
  for (OpOperand &operand : op->getOpOperands()) {
    Placement in = of(operand.get());
    part = part.joining(part.joins || (isRead(operand) && in.joins));
    if (isSplit && isRead(operand) && beginsSum(op, operand, loop) && in.kind != Placement::Own) {
      if (!in.isPartial() && in.kind != Placement::Zero)
        return refuseAdding(op, part, in);
      continue;
    }
    if (!isSplit || !isRead(operand) || in.isSplit() || in.kind <= Placement::Uniform)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    std::optional<unsigned> position = map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    bool fits = position ? in.isEqualAlong(*position) : !map.isFunctionOfDim(loop);
    if (in.isPartial() || (!fits && in.kind == Placement::Same)) {
      auto counts = operand.get().getDefiningOp<linalg::GenericOp>();
      bool isCount = counts && counts.getNumDpsInputs() == 0 && !in.isPartial();
      auto diag =
          fail(op, in.isPartial() ? "this combines a partial sum and a part over " + axis
                   : isCount ? "these numbers count the elements of a part over " + axis + ", not those of the whole"
                             : "this combines a part over " + axis + " with a tensor that all ranks have");
      if (diag) {
        diag->attachNote(part.origin) << "the parts are made here";
        diag->attachNote(in.origin) << "the other operand is made here";
        diag->attachNote(UnknownLoc::get(op->getContext()))
            << (isCount ? "(+ x (* (rank " + axis.str() + ") n)), with n the size of a part, counts on"
                        : "(own-part x :over " + axis.str() + " :axis n) takes this rank's part of it");
      }
      return;
    }
    isOwn |= in.kind == Placement::Own;
  }
  std::optional<Placement> body = ofBody(op, isSplit ? std::optional(loop) : std::nullopt);
  if (!body)
    return;
  if (isOwn || body->kind == Placement::Own)
    return setAll(op, made(op, Placement::Own));
  if (isSplit && body->isPartial()) {
    refusePartial(op, *body);
    return;
  }
  bool counts = op->walk([](linalg::IndexOp) { return WalkResult::interrupt(); }).wasInterrupted();
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    OpOperand &init = *op.getDpsInitOperand(number);
    if (!isSplit) {
      bool isFilled = body->kind <= Placement::Uniform && !counts;
      set(result, body->isPartial()
                      ? *body
                      : made(op, isFilled ? body->kind : Placement::Same).withEqual(counts ? 0 : equalAlong(op, init)));
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(&init);
    std::optional<unsigned> position = map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    if (position) // Where it was split first, for messages.
      set(result, Placement(Placement::Split, part.origin, *position).joining(part.joins));
    else
      set(result, made(op, isAdded(op) ? Placement::Partial : Placement::Own));
  }
}

/// A split loop that is no sum: rows of the result by themselves.
void PlacementAnalysis::visitAttention(group::AttentionOp op) {
  std::optional<unsigned> loop;
  const Placement *split = nullptr;
  SmallVector<Placement> operands;
  unsigned count = 3 + op.getOthers().size();
  for (Value operand : op->getOperands().take_front(count))
    operands.push_back(of(operand));
  bool isOwn = false, fits = true, joins = false;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    isOwn |= operand.kind == Placement::Own;
    if (operand.isPartial())
      return refusePartial(op, operand);
    if (!operand.isSplit())
      continue;
    joins |= operand.joins;
    unsigned along = op.loopsOf(i)[operand.dimension];
    fits &= !loop || *loop == along;
    loop = along;
    split = &operand;
  }
  if (isOwn || !loop)
    return setAll(op, made(op, isOwn ? Placement::Own : Placement::Same));
  for (auto [i, operand] : llvm::enumerate(operands))
    fits &= operand.isSplit() || operand.kind <= Placement::Uniform ||
            !isa<RankedTensorType>(op->getOperand(i).getType()) || !llvm::is_contained(op.loopsOf(i), *loop);
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    SmallVector<unsigned> loops = op.loopsOf(count + number);
    auto *position = llvm::find(loops, *loop);
    if (fits && position != loops.end()) {
      set(result, Placement(Placement::Split, split->origin, position - loops.begin()).joining(joins));
      continue;
    }
    auto diag = fail(op, "this is attention to a part of the positions or of a head over " + axis);
    if (diag)
      diag->attachNote(split->origin) << "the parts are made here";
    return;
  }
}

/// Rows of a part that are added to a table are a partial sum of the table.
void PlacementAnalysis::visitAddAt(nn::AddAtOp op) {
  Placement out = of(op.getOut()), rows = of(op.getRows()), indices = of(op.getIndices());
  bool isSplit = rows.isSplit() && indices.isSplit() && rows.dimension == indices.dimension;
  bool isSame = indices.isSame() && rows.isSame() && out.isSame();
  bool isPartial = indices.isSame() && rows.isPartial() && (out.isPartial() || out.kind == Placement::Zero);
  if (isPartial || (isSplit && (out.kind == Placement::Zero || out.isPartial())))
    return setAll(op, made(op, Placement::Partial));
  if (isSplit && out.isSame()) {
    auto diag = fail(op, "this adds the rows of a part over " + axis + " to a table that all ranks have");
    if (diag)
      diag->attachNote(rows.origin) << "the parts are made here";
    return;
  }
  setAll(op, made(op, isSame ? Placement::Same : Placement::Own));
}
} // namespace lispier
