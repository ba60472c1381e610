//===- OperandRows.cpp - how interfaces see nn ops ------------------------===//
#include "lispier/NN/OperandRows.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier::nn {
namespace {
bool isDestination(Access access) { return access == Access::Write || access == Access::Update; }

template <typename... Ops> ArrayRef<OperandRow> rowsAmong(Operation *op) {
  return llvm::TypeSwitch<Operation *, ArrayRef<OperandRow>>(op)
      .Case<Ops...>([](auto op) { return op.operandRows(); })
      .Default(ArrayRef<OperandRow>());
}

/// The row of each operand. An op whose segments are not as long as its operands has rows for a part of these.
SmallVector<const OperandRow *> rowsOfOperands(Operation *op, ArrayRef<OperandRow> rows) {
  SmallVector<const OperandRow *> result;
  std::optional<Attribute> segments = op->getInherentAttr("operandSegmentSizes");
  auto sizes = segments ? dyn_cast_or_null<DenseI32ArrayAttr>(*segments) : DenseI32ArrayAttr();
  for (auto [i, row] : llvm::enumerate(rows))
    result.append(sizes ? size_t(sizes[i]) : 1, &row);
  return result;
}

/// Behind `out` there are numbers only, of which none is optional.
std::optional<unsigned> numberOfDestination(ArrayRef<OperandRow> rows, size_t operands) {
  size_t behind = 1;
  while (!isDestination(rows[rows.size() - behind].access))
    ++behind;
  return behind <= operands ? std::optional<unsigned>(operands - behind) : std::nullopt;
}
} // namespace

ArrayRef<OperandRow> operandRows(Operation *op) {
  return rowsAmong<
#define GET_OP_LIST
#include "lispier/NN/NNOps.cpp.inc"
      >(op);
}

Access accessOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  SmallVector<const OperandRow *> rows = rowsOfOperands(op, operandRows(op));
  unsigned number = operand.getOperandNumber();
  return number < rows.size() ? rows[number]->access : Access::None;
}

bool readsBefore(Access access) {
  return access == Access::Read || access == Access::ReadInPlace || access == Access::State || access == Access::Update;
}

bool writes(Access access) { return isDestination(access) || access == Access::Scratch || access == Access::State; }

MutableOperandRange destinationOf(Operation *op) {
  std::optional<unsigned> number = numberOfDestination(operandRows(op), op->getNumOperands());
  return MutableOperandRange(op, number.value_or(0), number ? 1 : 0);
}

void addResultTypes(ArrayRef<OperandRow> rows, ValueRange operands, SmallVectorImpl<Type> &types) {
  std::optional<unsigned> number = numberOfDestination(rows, operands.size());
  if (number && isa<RankedTensorType>(operands[*number].getType()))
    types.push_back(operands[*number].getType());
}

LogicalResult addResultShapes(Operation *op, OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  for (OpOperand &init : destinationOf(op))
    if (op->getNumResults() > 0)
      shapes.push_back(tensor::getMixedSizes(builder, op->getLoc(), init.get()));
  return success();
}

void addEffects(Operation *op, SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    Access access = accessOf(operand);
    if (readsBefore(access) || access == Access::Scratch)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (writes(access))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

//===----------------------------------------------------------------------===//
// Bufferization
//===----------------------------------------------------------------------===//

bool mayBeOneMemory(ArrayRef<OpOperand *> operands) {
  return llvm::all_of(operands, [](OpOperand *operand) {
    Access access = accessOf(*operand);
    return access == Access::ReadInPlace || access == Access::Write;
  });
}

bufferization::AliasingValueList resultInMemoryOf(OpOperand &operand) {
  if (!isDestination(accessOf(operand)))
    return {};
  return {{operand.getOwner()->getResult(0), bufferization::BufferRelation::Equivalent}};
}

LogicalResult bufferizeOperands(Operation *op, RewriterBase &rewriter,
                                const bufferization::BufferizationOptions &options,
                                bufferization::BufferizationState &state) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> buffer = operand;
    if (isa<TensorType>(operand.getType()))
      buffer = bufferization::getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    operands.push_back(*buffer);
  }
  rewriter.setInsertionPoint(op);
  Operation *made = clone(rewriter, op, TypeRange(), operands);
  bufferization::replaceOpWithBufferizedValues(rewriter, op, ValueRange(destinationOf(made)));
  return success();
}

//===----------------------------------------------------------------------===//
// The verifier
//===----------------------------------------------------------------------===//

LogicalResult verifyOneKind(Operation *op, ArrayRef<OperandRow> rows) {
  auto kindOf = [](Value value) { return isa<TensorType>(value.getType()) ? "tensor" : "memref"; };
  std::pair<StringRef, Value> first;
  for (auto [row, operand] : llvm::zip(rowsOfOperands(op, rows), op->getOperands())) {
    if (row->access == Access::State && isa<TensorType>(operand.getType()))
      return op->emitOpError() << row->name << " is a tensor (" << operand.getType()
                               << "): what stays in memory between calls is a memref, also of an op on tensors";
    if (row->access == Access::None || row->access == Access::State)
      continue;
    if (!first.second)
      first = {row->name, operand};
    else if (kindOf(first.second) != kindOf(operand))
      return op->emitOpError() << "takes tensors or memrefs, not both: " << first.first << " is a "
                               << kindOf(first.second) << " (" << first.second.getType() << "), " << row->name << " a "
                               << kindOf(operand) << " (" << operand.getType()
                               << "); (load m) reads a memref as a tensor";
  }
  return success();
}
} // namespace lispier::nn
