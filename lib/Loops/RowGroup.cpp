//===- RowGroup.cpp - linalg ops over the same rows -----------------------===//
#include "RowGroup.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/Loops/ByteSize.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace lispier {
namespace {
unsigned rankOf(Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  return type ? type.getRank() : 0;
}

/// Whether the operand's leading dimensions are indexed by `dims`, which nothing else of it depends on.
bool isByRows(linalg::GenericOp op, OpOperand &operand, ArrayRef<unsigned> dims) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.getNumResults() < dims.size())
    return false;
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (i < dims.size() ? !dim || dim.getPosition() != dims[i]
                        : llvm::any_of(dims, [&](unsigned d) { return result.isFunctionOfDim(d); }))
      return false;
  }
  return true;
}

/// Whether each dimension of the rows is an index of the operand by itself, if it is one at all.
bool hasPlainRows(linalg::GenericOp op, OpOperand &operand, ArrayRef<unsigned> dims) {
  return llvm::all_of(op.getMatchingIndexingMap(&operand).getResults(), [&](AffineExpr result) {
    return isa<AffineDimExpr>(result) || llvm::none_of(dims, [&](unsigned d) { return result.isFunctionOfDim(d); });
  });
}

/// Whether the operand's elements of one row are apart in memory, beside those of the next row.
bool isAcross(linalg::GenericOp op, OpOperand &operand, ArrayRef<unsigned> dims) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.getNumResults() < 2)
    return false;
  auto isRow = [&](AffineExpr result) {
    return llvm::any_of(dims, [&](unsigned d) { return result.isFunctionOfDim(d); });
  };
  return isRow(map.getResults().back()) && !llvm::all_of(map.getResults(), isRow);
}

/// The memrefs of which the op reads elements that it computes the places of.
SmallVector<Value> gatheredMemory(linalg::GenericOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return llvm::filter_to_vector(captured, [](Value value) { return isa<MemRefType>(value.getType()); });
}

/// Whether the op goes along rows, rather than having one number for each.
bool hasPass(linalg::GenericOp op, unsigned rank) { return op.getNumLoops() > RowGroup::rowDims(op, rank).size(); }

/// Names of a size: a constant, the size of a memref, the size with which a memref was allocated or a view made.
using SizeNames = llvm::SmallSetVector<std::pair<void *, int64_t>, 8>;

void addSizeNames(Value memory, int64_t dimension, SizeNames &names) {
  auto type = cast<MemRefType>(memory.getType());
  if (!type.isDynamicDim(dimension)) {
    names.insert({nullptr, type.getDimSize(dimension)});
    return;
  }
  names.insert({memory.getAsOpaquePointer(), dimension});
  if (auto view = memory.getDefiningOp<memref::SubViewOp>()) {
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped.test(i) && dimension-- == 0)
        if (auto number = dyn_cast<Value>(size))
          names.insert({number.getAsOpaquePointer(), -1});
    return;
  }
  auto allocation = memory.getDefiningOp<memref::AllocOp>();
  if (!allocation)
    return;
  Value size = allocation.getDynamicSizes()[type.getDynamicDimIndex(dimension)];
  names.insert({size.getAsOpaquePointer(), -1});
  if (auto dim = size.getDefiningOp<memref::DimOp>(); dim && dim.getConstantIndex())
    names.insert({dim.getSource().getAsOpaquePointer(), *dim.getConstantIndex()});
}

/// Names of how often the op's dimension `row` of its rows, 0 for the outermost, is walked.
SizeNames sizeNames(linalg::GenericOp op, unsigned row) {
  SizeNames names;
  SmallVector<unsigned> dims = RowGroup::rowDims(op, row + 1);
  if (dims.size() <= row)
    return names;
  for (OpOperand &operand : op->getOpOperands())
    for (auto [i, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result); dim && dim.getPosition() == dims[row])
        addSizeNames(operand.get(), i, names);
  return names;
}

/// The memref that this one is a view of.
Value baseOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

/// Whether the memref is, or is a view of, a tensor that bufferization has given a place.
Value intermediateOf(Value memory) {
  while (Operation *view = memory.getDefiningOp()) {
    if (view->hasAttr(kIntermediateAttr))
      return memory;
    if (!isa<ViewLikeOpInterface>(view))
      break;
    memory = cast<ViewLikeOpInterface>(view).getViewSource();
  }
  return nullptr;
}

/// Whether two places in one plan of memory are known to have no byte in common. Values whose lives are disjoint share
/// bytes.
bool areApart(memref::ViewOp one, memref::ViewOp other) {
  std::optional<int64_t> first = getConstantIntValue(one.getByteShift()),
                         second = getConstantIntValue(other.getByteShift());
  MemRefType a = one.getType(), b = other.getType();
  if (!first || !second || !a.hasStaticShape() || !b.hasStaticShape())
    return false;
  return *first + a.getNumElements() * byteSize(a.getElementType()) <= *second ||
         *second + b.getNumElements() * byteSize(b.getElementType()) <= *first;
}

