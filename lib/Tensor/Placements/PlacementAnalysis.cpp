//===- PlacementAnalysis.cpp - placements along one axis ------------------===//
//
// Along each axis of the mesh by itself. Placements only go up, from zeros and what is
// uniform to `own`, so that walks over the program come to an end; the last walk
// reports what does not fit.
//
//===----------------------------------------------------------------------===//
#include "PlacementAnalysis.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Group/Group.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace lispier {
std::string Placement::text() const {
  switch (kind) {
  case Zero:
  case Uniform:
  case Same:
    return "same";
  case Split:
    return "split " + std::to_string(dimension);
  case Partial:
    return "partial";
  case Own:
    return "own";
  }
  return "";
}

Placement joined(const Placement &a, const Placement &b) {
  if (a == b || b.kind == Placement::Zero)
    return a;
  if (a.kind == Placement::Zero)
    return b;
  if (a.kind == Placement::Same && b.kind == Placement::Same)
    return a.withEqual(a.equalAlong & b.equalAlong);
  if (a.isSplitAs(b))
    return a.joining(a.joins || b.joins);
  for (auto [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    if (one->kind == Placement::Uniform && !other->isPartial())
      return *other;
  return Placement(Placement::Own, b.origin);
}

LogicalResult PlacementAnalysis::run(func::FuncOp main) {
  do {
    changed = false;
    memory.clear();
    visitFunction(main);
  } while (changed);
  reports = true;
  memory.clear();
  visitFunction(main);
  return failure(failed);
}

Placement PlacementAnalysis::of(Value value) const {
  Placement unknown(Placement::Zero, value.getLoc());
  if (isa<BaseMemRefType>(value.getType())) {
    auto *found = memory.find(memoryOf(value));
    return found == memory.end() ? unknown : found->second;
  }
  auto found = placements.find(value);
  return found == placements.end() ? unknown : found->second;
}

void PlacementAnalysis::set(Value value, Placement placement) {
  if (isa<BaseMemRefType>(value.getType())) {
    value = memoryOf(value);
    written.insert(value);
    auto [entry, isNew] = memory.insert({value, placement});
    entry->second = isNew ? placement : joined(entry->second, placement);
    return;
  }
  auto [entry, isNew] = placements.try_emplace(value, placement);
  Placement both = isNew ? placement : joined(entry->second, placement);
  changed |= isNew ? placement.kind != Placement::Zero : !(both == entry->second);
  entry->second = both;
}

void PlacementAnalysis::setAll(Operation *op, Placement placement) {
  for (Value result : op->getResults())
    if (!isa<BaseMemRefType>(result.getType()) || memoryOf(result) == result)
      set(result, placement);
}

std::optional<InFlightDiagnostic> PlacementAnalysis::fail(Operation *op, const Twine &message) {
  if (!reports || failed) // What is not yet known may still make it fit.
    return std::nullopt;
  failed = true;
  return op->emitError(message);
}

void PlacementAnalysis::refusePartial(Operation *op, const Placement &operand) {
  auto diag = fail(op, "this is computed of a partial sum over " + axis + ", in which it is not linear");
  if (diag) {
    diag->attachNote(operand.origin) << "the partial sum is made here";
    diag->attachNote(UnknownLoc::get(op->getContext())) << "(all-reduce x :over " << axis << ") first adds the parts";
  }
}

/// Refuses the sum of a partial sum, or of parts, and what all ranks have.
void PlacementAnalysis::refuseAdding(Operation *op, const Placement &partial, const Placement &other) {
  auto diag = fail(op, "this adds a partial sum over " + axis +
                           " and a value that all ranks have, which would count as often as there are ranks");
  if (!diag)
    return;
  diag->attachNote(partial.origin) << (partial.isPartial() ? "the partial sum is made here"
                                                           : "the parts are made here");
  diag->attachNote(other.origin) << "the other value is made here";
  diag->attachNote(UnknownLoc::get(op->getContext())) << "(all-reduce x :over " << axis << ") first adds the parts";
}

/// Whether the op concerns the ranks along the axis.
bool PlacementAnalysis::goesOver(Operation *op) const {
  auto axes = op->getAttrOfType<ArrayAttr>("axes");
  return axes.empty() || llvm::is_contained(axes.getAsValueRange<StringAttr>(), axis);
}

/// Whether ranks along the axis wait for each other in the op.
bool PlacementAnalysis::hasCollective(Operation *op) const {
  llvm::SmallPtrSet<Operation *, 4> seen;
  return hasCollective(op, seen);
}

bool PlacementAnalysis::hasCollective(Operation *op, llvm::SmallPtrSetImpl<Operation *> &seen) const {
  return op
      ->walk([&](Operation *inside) {
        bool does = comm::isCollective(inside) && !isa<comm::OwnPartOp>(inside) && goesOver(inside);
        if (auto call = dyn_cast<func::CallOp>(inside)) {
          auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
          does |= callee && seen.insert(callee).second && hasCollective(callee, seen);
        }
        return does ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void PlacementAnalysis::visitFunction(func::FuncOp function) {
  if (!active.insert(function).second)
    return;
  auto visitAll = [&] {
    for (Block &block : function.getBody())
      visitBlock(block);
  };
  if (function.getBody().hasOneBlock()) {
    visitAll();
  } else {
    llvm::SaveAndRestore inAnyOrder(isStraight, false);
    visitRepeated(function, visitAll);
  }
  active.erase(function);
}

void PlacementAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void PlacementAnalysis::visit(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(structured);
  if (auto attention = dyn_cast<group::AttentionOp>(op))
    return visitAttention(attention);
  if (auto sums = dyn_cast<nn::AddAtOp>(op))
    return visitAddAt(sums);
  if (auto rank = dyn_cast<comm::RankOp>(op))
    return set(rank, made(op, goesOver(op) ? Placement::Own : Placement::Same));
  if (isa<comm::SizeOp>(op))
    return setAll(op, made(op, Placement::Same));
  if (comm::isCollective(op) || isa<comm::AssumeOp>(op))
    return visitCollective(op);
  if (auto settle = dyn_cast<comm::SettleOp>(op))
    return visitSettle(settle);
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (visitShape(op) || visitMemory(op))
    return;
  if (op->getNumRegions() && !op->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return visitRegions(op);
  visitOther(op);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

void PlacementAnalysis::visitCollective(Operation *op) {
  Placement in = of(op->getOperand(0));
  bool isMemory = op->getNumResults() == 0;
  Value target = isMemory ? op->getOperand(comm::kOutOperand) : op->getResult(0);
  if (!goesOver(op))
    return in.kind == Placement::Zero && !isMemory ? set(target, made(op, Placement::Same)) : set(target, in);
  auto type = cast<ShapedType>(op->getOperand(0).getType());
  if (type.hasStaticShape() && type.getNumElements() == 0) // Of a field that a model has not.
    return set(target, made(op, Placement::Zero));
  auto wrong = [&](const Twine &message, const Twine &hint) {
    auto diag = fail(op, message);
    if (!diag)
      return;
    diag->attachNote(in.origin) << "the operand is " << in.text() << " over " << axis << " from here";
    if (!hint.isTriviallyEmpty())
      diag->attachNote(UnknownLoc::get(op->getContext())) << hint;
  };
  // What memory holds at this place is not known: it is what all stores together are.
  bool checks = !isMemory;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](comm::AllReduceOp reduce) {
        bool adds = reduce.getBy() == comm::Combine::Add;
        if (checks && adds && in.isSame() && in.kind != Placement::Zero)
          return wrong("the sum over " + axis + " of a value that all ranks have is that value times their number",
                       "without all-reduce the value is the same on all ranks already");
        if (checks && adds && in.isSplit())
          return wrong("the sum over " + axis + " adds different parts of a tensor",
                       "(all-gather x :over " + axis + " :axis n) joins parts");
        if (checks && in.isPartial() && (reduce.getBy() == comm::Combine::Max || reduce.getBy() == comm::Combine::Min))
          return wrong("the greatest or least of partial sums over " + axis + " is not that of their sum",
                       "(all-reduce x :over " + axis + ") adds them");
        set(target, made(op, Placement::Same));
      })
      .Case([&](comm::AllGatherOp gather) {
        if (in.isPartial() || in.kind == Placement::Same)
          return wrong("all-gather joins the parts of a tensor over " + axis, "");
        if (in.isSplit() && in.dimension != int64_t(gather.getDimension()))
          return wrong("the parts over " + axis + " are of dimension " + Twine(in.dimension) + ", not " +
                           Twine(gather.getDimension()),
                       "");
        if (in.joins)
          return wrong("each rank over " + axis + " has parts of several tensors, which all-gather would mix", "");
        set(target, made(op, Placement::Same));
      })
      .Case([&](comm::ReduceScatterOp scatter) {
        if (in.isSplit() || in.kind == Placement::Same)
          return wrong("reduce-scatter adds partial sums over " + axis, "own-part takes a part of what all ranks have");
        set(target, made(op, Placement::Split, scatter.getDimension()));
      })
      .Case([&](comm::OwnPartOp part) {
        if (!in.isSame())
          return wrong("own-part takes a part of what is the same on all ranks over " + axis, "");
        set(target, made(op, Placement::Split, part.getDimension()));
      })
      .Case([&](comm::AssumeOp part) {
        if (part.getPartial())
          return set(target, made(op, Placement::Partial));
        set(target, made(op, Placement::Split, part.getDimension()).joining(part.getJoins()));
      })
      .Case([&](comm::FromRankOp root) {
        if (in = of(root.getRank()); !in.isSame())
          return wrong("the rank that from-rank names differs between the ranks over " + axis, "");
        set(target, made(op, Placement::Same));
      });
}

/// A gradient is placed as what it is taken by, once partial sums are added.
void PlacementAnalysis::visitSettle(comm::SettleOp settle) {
  Placement in = of(settle.getIn()), primal = of(settle.getPrimal());
  bool fits = primal.isSame()    ? in.isSame() || in.isPartial()
              : primal.isSplit() ? in.isSplitAs(primal) || in.kind == Placement::Zero
                                 : true;
  if (fits)
    return set(settle, primal.isSame() ? made(settle, Placement::Same) : primal);
  auto diag =
      fail(settle, "this gradient is " + in.text() + " over " + axis + ", and what it is taken by " + primal.text());
  if (diag) {
    diag->attachNote(in.origin) << "the gradient is made here";
    diag->attachNote(UnknownLoc::get(settle->getContext()))
        << "(assume x :split 0 :over " << axis << ") says that each rank has a part of the data";
  }
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

namespace {
/// The dimension of the result that is dimension d of the operand, where the ops of `dropped` lack it.
int64_t withoutDropped(int64_t d, const llvm::SmallBitVector &dropped) {
  int64_t kept = d;
  for (int64_t i = 0; i < d; ++i)
    kept -= dropped.test(i);
  return kept;
}

/// What a size is: a constant, without a value; a value, with -1; or a dimension of a tensor.
using SizeKey = std::pair<Value, int64_t>;

SizeKey keyOfDimension(Value tensor, int64_t d);

SizeKey keyOf(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return {Value(), *known};
  auto value = cast<Value>(size);
  auto dim = value.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> d = dim ? dim.getConstantIndex() : std::nullopt;
  return d ? keyOfDimension(dim.getSource(), *d) : SizeKey{value, -1};
}

/// The dimension of a slice's source that is dimension d of the slice.
int64_t withDropped(int64_t d, const llvm::SmallBitVector &dropped) {
  int64_t all = 0;
  for (int64_t kept = 0; dropped.test(all) || kept++ < d;)
    ++all;
  return all;
}

/// What a tensor has its size of dimension d of; null if that is none.
Value sameSizes(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto made = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return made.getTiedOpOperand(cast<OpResult>(tensor))->get();
  if (auto insert = dyn_cast_or_null<tensor::InsertSliceOp>(op))
    return insert.getDest();
  bool keeps = isa_and_nonnull<tensor::CastOp, comm::AssumeOp, comm::SettleOp, grad::StopOp, device::DownloadOp>(op);
  return keeps ? op->getOperand(0) : Value();
}

/// What a loop that keeps the size carries there at first; null of what is carried by no loop, or may change.
Value beforeLoop(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : tensor.getDefiningOp<scf::ForOp>();
  if (!loop || (argument && argument.getArgNumber() == 0))
    return {};
  unsigned number = argument ? argument.getArgNumber() - 1 : cast<OpResult>(tensor).getResultNumber();
  Value end = loop.getYieldedValues()[number];
  while (Value source = sameSizes(end))
    end = source;
  return end == loop.getRegionIterArg(number) ? loop.getInitArgs()[number] : Value();
}

/// Follows the tensor to the one that it has its size of.
SizeKey keyOfDimension(Value tensor, int64_t d) {
  while (true) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(d))
      return {Value(), type.getDimSize(d)};
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
      return keyOf(empty.getMixedSizes()[d]);
    if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>())
      return keyOf(slice.getMixedSizes()[withDropped(d, slice.getDroppedDims())]);
    if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>()) {
      int64_t group = expand.getCorrespondingSourceDim(d);
      if (expand.getReassociationIndices()[group].size() > 1)
        return keyOf(getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), expand.getContext())[d]);
      tensor = expand.getSrc();
      d = group;
      continue;
    }
    if (auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
      ReassociationIndices group = collapse.getReassociationIndices()[d];
      if (group.size() > 1)
        return {tensor, d};
      tensor = collapse.getSrc();
      d = group.front();
      continue;
    }
    Value source = sameSizes(tensor);
    if (!source)
      source = beforeLoop(tensor);
    if (!source)
      return {tensor, d};
    tensor = source;
  }
}

/// Whether the slice has all of dimension d of the whole.
bool hasAllOf(Value whole, int64_t d, OffsetSizeAndStrideOpInterface slice) {
  return isConstantIntValue(slice.getMixedOffsets()[d], 0) && isConstantIntValue(slice.getMixedStrides()[d], 1) &&
         keyOf(slice.getMixedSizes()[d]) == keyOfDimension(whole, d);
}
} // namespace

