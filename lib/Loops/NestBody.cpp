//===- NestBody.cpp - an op's body on scalars and vectors -----------------===//
#include "VectorNest.h"
#include "lispier/Device/FailingLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;

namespace lispier {
Value NestBody::toVector(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, value.getLoc(), vectorType(value.getType()), value);
}

Value NestBody::clone(Operation &op, IRMapping &mapping, Value mask) {
  bool vectors = llvm::any_of(
      op.getOperands(), [&](Value operand) { return isa<VectorType>(mapping.lookupOrDefault(operand).getType()); });
  IRMapping operands;
  for (Value operand : op.getOperands()) {
    Value value = mapping.lookupOrDefault(operand);
    operands.map(operand, vectors ? toVector(value) : value);
  }
  Operation *result = builder.clone(op, operands);
  if (vectors)
    result->getResult(0).setType(vectorType(op.getResult(0).getType()));
  if (vectors && mask && device::mayFail(&op))
    device::failOnlyWhere(builder, result, mask);
  return result->getResult(0);
}

SmallVector<Value> NestBody::evaluate(ValueRange arguments, ArrayRef<Value> at, Value mask) {
  if (nest.inPairs)
    return {x86vector::DotBF16Op::create(builder, nest.op.getLoc(), arguments[2].getType(), arguments[2], arguments[0],
                                         arguments[1])};
  IRMapping mapping;
  Block *body = nest.op.getBody();
  for (auto [argument, value] : llvm::zip_equal(body->getArguments(), arguments))
    if (value)
      mapping.map(argument, value);
  for (Operation &op : body->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(op);
    if (!index) {
      mapping.map(op.getResult(0), clone(op, mapping, mask));
      continue;
    }
    Value value = at[index.getDim()];
    if (index.getDim() == nest.vectorDim) {
      VectorType type = vectorType(builder.getIndexType());
      value = arith::AddIOp::create(builder, op.getLoc(), toVector(value),
                                    vector::StepOp::create(builder, op.getLoc(), type));
    }
    mapping.map(index, value);
  }
  return llvm::map_to_vector(body->getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

Value NestBody::combine(unsigned output, Value left, Value right) {
  Operation *op = nest.reductions[output].combine;
  Value carried = nest.op.getRegionOutputArgs()[output];
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, operand == carried ? left : right);
  return clone(*op, mapping);
}
} // namespace lispier