bool areDistinct(Value one, Value other) {
  if (Value first = intermediateOf(one), second = intermediateOf(other); first && second && first != second) {
    auto a = first.getDefiningOp<memref::ViewOp>(), b = second.getDefiningOp<memref::ViewOp>();
    if (!a || !b || a.getSource() != b.getSource() || areApart(a, b))
      return true;
  }
  one = baseOf(one), other = baseOf(other);
  if (one == other)
    return false;
  for (auto [choice, rest] : {std::pair(one, other), std::pair(other, one)})
    if (auto branch = choice.getDefiningOp<scf::IfOp>()) {
      unsigned number = cast<OpResult>(choice).getResultNumber();
      return areDistinct(branch.thenYield().getOperand(number), rest) &&
             areDistinct(branch.elseYield().getOperand(number), rest);
    }
  auto isFresh = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto function =
        argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp()) : FunctionOpInterface();
    if (function && argument.getOwner()->isEntryBlock())
      return bool(function.getArgAttr(argument.getArgNumber(), kOutAttr));
    return value.getDefiningOp<memref::AllocOp>() || value.getDefiningOp<memref::AllocaOp>();
  };
  auto isParameter = [](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner()->isEntryBlock() &&
           isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  };
  auto isGlobal = [](Value value) { return value.getDefiningOp<memref::GetGlobalOp>() != nullptr; };
  if (isFresh(one))
    return isFresh(other) || isParameter(other) || isGlobal(other);
  return isFresh(other) && (isParameter(one) || isGlobal(one));
}
} // namespace

SmallVector<unsigned> RowGroup::rowDims(linalg::GenericOp op, unsigned rank) {
  SmallVector<unsigned> dims;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr result : map.getResults().take_front(rank))
    if (auto dim = dyn_cast<AffineDimExpr>(result))
      dims.push_back(dim.getPosition());
  return dims;
}

bool RowGroup::isConsistent(unsigned rank) const {
  llvm::SmallDenseSet<Value> written;
  for (linalg::GenericOp op : members)
    written.insert_range(op.getDpsInits());
  for (linalg::GenericOp op : members) {
    SmallVector<unsigned> dims = rowDims(op, rank);
    auto kinds = op.getIteratorTypesArray();
    if (dims.size() < rank || llvm::any_of(dims, [&](unsigned d) { return kinds[d] != utils::IteratorType::parallel; }))
      return false;
    if (llvm::any_of(gatheredMemory(op), [&](Value memory) { return written.contains(memory); }))
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      if (written.contains(operand.get()) ? !isByRows(op, operand, dims) : !hasPlainRows(op, operand, dims))
        return false;
      if (isAcross(op, operand, dims)) // Each op alone does whole vectors of such rows at once.
        return false;
      // What a sum shares between rows would be read again for each of them: a product of matrices is no work of rows.
      AffineMap map = op.getMatchingIndexingMap(&operand);
      bool isSummed = false, isShared = false;
      for (unsigned d = 0; d < kinds.size(); ++d)
        isSummed |= kinds[d] == utils::IteratorType::reduction && map.isFunctionOfDim(d);
      for (unsigned d : dims)
        isShared |= !map.isFunctionOfDim(d);
      if (isSummed && isShared && rankOf(operand.get()) > 0)
        return false;
    }
  }
  return true;
}

bool RowGroup::hasEqualSizes(unsigned row) const {
  SizeNames names = sizeNames(members.front(), row);
  return llvm::all_of(llvm::drop_begin(members), [&](linalg::GenericOp op) {
    SizeNames own = sizeNames(op, row);
    bool isKnown = llvm::any_of(own, [&](auto name) { return names.contains(name); });
    names.insert_range(own);
    return isKnown;
  });
}

bool RowGroup::add(linalg::GenericOp op) {
  // The verifier takes no subview of a memref without elements.
  if (llvm::any_of(op->getOperandTypes(), [](Type type) {
        auto memory = dyn_cast<MemRefType>(type);
        return memory && llvm::is_contained(memory.getShape(), 0);
      }))
    return false;
  if (rowDims(op, 1).empty())
    return false;
  members.push_back(op);
  if (hasEqualSizes(0) && isConsistent(1))
    return true;
  members.pop_back();
  return false;
}

unsigned RowGroup::rowRank() const {
  // Of elementwise ops alone, rows may be too short to be worth a loop of their own; one pass has nothing to find in
  // the cache, and alone it reads several rows at once.
  if (llvm::count_if(members, [](linalg::GenericOp op) { return hasPass(op, 1); }) < 2 ||
      llvm::none_of(members, [](linalg::GenericOp op) { return op.getNumReductionLoops() > 0; }))
    return 0;
  unsigned most = 0;
  for (linalg::GenericOp op : members)
    most = std::max(most, op.getNumLoops());
  unsigned rank = 1;
  while (rank + 1 < most && isConsistent(rank + 1) && hasEqualSizes(rank))
    ++rank;
  return rank < most ? rank : 0;
}

SmallVector<RowGroup::Overlap> RowGroup::possibleOverlaps(unsigned rank) const {
  llvm::SetVector<Value> written, all;
  for (linalg::GenericOp op : members) {
    written.insert_range(op.getDpsInits());
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()))
        all.insert(operand);
    all.insert_range(gatheredMemory(op));
  }
  auto isAlwaysByRows = [&](Value memory) {
    return llvm::all_of(members, [&](linalg::GenericOp op) {
      return !llvm::is_contained(gatheredMemory(op), memory) &&
             llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
               return operand.get() != memory || isByRows(op, operand, rowDims(op, rank));
             });
    });
  };
  SmallVector<Overlap> overlaps;
  for (auto [i, one] : llvm::enumerate(all))
    for (Value other : ArrayRef(all.getArrayRef()).drop_front(i + 1)) {
      bool first = written.contains(one);
      if ((first || written.contains(other)) && !areDistinct(one, other))
        overlaps.push_back({first ? one : other, first ? other : one,
                            one.getType() == other.getType() && isAlwaysByRows(first ? other : one)});
    }
  return overlaps;
}
} // namespace lispier
