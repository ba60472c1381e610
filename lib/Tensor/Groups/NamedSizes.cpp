//===- NamedSizes.cpp - sizes of a kernel's tensors, by name --------------===//
#include "NamedSizes.h"
#include "lispier/Group/AttentionParts.h"
#include "lispier/Group/ScanLoop.h"
#include "lispier/Tensor/Simplify/TensorRoles.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
/// Operations of a function such as exp where its formula is computed, at the least: a polynomial of degree 4.
constexpr int64_t kFormulaOperations = 8;

/// Operations on floats for an element of the op's result that no kernel can avoid, and results of the exponential
/// unit. What has the sign changed or is compared, converted or chosen can be part of another instruction.
std::pair<int64_t, int64_t> leastWork(linalg::LinalgOp op) {
  int64_t operations = 0, exponentials = 0;
  for (Operation &inside : op.getBlock()->without_terminator())
    llvm::TypeSwitch<Operation *>(&inside)
        .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>([&](auto) { ++operations; })
        .Case([&](math::FmaOp) { operations += 2; })
        .Case<math::ExpOp, math::Exp2Op, math::TanhOp>([&](auto) { ++exponentials; })
        .Case<math::SqrtOp, math::RsqrtOp>([&](auto) { ++operations; })
        .Case<math::ErfOp, math::ExpM1Op, math::LogOp, math::Log1pOp, math::Log2Op, math::SinOp, math::CosOp>(
            [&](auto) { operations += kFormulaOperations; });
  return {operations, exponentials};
}

unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

/// The bits of the factor's numbers, or of those that the kernel only widens to it.
unsigned bitsOfFactor(Value factor) {
  auto op = factor.getDefiningOp<linalg::GenericOp>();
  if (!op)
    return bitsOf(factor.getType());
  Value made = op.getBody()->getTerminator()->getOperand(cast<OpResult>(factor).getResultNumber());
  Operation *widening = made.getDefiningOp();
  bool isWidened = isa_and_present<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp>(widening);
  return bitsOf(isWidened ? widening->getOperand(0).getType() : factor.getType());
}

/// How long a product of the contraction's factors takes at least, in halves of the time of one of 16-bit factors. One
/// of 32 bits is two terms of 16, and the product of two second terms is left out.
int64_t leastHalves(linalg::LinalgOp op) {
  unsigned a = bitsOfFactor(op.getDpsInputs()[0]), b = bitsOfFactor(op.getDpsInputs()[1]);
  auto precision = op->getAttrOfType<tile::PrecisionAttr>(tile::kPrecision);
  if (std::max(a, b) <= 8)
    return 1;
  if (std::max(a, b) <= 16 || (precision && precision.getValue() == tile::Precision::BF16))
    return 2;
  return std::min(a, b) <= 16 ? 4 : 6;
}
} // namespace

ArrayAttr KernelCost::attribute(MLIRContext *context) const {
  Builder b(context);
  SmallVector<Attribute> numbers;
  for (const SymbolicSize *each : {&reads, &writes, &work, &operations, &exponentials})
    numbers.push_back(b.getStringAttr(NamedSizes::text(*each)));
  for (auto &[halves, count] : products)
    numbers.append({b.getI64IntegerAttr(halves), b.getStringAttr(NamedSizes::text(count))});
  return b.getArrayAttr(numbers);
}

KernelCost KernelCost::of(ArrayAttr attribute) {
  auto number = [&](unsigned i) {
    return NamedSizes::read(attribute.getContext(), cast<StringAttr>(attribute[i]).getValue());
  };
  KernelCost cost{number(0), number(1), number(2), number(3), number(4), {}};
  for (unsigned i = 5; i < attribute.size(); i += 2)
    cost.products[cast<IntegerAttr>(attribute[i]).getInt()] = number(i + 1);
  return cost;
}

KernelCost KernelCost::unknown(MLIRContext *context) {
  SymbolicSize none = NamedSizes::read(context, "?");
  return {none, none, none, none, none, {}};
}

