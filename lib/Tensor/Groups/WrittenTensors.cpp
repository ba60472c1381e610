//===- WrittenTensors.cpp - kernels that write where their result goes ----===//
//
// Before: a kernel reads a tensor and makes its next value, or that of a part, which is
// inserted into it. After: the part is the kernel's destination, and the insertion, of
// a part into where it lies, is no copy. Bufferization itself finds the place of a
// result of which the kernel reads nothing; a read and a write of one kernel it takes
// for a conflict.
//
//===----------------------------------------------------------------------===//
#include "WrittenTensors.h"
#include "KernelDestinations.h"
#include "lispier/Group/MemoryAttributes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace lispier {
namespace {
bool isTensorView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp, tensor::CastOp>(
      op);
}

bool isInout(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function && argument.getOwner() == &function.getBody().front() &&
         function.getArgAttr(argument.getArgNumber(), kInoutAttr);
}

/// Whether the tensor's memory is the function's to write: a value that it makes, or an argument that it writes.
bool isWritable(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return isInout(argument) || isa<scf::ForOp, scf::WhileOp>(argument.getOwner()->getParentOp());
  return isa<tensor::InsertSliceOp, group::KernelOp, scf::ForOp, scf::WhileOp>(tensor.getDefiningOp());
}

class PlaceOfResult {
public:
  PlaceOfResult(group::KernelOp kernel, unsigned result, IRRewriter &rewriter)
      : kernel(kernel), result(result), rewriter(rewriter), block(kernel->getBlock()) {}

  /// Where the result is part of another tensor, and the kernel reads that part.
  void writeIntoPart() {
    tensor::InsertSliceOp insertion = onlyInsertion();
    if (!insertion || insertion->getBlock() != block)
      return;
    Value whole = insertion.getDest();
    if (whole.getParentBlock() != block || !isWritable(whole))
      return;
    for (OpOperand &operand : kernel.getInputsMutable()) {
      if (!isSamePlace(operand.get(), insertion) || !mayOverwrite(kernel, operand, result) ||
          isReadLater(whole, operand, insertion))
        continue;
      Value place = operand.get();
      bool replacesAll = place == whole && isAll(insertion);
      if (place == whole && !replacesAll) { // What the kernel reads of the tensor is the part that it writes.
        if (!sizesAreKnown(insertion))
          continue;
        rewriter.setInsertionPoint(kernel);
        place = tensor::ExtractSliceOp::create(rewriter, insertion.getLoc(), insertion.getSourceType(), whole,
                                               insertion.getMixedOffsets(), insertion.getMixedSizes(),
                                               insertion.getMixedStrides());
      }
      overwriteOperand(kernel, operand, result, place, rewriter);
      if (replacesAll)
        rewriter.replaceOp(insertion, kernel->getResult(result));
      return;
    }
  }

  /// Where the result is the last value of the argument, or a loop begins with it that makes this.
  void writeInto(BlockArgument argument) {
    if (argument.getOwner() != block || argument.getType() != kernel->getResult(result).getType())
      return;
    Value before = lastBefore(argument);
    for (OpOperand &operand : kernel.getInputsMutable())
      if (operand.get() == before) {
        if (mayOverwrite(kernel, operand, result) && !isReadLater(before, operand, nullptr))
          overwriteOperand(kernel, operand, result, before, rewriter);
        return;
      }
    bool isReadHere = llvm::is_contained(kernel.getOperands(), before);
    if (!isReadHere && !isReadLater(before, kernel.getInitsMutable()[result], nullptr))
      kernel.getInitsMutable()[result].set(before);
  }

private:
  /// What the argument's memory has before the kernel: the argument, or the result of the last op that writes there.
  Value lastBefore(Value tensor) {
    for (OpOperand &use : tensor.getUses()) {
      auto writer = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      if (writer && writer != kernel && writer->getBlock() == block && writer->isBeforeInBlock(kernel) &&
          writer.isDpsInit(&use))
        return lastBefore(writer.getTiedOpResult(&use));
    }
    return tensor;
  }

  /// The insertion of the result into another tensor, if nothing else uses it.
  tensor::InsertSliceOp onlyInsertion() {
    tensor::InsertSliceOp found;
    for (OpOperand &use : kernel->getResult(result).getUses()) {
      if (isa<tensor::DimOp>(use.getOwner()))
        continue;
      auto insertion = dyn_cast<tensor::InsertSliceOp>(use.getOwner());
      if (found || !insertion || use.getOperandNumber() != 0)
        return nullptr;
      found = insertion;
    }
    return found;
  }

