//===- NamedSizes.cpp - sizes of a kernel's tensors, by name --------------===//
#include "NamedSizes.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
ArrayAttr KernelCost::attribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Attribute> numbers;
  for (const SymbolicSize *each : {&reads, &writes, &work, &products, &others})
    numbers.push_back(b.getStringAttr(NamedSizes::text(*each)));
  numbers.push_back(b.getBoolAttr(narrowProducts));
  return b.getArrayAttr(numbers);
}

KernelCost KernelCost::of(ArrayAttr attribute) {
  auto number = [&](unsigned i) {
    return NamedSizes::read(attribute.getContext(), cast<StringAttr>(attribute[i]).getValue());
  };
  return {number(0), number(1), number(2), number(3), number(4), cast<BoolAttr>(attribute[5]).getValue()};
}

KernelCost &KernelCost::operator+=(const KernelCost &other) {
  reads = reads + other.reads, writes = writes + other.writes, work = work + other.work;
  products = products + other.products, others = others + other.others;
  narrowProducts |= other.narrowProducts;
  return *this;
}

/// An F32 product by BF16 instructions is three of theirs. What is no product is one operation an instruction, not the
/// two that a multiplication and addition count.
LeastTimes KernelCost::leastTimes(const DeviceSpeed &speed) const {
  double most = std::max(speed.teraflops, speed.productFlops / (narrowProducts ? 1 : 3));
  return {1 / (speed.gigabytes * 1e3), 1 / (most * 1e6), 2 / (speed.teraflops * 1e6)};
}

SymbolicSize NamedSizes::named(const Twine &name) const {
  return SymbolicSize::symbol(StringAttr::get(context, name).getAsOpaquePointer());
}

SymbolicSize NamedSizes::unknown(Value value, int64_t dimension) {
  unsigned number = unknowns.insert({{value, dimension}, unsigned(unknowns.size())}).first->second;
  return named("n" + Twine(number));
}

std::pair<Value, int64_t> NamedSizes::unknownOf(StringRef name) const {
  unsigned number;
  if (!name.consume_front("n") || name.getAsInteger(10, number) || number >= unknowns.size())
    return {};
  return unknowns.begin()[number].first; // Numbers are given in order.
}

std::string NamedSizes::nameOf(const void *symbol) { return StringAttr::getFromOpaquePointer(symbol).str(); }

SymbolicSize NamedSizes::of(Value shaped, int64_t dimension) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dimension))
    return SymbolicSize(type.getDimSize(dimension));
  auto argument = dyn_cast<BlockArgument>(shaped);
  if (!argument)
    return ofResult(cast<OpResult>(shaped), dimension);
  if (kernel && argument.getOwner()->getParentOp() == kernel)
    return of(kernel->getOperand(argument.getArgNumber()), dimension);
  if (isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return named("arg" + Twine(argument.getArgNumber()) + "[" + Twine(dimension) + "]");
  return unknown(shaped, dimension);
}

SymbolicSize NamedSizes::ofResult(OpResult shaped, int64_t dimension) {
  auto ofMixed = [&](OpFoldResult size) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    return constant ? SymbolicSize(*constant) : ofIndex(cast<Value>(size));
  };
  unsigned i = cast<ShapedType>(shaped.getType()).getDynamicDimIndex(dimension);
  return TypeSwitch<Operation *, SymbolicSize>(shaped.getOwner())
      .Case([&](memref::AllocOp alloc) { return ofIndex(alloc.getDynamicSizes()[i]); })
      .Case([&](memref::ViewOp view) { return ofIndex(view.getSizes()[i]); })
      .Case([&](tensor::EmptyOp empty) { return ofIndex(empty.getDynamicSizes()[i]); })
      .Case([&](tensor::ExpandShapeOp expand) { return ofMixed(expand.getMixedOutputShape()[dimension]); })
      .Case([&](tensor::CollapseShapeOp collapse) {
        SymbolicSize product(1);
        SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
        for (int64_t part : groups[dimension])
          product = product * of(collapse.getSrc(), part);
        return product;
      })
      .Case<tensor::CastOp, memref::CastOp>([&](auto cast) {
        return isa<UnrankedMemRefType, UnrankedTensorType>(cast.getSource().getType())
                   ? unknown(shaped, dimension)
                   : of(cast.getSource(), dimension);
      })
      .Case([&](memref::SubViewOp part) {
        llvm::SmallBitVector dropped = part.getDroppedDims();
        for (auto [d, size] : llvm::enumerate(part.getMixedSizes()))
          if (!dropped.test(d) && dimension-- == 0)
            return ofMixed(size);
        return SymbolicSize(1);
      })
      .Case([&](bufferization::ToTensorOp read) { return of(read.getBuffer(), dimension); })
      .Case([&](DestinationStyleOpInterface op) { return of(op.getTiedOpOperand(shaped)->get(), dimension); })
      .Default([&](Operation *) { return unknown(shaped, dimension); });
}