KernelCost &KernelCost::operator+=(const KernelCost &other) {
  reads = reads + other.reads, writes = writes + other.writes, work = work + other.work;
  operations = operations + other.operations, exponentials = exponentials + other.exponentials;
  for (auto &[halves, count] : other.products)
    products[halves] = products[halves] + count;
  return *this;
}

/// A multiplication and an addition can be one instruction, which the device's speed counts as two operations.
SmallVector<UnitWork> KernelCost::unitWork(const DeviceSpeed &speed) const {
  auto microseconds = [](double inTera) { return 1 / (inTera * 1e6); };
  double each = microseconds(speed.teraflops);
  UnitWork bytes{"bytes", {{reads + writes, 1 / (speed.gigabytes * 1e3)}}};
  UnitWork matrix{"products"}, floats{"operations", {{operations, each}}}, others{"exponentials"};
  for (auto &[halves, count] : products)
    if (double rate = 2 * speed.productFlops / double(halves); rate > speed.teraflops)
      matrix.parts.push_back({count, microseconds(rate)});
    else
      floats.parts.push_back({count, each});
  if (speed.exponentials > 0)
    others.parts.push_back({exponentials, microseconds(speed.exponentials)});
  else
    floats.parts.push_back({exponentials, kFormulaOperations * each});
  return {bytes, matrix, floats, others};
}

SymbolicSize NamedSizes::named(const Twine &name) const {
  return SymbolicSize::symbol(StringAttr::get(context, name).getAsOpaquePointer());
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
  return unknown(shaped, dimension);
}

SymbolicSize NamedSizes::ofResult(OpResult shaped, int64_t dimension) {
  auto ofMixed = [&](OpFoldResult size) {
    std::optional<int64_t> constant = getConstantIntValue(size);
    return constant ? SymbolicSize(*constant) : ofIndex(cast<Value>(size));
  };
  unsigned i = cast<ShapedType>(shaped.getType()).getDynamicDimIndex(dimension);
  return TypeSwitch<Operation *, SymbolicSize>(shaped.getOwner())
      .Case<memref::AllocOp, gpu::AllocOp>([&](auto alloc) { return ofIndex(alloc.getDynamicSizes()[i]); })
      .Case([&](memref::ViewOp view) { return ofIndex(view.getSizes()[i]); })
      .Case([&](tensor::EmptyOp empty) { return ofIndex(empty.getDynamicSizes()[i]); })
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>(
          [&](auto expand) { return ofMixed(expand.getMixedOutputShape()[dimension]); })
      .Case<tensor::CollapseShapeOp, memref::CollapseShapeOp>([&](auto collapse) {
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
  group::AttentionOp attention = group::attentionIn(kernel);
  group::KernelOp plain = attention ? cast<group::KernelOp>(OpBuilder(kernel).clone(*kernel)) : kernel;
  if (attention)
    group::expandAttention(group::attentionIn(plain));
  std::swap(kernel, plain);
  for (auto op : kernel.getBody().getOps<linalg::LinalgOp>())
    addWork(op, cost);
  if (group::ScanOp scan = group::scanIn(kernel)) {
    SymbolicSize each(1);
    for (int64_t d = 0; d < cast<ShapedType>(scan.getSource().getType()).getRank(); ++d)
      each = each * of(scan.getResult(), d);
    cost.work = cost.work + each;
    cost.operations = cost.operations + each;
  }
  std::swap(kernel, plain);
  if (attention)
    plain->erase();
  return cost;
}

void NamedSizes::addWork(linalg::LinalgOp op, KernelCost &cost) {
  SymbolicSize each = iterations(op);
  if (roleOf(op) == TensorRole::Contraction) {
    SymbolicSize work = each * SymbolicSize(2); // What widens a factor is no operation.
    cost.work = cost.work + work;
    SymbolicSize &products = cost.products[leastHalves(op)];
    products = products + work;
    return;
  }
  auto [operations, exponentials] = leastWork(op);
  cost.work = cost.work + each * SymbolicSize(elementCost(op));
  cost.operations = cost.operations + each * SymbolicSize(operations);
  cost.exponentials = cost.exponentials + each * SymbolicSize(exponentials);
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