  /// Whether the tensor is the part that is written, or all of which that part has the first elements.
  static bool isSamePlace(Value tensor, tensor::InsertSliceOp insertion) {
    auto part = tensor.getDefiningOp<tensor::ExtractSliceOp>();
    if (part && part.getSource() == insertion.getDest())
      return part.getType() == insertion.getSourceType() && part.getMixedOffsets() == insertion.getMixedOffsets() &&
             part.getMixedSizes() == insertion.getMixedSizes() && part.getMixedStrides() == insertion.getMixedStrides();
    return tensor == insertion.getDest() && insertion.getSourceType().getRank() == insertion.getDestType().getRank() &&
           llvm::all_of(insertion.getMixedOffsets(), isZeroInteger) &&
           llvm::all_of(insertion.getMixedStrides(), isOneInteger);
  }

  /// Whether the insertion, from the beginning of the tensor on, replaces all of it.
  static bool isAll(tensor::InsertSliceOp insertion) {
    return llvm::all_of(llvm::enumerate(insertion.getMixedSizes()), [&](auto each) {
      if (auto constant = getConstantIntValue(each.value()))
        return *constant == insertion.getDestType().getDimSize(each.index());
      auto size = cast<Value>(each.value()).template getDefiningOp<tensor::DimOp>();
      return size && size.getSource() == insertion.getDest() && size.getConstantIndex() == int64_t(each.index());
    });
  }

  /// Whether the sizes of what is inserted are there before the kernel.
  bool sizesAreKnown(tensor::InsertSliceOp insertion) {
    return llvm::all_of(insertion.getSizes(), [&](Value size) {
      Operation *made = size.getDefiningOp();
      return !made || made->getBlock() != block || made->isBeforeInBlock(kernel);
    });
  }

  /// Whether the tensor or a view of it is read by the kernel as another operand than `own`, or from there on by other
  /// ops than `insertion`.
  bool isReadLater(Value tensor, OpOperand &own, tensor::InsertSliceOp insertion) {
    return llvm::any_of(tensor.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (&use == &own || isa<tensor::DimOp>(user) || (insertion && user == insertion))
        return false;
      Operation *here = block->findAncestorOpInBlock(*user);
      if (!here || here == kernel)
        return true;
      if (isTensorView(user) && isReadLater(user->getResult(0), own, nullptr))
        return true;
      return !here->isBeforeInBlock(kernel) && !isTensorView(user);
    });
  }

  group::KernelOp kernel;
  unsigned result;
  IRRewriter &rewriter;
  Block *block;
};

/// The kernel's result that the value is, or that a loop begins with whose last value it is, and nothing else uses.
OpResult madeByKernel(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    if (isa<group::KernelOp>(result.getOwner()))
      return result;
    auto loop = dyn_cast<scf::ForOp>(result.getOwner());
    if (!loop)
      break;
    value = loop.getTiedLoopInit(result)->get();
    if (llvm::count_if(value.getUsers(), [](Operation *user) { return !isa<tensor::DimOp>(user); }) != 1)
      break;
  }
  return {};
}
} // namespace

void writeInPlace(func::FuncOp function, IRRewriter &rewriter) {
  SmallVector<group::KernelOp> kernels;
  function.walk([&](group::KernelOp kernel) { kernels.push_back(kernel); });
  for (group::KernelOp kernel : kernels)
    for (unsigned result : llvm::seq(kernel->getNumResults()))
      if (kernel.getInits()[result].getDefiningOp<tensor::EmptyOp>())
        PlaceOfResult(kernel, result, rewriter).writeIntoPart();
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return;
  // The last values of the arguments are the last results.
  SmallVector<BlockArgument> written;
  for (BlockArgument argument : function.getArguments())
    if (isInout(argument))
      written.push_back(argument);
  ValueRange returned = function.getBody().front().getTerminator()->getOperands();
  if (returned.size() < written.size())
    return;
  for (auto [value, argument] : llvm::zip(returned.take_back(written.size()), written))
    if (OpResult made = madeByKernel(value))
      if (auto kernel = cast<group::KernelOp>(made.getOwner());
          kernel.getInits()[made.getResultNumber()].getDefiningOp<tensor::EmptyOp>())
        PlaceOfResult(kernel, made.getResultNumber(), rewriter).writeInto(argument);
}
} // namespace lispier