/// Slices, reshapes and joins; false for other ops.
bool PlacementAnalysis::visitShape(Operation *op) {
  auto alongSplit = [&](const Placement &part, const Twine &what) {
    auto diag =
        fail(op, what + " dimension " + Twine(part.dimension) + ", of which each rank over " + axis + " has a part");
    if (diag)
      diag->attachNote(part.origin) << "the parts are made here";
  };
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    Placement in = of(slice.getSource());
    bool isPlaceSame = llvm::all_of(op->getOperands().drop_front(), [&](Value place) { return of(place).isSame(); });
    bool isCut = in.isSplit() && !hasAllOf(slice.getSource(), in.dimension, slice);
    if (isCut && !(in.joins && isPlaceSame && !slice.getDroppedDims().test(in.dimension)))
      return alongSplit(in, "this takes a part of"), true;
    if (in.isSplit())
      set(slice, made(op, Placement::Split, withoutDropped(in.dimension, slice.getDroppedDims())).joining(in.joins));
    else if (in.kind == Placement::Same && isPlaceSame) {
      uint64_t equal = 0;
      for (int64_t d = 0; d < slice.getSourceType().getRank(); ++d)
        if (in.isEqualAlong(d) && !slice.getDroppedDims().test(d))
          equal |= uint64_t(1) << withoutDropped(d, slice.getDroppedDims());
      set(slice, in.withEqual(equal));
    } else
      set(slice, isPlaceSame ? in : made(op, Placement::Own));
    return true;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    Placement part = of(insert.getSource()), whole = of(insert.getDest());
    auto all = llvm::seq<int64_t>(0, insert.getDestType().getRank());
    if (insert.getSourceType().getRank() == insert.getDestType().getRank() &&
        llvm::all_of(all, [&](int64_t d) { return hasAllOf(insert.getDest(), d, insert); }))
      return set(insert, part), true; // Nothing is left of what was there.
    if (part.isSplit() || whole.isSplit()) {
      int64_t d = whole.dimension;
      llvm::SmallBitVector dropped = insert.getDroppedDims();
      if (part.isSplit()) { // As a dimension of the whole.
        d = -1;
        for (int64_t i = 0, kept = 0; i < int64_t(dropped.size()); ++i)
          if (!dropped.test(i) && kept++ == part.dimension)
            d = i;
      }
      bool fits = part.kind != Placement::Partial && whole.kind != Placement::Partial &&
                  (!whole.isSplit() || whole.dimension == d) && part.kind != Placement::Same &&
                  whole.kind != Placement::Same;
      bool joins = part.joins || whole.joins;
      bool isWhole = fits && (hasAllOf(insert.getDest(), d, insert) || (part.joins && !dropped.test(d)));
      if (part.kind == Placement::Own || whole.kind == Placement::Own)
        set(insert, made(op, Placement::Own));
      else if (!isWhole)
        alongSplit(Placement(Placement::Split, part.isSplit() ? part.origin : whole.origin, d), "this joins along");
      else
        set(insert, made(op, Placement::Split, d).joining(joins));
      return true;
    }
    bool isPlaceSame = llvm::all_of(op->getOperands().drop_front(2), [&](Value place) { return of(place).isSame(); });
    Placement both = joined(whole, part);
    if (both.kind == Placement::Uniform)
      both = made(op, Placement::Same);
    set(insert, isPlaceSame ? both : made(op, Placement::Own));
    return true;
  }
  auto regroup = [&](ArrayRef<ReassociationIndices> groups, Value from, Value to, bool expands) {
    Placement in = of(from);
    if (in.kind == Placement::Same) {
      uint64_t equal = 0;
      for (auto [group, dimensions] : llvm::enumerate(groups)) {
        bool isEqual =
            expands ? in.isEqualAlong(group) : llvm::all_of(dimensions, [&](int64_t d) { return in.isEqualAlong(d); });
        for (int64_t d : expands ? dimensions : ReassociationIndices{int64_t(group)})
          equal |= uint64_t(isEqual) << d;
      }
      return set(to, in.withEqual(equal));
    }
    if (!in.isSplit())
      return set(to, in);
    for (auto [group, dimensions] : llvm::enumerate(groups)) {
      if (expands && int64_t(group) == in.dimension)
        return set(to, made(op, Placement::Split, dimensions.front()).joining(in.joins));
      if (!expands && llvm::is_contained(dimensions, in.dimension)) {
        auto type = cast<RankedTensorType>(from.getType());
        for (int64_t d : dimensions)
          if (d < in.dimension && type.getDimSize(d) != 1)
            return alongSplit(in, "this joins, behind others,");
        return set(to, made(op, Placement::Split, group).joining(in.joins));
      }
    }
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    regroup(expand.getReassociationIndices(), expand.getSrc(), expand, /*expands=*/true);
    return true;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    regroup(collapse.getReassociationIndices(), collapse.getSrc(), collapse, /*expands=*/false);
    return true;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Placement in = of(pad.getSource());
    if (in.isSplit() && !(isConstantIntValue(pad.getMixedLowPad()[in.dimension], 0) &&
                          isConstantIntValue(pad.getMixedHighPad()[in.dimension], 0)))
      return alongSplit(in, "this pads"), true;
    set(pad, in.kind == Placement::Uniform ? made(op, Placement::Same) : in);
    return true;
  }
  if (isa<tensor::EmptyOp>(op)) {
    setAll(op, made(op, Placement::Zero));
    return true;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) { // Parts are of equal sizes.
    set(dim, made(op, ofSizes(dim.getSource()).kind));
    return true;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    Placement in = of(extract.getTensor());
    bool isPlaceSame = llvm::all_of(extract.getIndices(), [&](Value place) { return of(place).isSame(); });
    set(extract, in.isSplit() || !isPlaceSame ? made(op, Placement::Own) : in);
    return true;
  }
  if (isa<tensor::CastOp, device::DownloadOp, device::UploadOp, grad::StopOp, grad::AgainOp,
          bufferization::AllocTensorOp>(op) &&
      op->getNumOperands() > 0 && !isa<BaseMemRefType>(op->getOperand(0).getType())) {
    setAll(op, of(op->getOperand(0)));
    return true;
  }
  return false;
}
} // namespace lispier