SymbolicSize NamedSizes::ofIndex(Value index) {
  return SymbolicSize::of(index, [&](Value leaf) {
    if (auto argument = dyn_cast<BlockArgument>(leaf);
        kernel && argument && argument.getOwner()->getParentOp() == kernel)
      return ofIndex(kernel->getOperand(argument.getArgNumber()));
    if (auto dim = leaf.getDefiningOp<memref::DimOp>(); dim && dim.getConstantIndex())
      return of(dim.getSource(), *dim.getConstantIndex());
    if (auto dim = leaf.getDefiningOp<tensor::DimOp>(); dim && dim.getConstantIndex())
      return of(dim.getSource(), *dim.getConstantIndex());
    return unknown(leaf);
  });
}

SymbolicSize NamedSizes::elements(Value shaped) {
  SymbolicSize result(1);
  for (int64_t d = 0, rank = cast<ShapedType>(shaped.getType()).getRank(); d < rank; ++d)
    result = result * of(shaped, d);
  return result;
}

SymbolicSize NamedSizes::bytes(Value shaped) {
  Type element = getElementTypeOrSelf(shaped.getType());
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return elements(shaped) * SymbolicSize(llvm::divideCeil(bits, 8));
}

SymbolicSize NamedSizes::iterations(linalg::LinalgOp op) {
  SymbolicSize result(1);
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    result = result * ofLoop(op, loop);
  return result;
}

KernelCost NamedSizes::cost() {
  KernelCost cost;
  llvm::SmallPtrSet<Value, 8> read;
  for (OpOperand &operand : kernel->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    if (kernel.reads(operand) && read.insert(operand.get()).second)
      cost.reads = cost.reads + bytesRead(operand);
    if (kernel.isDpsInit(&operand))
      cost.writes = cost.writes + bytes(operand.get());
  }
  for (auto op : kernel.getBody().getOps<linalg::LinalgOp>())
    addWork(op, cost);
  return cost;
}

void NamedSizes::addWork(linalg::LinalgOp op, KernelCost &cost) {
  SymbolicSize work = iterations(op) * SymbolicSize(elementCost(op));
  cost.work = cost.work + work;
  if (roleOf(op) != TensorRole::Contraction)
    return (void)(cost.others = cost.others + work);
  cost.products = cost.products + iterations(op) * SymbolicSize(2);
  cost.narrowProducts = llvm::all_of(
      op.getDpsInputs(), [](Value factor) { return getElementTypeOrSelf(factor).getIntOrFloatBitWidth() <= 16; });
}

/// All of the operand, or of one that only a gather reads, as many elements as it reads.
SymbolicSize NamedSizes::bytesRead(OpOperand &operand) {
  SymbolicSize gathered;
  for (Operation *user : kernel.argumentOf(operand).getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    auto op = isa<tensor::ExtractOp>(user) ? dyn_cast<linalg::GenericOp>(user->getParentOp()) : linalg::GenericOp();
    if (!op)
      return bytes(operand.get());
    Type element = getElementTypeOrSelf(operand.get());
    unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    gathered = gathered + iterations(op) * SymbolicSize((bits + 7) / 8);
  }
  return gathered;
}

SymbolicSize NamedSizes::read(MLIRContext *context, StringRef text) {
  SymbolicSize sum;
  for (StringRef term : llvm::split(text, " + ")) {
    SymbolicSize product(1);
    for (StringRef factor : llvm::split(term, ' ')) {
      int64_t number;
      product = product * (factor.getAsInteger(10, number)
                               ? SymbolicSize::symbol(StringAttr::get(context, factor).getAsOpaquePointer())
                               : SymbolicSize(number));
    }
    sum = sum + product;
  }
  return sum;
}

SymbolicSize NamedSizes::ofLoop(linalg::LinalgOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands())
    for (auto [d, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result); dim && dim.getPosition() == loop)
        return of(operand.get(), d);
  return named("?");
}
} // namespace lispier
